import { beforeAll, expect, test } from '@jest/globals';
import type { AgentStore } from '../../domain/accounts/keys/agent-store.ts';
import type { EvaluationStore } from '../../domain/decisions/evaluation-store.ts';
import type { OwnerRecords } from '../../domain/decisions/own/owner-records.ts';
import { removedWhileUsed } from './accounts/agent-store.ts';
import { type OpenedDatabase, onPostgres } from './decisions/adapters.ts';
import { benchOn } from './decisions/bench.ts';
import { evaluateAll } from './decisions/evaluated.ts';
import { found } from './decisions/intake-acceptance.ts';
import { bothSurvive } from './owner-records/archiving.ts';
import { EVERYTHING } from './owner-records/filters.ts';
import { inPages } from './owner-records/listing.ts';
import { aPopulation, type Population } from './owner-records/population.ts';

// The checks of lists and marks must be able to fail.

let opened: OpenedDatabase;
const bench = benchOn({
  name: 'postgres',
  async open() {
    opened = await onPostgres(10);
    return opened;
  },
});
let population: Population;
beforeAll(async () => {
  population = await aPopulation(bench);
});

test('pages by the time alone skip records of the same millisecond', async () => {
  const { owner_id } = population;
  const { ownerRecords } = bench.storage();
  const byTime: OwnerRecords['list'] = async (owner, filter, after, limit) =>
    (await ownerRecords.list(owner, filter, null, 1_000))
      .filter(({ submission_time }) => after === null || submission_time < after.submission_time)
      .slice(0, limit);
  const all = await inPages(ownerRecords.list, owner_id, EVERYTHING, 3);
  expect((await inPages(byTime, owner_id, EVERYTHING, 3)).length).toBeLessThan(all.length);
});

test('a removal that looks for records, then removes, leaves records without an agent', async () => {
  const naive: AgentStore['remove'] = async (owner_id, agent_id) => {
    const records = await bench.storage().ownerData.recordIds(owner_id, null, 1);
    await new Promise((resolve) => setTimeout(resolve, 500));
    if (records.length === 0) await opened.owner.query('delete from app.agents where agent_id = $1', [agent_id]);
    return null;
  };
  const { isThere, records } = await removedWhileUsed(bench, naive, 0);
  expect([isThere, records > 0]).toEqual([false, true]);
});

test('a mark that writes back what it has read loses outcomes', async () => {
  await opened.owner.query('alter table app.decisions disable trigger keep_state');
  await evaluateAll(bench);
  const [read, ended] = [steps(), steps()];
  let written = Promise.resolve();
  const readThenWrite: OwnerRecords['archive'] = async (_, record_id) => {
    const { lifecycle_state, due_at } = await found(bench, record_id);
    read.of(record_id).resolve();
    await ended.of(record_id).promise;
    const put = `update app.decisions set archived_at = app.now(), lifecycle_state = $2, due_at = $3,
      eval_token = case when $2 = 'evaluating' then gen_random_uuid() end where record_id = $1`;
    written = written.then(async () => {
      await opened.owner.query(put, [record_id, lifecycle_state, due_at]);
    });
    await written;
    return true;
  };
  const storage = bench.storage();
  const endEvaluations: EvaluationStore['endEvaluations'] = async (ends, now) => {
    for (const { record_id } of ends) await read.of(record_id).promise;
    const done = await storage.evaluations.endEvaluations(ends, now);
    for (const { record_id } of ends) ended.of(record_id).resolve();
    return done;
  };
  const inOrder = { ...storage, evaluations: { ...storage.evaluations, endEvaluations } };
  expect(await bothSurvive({ ...bench, storage: () => inOrder }, readThenWrite)).toBe(false);
});

/** For each record a step that is reached once. */
function steps() {
  const reached = new Map<string, PromiseWithResolvers<void>>();
  return {
    of(record_id: string): PromiseWithResolvers<void> {
      const step = reached.get(record_id) ?? Promise.withResolvers<void>();
      reached.set(record_id, step);
      return step;
    },
  };
}
