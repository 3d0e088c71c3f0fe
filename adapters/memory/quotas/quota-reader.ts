import { type QuotaReader, quotaUsage } from '../../../domain/quotas/quota-reader.ts';
import { utcDate } from '../../../domain/time.ts';
import { limitsNow, type QuotaTables, quotaKey } from './quota-tables.ts';

export function memoryQuotas(tables: Pick<QuotaTables, 'quotas' | 'floors'>, now: () => Date): QuotaReader {
  return {
    async usage(owner_id, limits) {
      const at = limitsNow(tables, now());
      const countOf = (pool: 'query' | 'read') =>
        tables.quotas.get(quotaKey({ owner_id, day: utcDate(at), pool, record_id: null }));
      return quotaUsage({ query: countOf('query'), read: countOf('read') }, limits, at.getTime());
    },
  };
}
