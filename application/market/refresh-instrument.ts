import { randomUUID } from 'node:crypto';
import {
  type Instrument,
  type InstrumentAsSent,
  instrumentKey,
  namedInstrument,
} from '../../domain/market/instrument.ts';
import { Problem } from '../../domain/problem.ts';
import type { Ports } from '../ports.ts';

/** The reply to a request to verify an instrument again (settled.md section 12). */
export interface RefreshReply {
  readonly instrument: Instrument;
  /** `already_queued`: it was requested before, and is not done yet. */
  readonly status: 'queued' | 'already_queued';
  /** The id of the refresh that will run. */
  readonly job_id: string;
}

/**
 * Verifies an instrument again at once, whatever is known of it, and tries its failed records again: `rejected` ones
 * wait for the verification, the next sweep evaluates `data_unavailable` ones (interface.md 4.1, settled.md section 5).
 * All or nothing. The instrument may be unknown, also on a venue or in a quote that is not supported (any more): its
 * records, if any, are of an earlier configuration.
 * @param actor who asked, for the audit log
 * @throws Problem VALIDATION_ERROR (400) naming every field that no instrument can have
 */
export async function refreshInstrument(
  { transaction, clock }: Pick<Ports, 'transaction' | 'clock'>,
  sent: InstrumentAsSent,
  actor: string,
): Promise<RefreshReply> {
  const instrument = instrumentOf(sent);
  const own = randomUUID();
  const now = await clock.now();
  return transaction(async ({ instruments, verification, jobs, audit }) => {
    const job_id = await instruments.requestRefresh({ instrument, job_id: own }, now);
    const status = job_id === own ? 'queued' : 'already_queued';
    const revived = await verification.revive(instrument, now);
    await jobs.enqueue('verify-instruments');
    if (revived.data_unavailable > 0) await jobs.enqueue('evaluate-due');
    const entry = { actor, action: 'refresh_instrument', subject: instrumentKey(instrument) };
    await audit.append({ ...entry, detail: { job_id, status, revived } });
    return { instrument, status, job_id };
  });
}

function instrumentOf(sent: InstrumentAsSent): Instrument {
  const instrument = namedInstrument(sent);
  if (!Array.isArray(instrument)) return instrument;
  const fields = instrument.map(({ path }) => path).join(', ');
  throw new Problem('VALIDATION_ERROR', `No instrument can have this identity: ${fields}.`, { details: instrument });
}
