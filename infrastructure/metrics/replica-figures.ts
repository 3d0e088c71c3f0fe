import { Counter, Gauge, type Registry } from 'prom-client';
import type { ReplicaUse } from '../../adapters/postgres/kit/replica-use.ts';

/** Reads of this process that may go to a replica, copied at each scrape. */
export function replicaReads(registry: Registry, { reads }: Pick<ReplicaUse, 'reads'>): void {
  new Counter({
    name: 'stancebook_replica_reads_total',
    help: 'Reads that may go to the replica, by the server that answered and, for the primary, the reason.',
    labelNames: ['answered_by', 'reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { answered_by, reason, count } of reads()) this.inc({ answered_by, reason }, count);
    },
  });
}

/** Read at each scrape; NaN when it is unknown. */
export function replicaLag(registry: Registry, { lag }: Pick<ReplicaUse, 'lag'>) {
  const help =
    "Bytes of the primary's log that the replica has not replayed; NaN: not reachable, or of another primary.";
  const gauge = new Gauge({ name: 'stancebook_replica_lag_bytes', help, registers: [registry] });
  return async () => gauge.set((await lag()) ?? Number.NaN);
}
