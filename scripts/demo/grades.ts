import { setTimeout as sleep } from 'node:timers/promises';
import { isProved, verifyFile } from '../../clients/typescript/verify/verify-file.ts';
import { publicEvaluationTime } from '../../domain/decisions/views/public-views.ts';
import { RESULT_BUCKETS } from '../../domain/grading/outcome.ts';
import { BATCH } from '../../domain/limits.ts';
import type { Cast, Keys } from './agents.ts';
import type { Client, Grade } from './client.ts';
import type { Planned } from './plan.ts';
import { eachOf, type Journal, type Progress, REPLAYABLE } from './submissions.ts';

const WIDTHS = [12, 9, 14, 12, 14, 16];

/** By record id. */
export type Grades = ReadonlyMap<string, Grade>;

const AT_ONCE = 4;
const PAUSE = 500;
/** Rounds without a new grade, after which the demo reports what the rest waits for. */
const MAX_IDLE_ROUNDS = 120;

/** Reads the records in batches until all are graded. @throws Error with the obstacle when no grades arrive */
export async function awaitGrades(
  { client, keys, progress }: { client: Client; keys: Keys; progress: Progress },
  records: readonly Acknowledgement[],
): Promise<Grades> {
  const grades = new Map<string, Grade>();
  for (let idle = 0; ; idle++) {
    const before = grades.size;
    await eachOf(batchesOf(records.filter(({ record_id }) => !grades.has(record_id))), AT_ONCE, async (batch) => {
      const ids = batch.map(({ record_id }) => record_id);
      for (const item of await client.batch(keys.get(batch[0]?.agent ?? '') ?? '', ids)) {
        if (item.status === 'found') grades.set(item.record_id, item.decision);
      }
    });
    progress.show(grades.size, records.length, 'graded');
    if (grades.size === records.length) return grades;
    if (grades.size > before) idle = 0;
    if (idle >= MAX_IDLE_ROUNDS) throw new Error(await obstacle(client, keys, records, grades));
    await sleep(PAUSE);
  }
}

function batchesOf(records: readonly Acknowledgement[]): (readonly Acknowledgement[])[] {
  const perAgent = [...Map.groupBy(records, ({ agent }) => agent).values()];
  return perAgent.flatMap((own) =>
    Array.from({ length: Math.ceil(own.length / BATCH.records) }, (_, n) =>
      own.slice(n * BATCH.records, (n + 1) * BATCH.records),
    ),
  );
}

async function obstacle(client: Client, keys: Keys, records: readonly Acknowledgement[], grades: Grades) {
  const open = records.filter(({ record_id }) => !grades.has(record_id));
  const [first] = open;
  if (!first) return 'Every record is graded.';
  const { state, evaluation } = await client.state(keys.get(first.agent) ?? '', first.record_id);
  return `${open.length} records are not graded. ${first.record_id} is ${state}: ${evaluation.last_error ?? 'it waits'}`;
}

/** Raw counts per agent, in the order of the list: facts without rates or rankings. */
export function bucketTable({ agents }: Cast, records: readonly Acknowledgement[], grades: Grades): string {
  const rows = agents.map(({ name, about }) => {
    const own = records.filter(({ agent }) => agent === name);
    const counts = RESULT_BUCKETS.map(
      (bucket) => own.filter(({ record_id }) => grades.get(record_id)?.result_bucket === bucket).length,
    );
    return [name, ...[own.length, ...counts].map(String), about];
  });
  const head = ['agent', 'decisions', ...RESULT_BUCKETS, 'what it does'];
  return [head, ...rows].map((cells) => line(cells)).join('\n');
}

function line(cells: readonly string[]): string {
  return cells
    .map((cell, column) => {
      const width = WIDTHS[column] ?? 0;
      return column === 0 || width === 0 ? cell.padEnd(width) : cell.padStart(width);
    })
    .join('  ');
}

/**
 * The receipts of one submission and of its grade, checked as anybody can check them.
 * @throws Error with the lines of the verifier when one is not proved
 */
export async function receiptsInWords(
  client: Client,
  keys: Keys,
  [record]: readonly Acknowledgement[],
): Promise<string> {
  if (!record) return 'there is no record to prove';
  const { agent, record_id } = record;
  const receipts = await client.receipts(keys.get(agent) ?? '', record_id);
  const policy = await client.logPolicy();
  const checked = await Promise.all(receipts.map((receipt) => verifyFile(receipt, policy, receipts)));
  const lines = checked.flat();
  const failed = lines.filter(({ verdict }) => verdict === 'FAILS');
  if (failed.length > 0 || !checked.every(isProved))
    throw new Error(`A receipt of ${record_id}: ${JSON.stringify(lines)}`);
  const held = new Set(lines.flatMap(({ verdict, subject }) => (verdict === 'holds' ? [subject] : [])));
  return `the log has ${record_id} and its grade, signed; of both receipts hold: ${[...held].join(', ')}`;
}

/** An acknowledged decision of the plan. */
export interface Acknowledgement extends Planned {
  readonly record_id: string;
}

export function acknowledgedOf(plan: readonly Planned[], { acknowledged }: Journal): readonly Acknowledgement[] {
  return plan.flatMap((planned) => {
    const record_id = acknowledged.get(planned.key);
    return record_id === undefined ? [] : [{ ...planned, record_id }];
  });
}

export interface Verification {
  readonly records: number;
  /** How many were submitted again and answered with their existing record. */
  readonly replayed: number;
  readonly faults: readonly string[];
}

const VERIFIED_AT_ONCE = 8;

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
  await eachOf(records, VERIFIED_AT_ONCE, async (record) => {
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
