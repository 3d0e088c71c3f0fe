import { setTimeout as sleep } from 'node:timers/promises';
import { BATCH } from '../../domain/limits.ts';
import type { Keys } from './accounts.ts';
import type { Client, Grade } from './client.ts';
import { eachOf } from './pool.ts';
import type { Progress } from './progress.ts';
import type { Acknowledgement } from './records.ts';

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
