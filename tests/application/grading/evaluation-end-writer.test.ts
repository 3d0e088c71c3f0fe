import { expect, test } from '@jest/globals';
import { evaluationEndWriter } from '../../../application/grading/evaluate-due.ts';
import { type EvaluationEnd, RefusedEnds } from '../../../domain/decisions/evaluation-store.ts';
import { EVALUATION } from '../../../domain/limits.ts';
import { memoryBench } from './bench.ts';

test('an end is written at once; those that arrive meanwhile are written together, and each is counted once', async () => {
  const { ports, batches, release } = await slowStore();
  const ending = evaluationEndWriter(ports);
  ending.add([end('a'), end('b')]);
  await turn();
  expect(batches).toEqual([['a', 'b']]);
  ending.add([end('c')]);
  ending.add([end('d'), end('e')]);
  await turn();
  expect(batches).toHaveLength(1);
  release();
  expect(await ending.finish()).toBe(5);
  expect(batches).toEqual([
    ['a', 'b'],
    ['c', 'd', 'e'],
  ]);
});

test('with nothing to write nothing is written', async () => {
  const { ports, batches } = await slowStore();
  const ending = evaluationEndWriter(ports);
  ending.add([]);
  expect(await ending.finish()).toBe(0);
  expect(batches).toEqual([]);
});

test('a fault is thrown at the end, and nothing is written after it', async () => {
  const { ports, batches, release } = await slowStore(new Error('the disk is full'));
  release();
  const ending = evaluationEndWriter(ports);
  ending.add([end('a')]);
  await turn();
  expect(ending.add([end('b')])).toBe(false);
  await expect(ending.finish()).rejects.toThrow('the disk is full');
  expect(batches).toEqual([['a']]);
});

test('an end that the storage refuses is reported and waits as for any fault, and no other end waits for it', async () => {
  const { ports } = await memoryBench();
  const stored: EvaluationEnd[] = [];
  const reported: unknown[] = [];
  const namesSent = new Set<number | undefined>();
  const endEvaluations = async (ends: readonly EvaluationEnd[], _: Date, names?: number) => {
    namesSent.add(names);
    if (ends.some(({ record_id, result }) => record_id === 'c' && result.kind !== 'postponed')) throw new RefusedEnds();
    stored.push(...ends);
    return ends.map(({ record_id }) => record_id);
  };
  const report = (_: unknown, about: unknown) => reported.push(about);
  const ending = evaluationEndWriter({ ...ports, report, evaluations: { ...ports.evaluations, endEvaluations } }, 7);
  ending.add(['a', 'b', 'c', 'd', 'e'].map(end));
  expect(await ending.finish()).toBe(5);
  expect(reported).toEqual([{ record_id: 'c' }]);
  expect([...namesSent]).toEqual([7]);
  const until = new Date((await ports.clock.now()).getTime() + EVALUATION.faultRetry);
  expect(stored.toSorted((a, b) => (a.record_id < b.record_id ? -1 : 1))).toEqual([
    ...[end('a'), end('b')],
    { ...end('c'), result: { kind: 'postponed', reason: 'fault', until, detail: expect.any(String) } },
    ...[end('d'), end('e')],
  ]);
});

/** Writes nothing before it is released, then everything. */
async function slowStore(fault?: Error) {
  const { ports } = await memoryBench();
  const gate = Promise.withResolvers<void>();
  const batches: string[][] = [];
  const endEvaluations = async (ends: readonly EvaluationEnd[]) => {
    const ids = ends.map(({ record_id }) => record_id);
    batches.push(ids);
    await gate.promise;
    if (fault) throw fault;
    return ids;
  };
  return { ports: { ...ports, evaluations: { ...ports.evaluations, endEvaluations } }, batches, release: gate.resolve };
}

function end(record_id: string): EvaluationEnd {
  const result = { kind: 'data_unavailable', reason: 'no_print', detail: '' } as const;
  return { record_id, token: '', result, retry_at: null };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
