import { publicEvaluationTime } from '../../domain/decisions/views/public-views.ts';
import type { Keys } from './agents.ts';
import type { Client } from './client.ts';
import type { Acknowledgement, Grades } from './grades.ts';
import { eachOf, type Journal, type Progress, REPLAYABLE } from './submissions.ts';

export interface Verification {
  readonly records: number;
  /** How many were submitted again and answered with their existing record. */
  readonly replayed: number;
  readonly faults: readonly string[];
}

const AT_ONCE = 8;

/**
 * Checks through the service that each acknowledged record is stored once and graded: its state is closed with the same
 * grade as before, no two keys lead to one record, and a key that is sent again leads to its first record.
 */
export async function verify(
  { client, keys, journal, progress }: { client: Client; keys: Keys; journal: Journal; progress: Progress },
  records: readonly Acknowledgement[],
  grades: Grades,
): Promise<Verification> {
  const ids = new Set(records.map(({ record_id }) => record_id));
  const faults =
    ids.size === records.length ? [] : [`${records.length - ids.size} keys share a record with another key`];
  let [seen, replayed] = [0, 0];
  await eachOf(records, AT_ONCE, async (record) => {
    const fault = await stateFault(client, keys, record, grades);
    if (fault) faults.push(`${record.record_id} ${fault}`);
    if (Date.now() - (journal.sent.get(record.key) ?? 0) < REPLAYABLE) {
      const replay = await client.submit(keys.get(record.agent) ?? '', record.key, record.submission);
      if (replay.record_id !== record.record_id) faults.push(`${record.key} led to ${replay.record_id} as well`);
      if (!replay.replayed) faults.push(`${record.key} was accepted a second time`);
      replayed += 1;
    }
    progress.show(++seen, records.length, 'verified');
  });
  return { records: records.length, replayed, faults };
}

async function stateFault(client: Client, keys: Keys, { agent, record_id }: Acknowledgement, grades: Grades) {
  const { state, outcome, evaluation } = await client.state(keys.get(agent) ?? '', record_id);
  const grade = grades.get(record_id);
  if (state !== 'closed' || !outcome) return `is ${state}`;
  if (outcome.result_bucket !== grade?.result_bucket)
    return `is ${outcome.result_bucket} and was ${grade?.result_bucket}`;
  const evaluatedAt = publicEvaluationTime(new Date(evaluation.evaluated_at ?? 0)).getTime();
  if (evaluatedAt !== Date.parse(grade.evaluated_at)) return `was graded again at ${evaluation.evaluated_at}`;
  return null;
}
