import { Counter, Gauge, type Registry } from 'prom-client';
import type { ReplyUse } from '../../adapters/postgres/decisions/stored-replies.ts';
import type { RecordFaults } from '../background/record-faults.ts';

/** What this process did with replies that may be stored, copied at each scrape. */
export function replyCounters(registry: Registry, { counts }: Pick<ReplyUse, 'counts'>): void {
  new Counter({
    name: 'stancebook_stored_replies_total',
    help: 'Replies about evaluated decisions: found, or missed and then stored or not stored.',
    labelNames: ['result'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [result, count] of Object.entries(counts())) this.inc({ result }, count);
    },
  });
}

/** Read at each scrape. */
export function replyBytes(registry: Registry, { bytes }: Pick<ReplyUse, 'bytes'>) {
  const help = 'Bytes on disk of the table of stored replies, with the space that is free in it.';
  const gauge = new Gauge({ name: 'stancebook_stored_reply_bytes', help, registers: [registry] });
  return async () => gauge.set(await bytes());
}

/** Records whose views lack parts, copied at each scrape. */
export function recordFaultCounter(registry: Registry, counts: RecordFaults['counts']): void {
  new Counter({
    name: 'stancebook_faulty_records_total',
    help: 'Records that this process could not read in full, each counted once by each part that it lacks.',
    labelNames: ['part'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [part, count] of Object.entries(counts())) this.inc({ part }, count);
    },
  });
}
