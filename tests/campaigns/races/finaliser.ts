import type { PostgresStorage } from '../../../adapters/postgres/storage.ts';
import { gradedOf } from '../stage/graded.ts';
import { now } from './client.ts';
import type { Finalisation } from './history.ts';

const FAR = new Date('2999-01-01T00:00:00.000Z');

/**
 * Ends evaluations while requests are served. It verifies and claims submitted records, and several processes with the same
 * leases end them: one may succeed for each record.
 */
export async function finalise(
  storages: readonly PostgresStorage[],
  most: number,
  underWay: () => boolean,
): Promise<readonly Finalisation[]> {
  const [first] = storages;
  if (!first) throw new Error('There must be at least one storage.');
  const done: Finalisation[] = [];
  for (let last = false; !last; ) {
    last = !underWay();
    for (const instrument of await first.verification.awaitingVerification(FAR, 100)) {
      await first.verification.settleVerification(instrument, 'verified');
    }
    const claimed = await first.evaluations.claimDue(FAR, FAR, most);
    const at = await first.clock.now();
    const owners = new Map(claimed.map(({ decision }) => [decision.record_id, decision.owner_id]));
    const ends = claimed.map(({ decision: { record_id }, token }, n) => {
      return { record_id, token, result: gradedOf(record_id, 100 + n / 8, at), retry_at: null };
    });
    const ended = await Promise.all(
      storages.map(async ({ evaluations }): Promise<Finalisation> => {
        const started = now();
        const records = await evaluations.endEvaluations(ends, at);
        const own = records.map((record_id) => ({ record_id, owner_id: owners.get(record_id) ?? '' }));
        return { started, ended: now(), records: own };
      }),
    );
    done.push(...ended);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return done;
}
