import { Counter, type Registry } from 'prom-client';
import type { Ports } from '../../application/ports.ts';

export interface VerificationCounter {
  /** The same announcement; the rejected records are counted. */
  countedUnverified(announce: Ports['announceUnverified']): Ports['announceUnverified'];
}

/** Counts the records that this process rejected because no source could verify their instrument in time. */
export function verificationCounter(registry: Registry): VerificationCounter {
  const rejected = new Counter({
    name: 'stancebook_unverified_records_total',
    help: 'Records that were rejected because no source could verify their instrument in time.',
    registers: [registry],
  });
  return {
    countedUnverified: (announce) => (instrument, records) => {
      rejected.inc(records);
      announce(instrument, records);
    },
  };
}
