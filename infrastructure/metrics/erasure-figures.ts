import { Gauge, type Registry } from 'prom-client';
import type { Ports } from '../../application/ports.ts';
import { SECOND } from '../../domain/time.ts';

/** Read at each scrape; NaN when the database does not answer. */
export function erasureGauges(registry: Registry, { erasures, clock }: Pick<Ports, 'erasures' | 'clock'>) {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const scheduled = gauge('stancebook_erasures_scheduled', 'Accounts whose erasure can still be taken back.');
  const underWay = gauge('stancebook_erasures_under_way', 'Removed accounts whose records are not erased yet.');
  const late = gauge('stancebook_erasure_lag_seconds', 'How long the oldest erasure that has not ended has been due.');
  const records = gauge('stancebook_erased_records', 'Records whose owner-only text is erased.');
  return async () => {
    const now = await clock.now().catch(() => null);
    const overview = now && (await erasures.overview().catch(() => null));
    scheduled.set(overview?.scheduled ?? Number.NaN);
    underWay.set(overview?.under_way ?? Number.NaN);
    records.set(overview?.records ?? Number.NaN);
    late.set(overview && now ? (now.getTime() - (overview.due_since ?? now).getTime()) / SECOND : Number.NaN);
  };
}
