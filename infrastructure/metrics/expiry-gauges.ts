import { Counter, Gauge, type Registry } from 'prom-client';
import type { Ports } from '../../application/ports.ts';
import { SECOND } from '../../domain/time.ts';

/** Read at each scrape; no series when the database does not answer, so that the scrape still shows the rest. */
export function expiryGauges(registry: Registry, { expiry, clock }: Pick<Ports, 'expiry' | 'clock'>) {
  const [labelNames, registers] = [['table'], [registry]];
  const deleted = new Counter({
    name: 'stancebook_expired_rows_deleted_total',
    help: 'Expired rows that were deleted from the table.',
    labelNames,
    registers,
  });
  const wait = new Gauge({
    name: 'stancebook_expired_rows_wait_seconds',
    help: 'The longest that an expired row can have waited to be deleted: since the last whole pass over the table began.',
    labelNames,
    registers,
  });
  return async () => {
    for (const each of [deleted, wait]) each.reset();
    const [now, passes] = await Promise.all([clock.now().catch(() => null), expiry.passes().catch(() => [])]);
    for (const { table, deleted: rows, clean_until } of passes) {
      deleted.inc({ table }, rows);
      if (now && clean_until) wait.set({ table }, (now.getTime() - clean_until.getTime()) / SECOND);
    }
  };
}
