import { describe, expect, test } from '@jest/globals';
import { evaluateDue } from '../../../application/grading/evaluate-due.ts';
import { verifyInstruments } from '../../../application/market/verify-instruments.ts';
import type { Ports, Storage } from '../../../application/ports.ts';
import type { EvaluationEnd, EvaluationStore } from '../../../domain/decisions/evaluation-store.ts';
import { EVALUATION } from '../../../domain/limits.ts';
import { type MarketData, OutOfReach, SourceUnavailable } from '../../../domain/market/market-data.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../domain/time.ts';
import { aDraft, aSubmission, NO_LIMITS, receiptOf } from '../../builders/decisions.ts';
import { memoryBench } from './bench.ts';

/** An hour of holding, one bar of a minute and the settle delay. */
const SETTLED = HOUR + MINUTE + 120 * SECOND;

test('a source that is down defers its records without counting an attempt, others continue, and it recovers', async () => {
  const bench = await memoryBench('BTC', 'ETH');
  const [down, up] = [await bench.submit(), await bench.submit({ symbol: 'ETH' })];
  await verifyInstruments(bench.ports);
  await bench.arrange.advance(SETTLED);
  bench.prices.failures.set('BTC', new SourceUnavailable('the line is dead'));
  const next = new Date((await bench.ports.clock.now()).getTime() + EVALUATION.sourceRetry);
  expect(await evaluateDue(bench.ports)).toEqual({ ended: 2, more: false, next });
  const last_error = 'source_unavailable: the line is dead';
  expect(await bench.read(down)).toMatchObject({
    lifecycle_state: 'verified',
    attempts: 0,
    due_at: next,
    last_error,
  });
  expect(await bench.read(up)).toMatchObject({ lifecycle_state: 'evaluated' });
  bench.prices.failures.clear();
  await bench.arrange.freeze(next);
  await evaluateDue(bench.ports);
  expect(await bench.read(down)).toMatchObject({ lifecycle_state: 'evaluated', last_error: null, attempts: 0 });
  expect(bench.reported).toEqual([]);
});

test.each([
  ['eval/1', [5, 15, 60, 360, 1_440, 1_440, 1_440, 1_440], 9, 'no_entry'],
  // Three days after the end of the window, missing minutes are minutes without trades.
  ['eval/2', [5, 15, 60, 360, 1_440, 1_440, 1_440], 7, 'no_trade'],
  ['eval/3', [5, 15, 60, 360, 1_440, 1_440, 1_440], 7, 'no_trade'],
] as const)('missing bars are waited for as long as %s says, and then no more', async (method, all, attempts, why) => {
  const bench = await memoryBench('BTC');
  const id = await bench.submit({}, { method });
  await verifyInstruments(bench.ports);
  bench.prices.behind.add('BTC');
  await bench.arrange.advance(SETTLED);
  const waits = [];
  for (;;) {
    const now = await bench.ports.clock.now();
    const { next } = await evaluateDue(bench.ports);
    if (next === null) break;
    expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'deferred', attempts: waits.length + 1 });
    waits.push((next.getTime() - now.getTime()) / MINUTE);
    await bench.arrange.freeze(next);
  }
  expect(waits).toEqual(all);
  const ended = await bench.read(id);
  expect(ended).toMatchObject({ lifecycle_state: 'data_unavailable', attempts, facts: null });
  expect(ended.last_error).toMatch(new RegExp(`^${why}: `));
});

test('a source that fails by a fault of ours is reported, and delays no other instrument', async () => {
  const bench = await memoryBench('BTC', 'ETH');
  const ids = [await bench.submit(), await bench.submit({ symbol: 'ETH' })];
  await verifyInstruments(bench.ports);
  await bench.arrange.advance(SETTLED);
  const fault = new TypeError('secret internals');
  bench.prices.failures.set('BTC', fault);
  await evaluateDue(bench.ports);
  const [broken, sound] = await Promise.all(ids.map(bench.read));
  expect(sound).toMatchObject({ lifecycle_state: 'evaluated' });
  expect(broken).toMatchObject({
    lifecycle_state: 'verified',
    attempts: 0,
    last_error: expect.stringMatching(/^fault:/),
  });
  expect(broken?.last_error).not.toContain('secret');
  expect(bench.reported).toEqual([{ fault, about: { instrument: 'crypto:BTC:COINBASE:spot:USD' } }]);
});

test('a record whose grading fails by a fault of ours is reported, and delays none of its group', async () => {
  const bench = await memoryBench('BTC');
  const sound = await bench.submit();
  const now = await bench.ports.clock.now();
  const draft = aDraft(bench.agent, now, aSubmission(now), { limits: NO_LIMITS });
  const nonsense = { ...draft, body: draft.body.replace('{', '{"invalidation":5,') };
  const { record_id } = receiptOf(await bench.ports.intake.submit(nonsense));
  await verifyInstruments(bench.ports);
  await bench.arrange.advance(SETTLED);
  await evaluateDue(bench.ports);
  expect(await bench.read(sound)).toMatchObject({ lifecycle_state: 'evaluated' });
  const due_at = new Date(now.getTime() + SETTLED + EVALUATION.faultRetry);
  expect(await bench.read(record_id)).toMatchObject({ lifecycle_state: 'verified', attempts: 0, due_at });
  expect(bench.reported).toEqual([{ fault: expect.any(TypeError), about: { record_id } }]);
});

test('a process that dies before the end loses only its lease; its late result is ignored', async () => {
  const bench = await memoryBench('BTC');
  const id = await bench.submit();
  await verifyInstruments(bench.ports);
  await bench.arrange.advance(SETTLED);
  const { evaluations, lost } = dyingBeforeTheEnd(bench.ports);
  await expect(evaluateDue({ ...bench.ports, evaluations })).rejects.toThrow('power cut');
  expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'evaluating', facts: null });
  const leaseEnd = new Date((await bench.ports.clock.now()).getTime() + EVALUATION.lease);
  expect(await evaluateDue(bench.ports)).toEqual({ ended: 0, more: false, next: leaseEnd });
  await bench.arrange.freeze(leaseEnd);
  expect(await evaluateDue(bench.ports)).toEqual({ ended: 1, more: false, next: null });
  const evaluated = await bench.read(id);
  expect(evaluated).toMatchObject({ lifecycle_state: 'evaluated', evaluated_at: leaseEnd });
  expect(lost).toHaveLength(1);
  await bench.arrange.advance(DAY);
  expect(await bench.ports.evaluations.endEvaluations(lost, await bench.ports.clock.now())).toEqual([]);
  expect(await bench.read(id)).toEqual(evaluated);
});

test('a window that the calendar ends later than it was planned is moved, and graded then', async () => {
  const bench = await memoryBench('BTC');
  const now = await bench.ports.clock.now();
  const days = { horizon_kind: 'trading_days', horizon_value: 2 } as const;
  const draft = aDraft(bench.agent, now, aSubmission(now, days), { limits: NO_LIMITS });
  const { end } = draft.plan;
  if (!('at' in end)) throw new Error('The window of full days ends at an instant');
  const early = { plan: { ...draft.plan, end: { at: end.at - DAY } }, settles_after: draft.settles_after - DAY };
  const { record_id, settles_at } = receiptOf(await bench.ports.intake.submit({ ...draft, ...early }));
  await verifyInstruments(bench.ports);
  await bench.arrange.freeze(new Date(settles_at));
  const { next } = await evaluateDue(bench.ports);
  const moved = await bench.read(record_id);
  expect(moved).toMatchObject({ lifecycle_state: 'verified', attempts: 0, end_time: new Date(end.at), due_at: next });
  expect(moved.settles_at).toEqual(next);
  await bench.arrange.freeze(moved.settles_at);
  expect(await evaluateDue(bench.ports)).toMatchObject({ ended: 1, next: null });
  const { facts } = await bench.read(record_id);
  expect(facts?.exit.time).toBe(new Date(end.at).toISOString());
});

test('a window that the calendar ends earlier than it was planned is graded to the earlier end, which the record shows', async () => {
  const bench = await memoryBench('BTC');
  const now = await bench.ports.clock.now();
  const days = { horizon_kind: 'trading_days', horizon_value: 2 } as const;
  const draft = aDraft(bench.agent, now, aSubmission(now, days), { limits: NO_LIMITS });
  const { end } = draft.plan;
  if (!('at' in end)) throw new Error('The window of full days ends at an instant');
  const late = { plan: { ...draft.plan, end: { at: end.at + DAY } }, settles_after: draft.settles_after + DAY };
  const { record_id, settles_at } = receiptOf(await bench.ports.intake.submit({ ...draft, ...late }));
  await verifyInstruments(bench.ports);
  await bench.arrange.freeze(new Date(settles_at));
  expect(await evaluateDue(bench.ports)).toMatchObject({ ended: 1, next: null });
  const { facts, end_time } = await bench.read(record_id);
  expect([facts?.exit.time, end_time.toISOString()]).toEqual(Array(2).fill(new Date(end.at).toISOString()));
});

/** The evaluations of a process that is gone when it would end its evaluations; what it would have said. */
function dyingBeforeTheEnd({ evaluations }: Storage) {
  const lost: EvaluationEnd[] = [];
  const endEvaluations = async (ends: readonly EvaluationEnd[]) => {
    lost.push(...ends);
    throw new Error('power cut');
  };
  return { lost, evaluations: { ...evaluations, endEvaluations } };
}

describe('a source that has no bars older than a week', () => {
  const WEEK = 7 * DAY;

  async function forgetful() {
    const bench = await memoryBench('BTC');
    const marketData: MarketData = {
      ...bench.prices,
      async bars(instrument, size, from, to, now) {
        if (size === '1m' && now - from > WEEK) throw new OutOfReach('gone after a week');
        return bench.prices.bars(instrument, size, from, to, now);
      },
    };
    return { ...bench, ports: { ...bench.ports, marketData } };
  }

  test('delays none of the records whose bars it has', async () => {
    const bench = await forgetful();
    const old = await Promise.all(Array.from({ length: 3 }, () => bench.submit()));
    await bench.arrange.advance(WEEK);
    const recent = await Promise.all(Array.from({ length: 6 }, () => bench.submit()));
    await verifyInstruments(bench.ports);
    await bench.arrange.advance(SETTLED);
    const { ended } = await evaluateDue(bench.ports);
    expect(ended).toBe(9);
    for (const id of recent) expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'evaluated' });
    for (const id of old) {
      expect(await bench.read(id)).toMatchObject({
        lifecycle_state: 'deferred',
        attempts: 1,
        last_error: 'out_of_reach: gone after a week',
      });
    }
    expect(bench.reported).toEqual([]);
  });

  test('is asked once whether the instrument still exists, however many groups its records are in', async () => {
    const bench = await forgetful();
    await Promise.all(Array.from({ length: 9 }, () => bench.submit()));
    await verifyInstruments(bench.ports);
    await bench.arrange.advance(WEEK + DAY);
    bench.prices.asked.length = 0;
    expect((await evaluateDue(bench.ports)).ended).toBe(9);
    expect(bench.prices.asked.filter((request) => request === 'describe BTC')).toHaveLength(1);
  });

  test('is asked again as long as the method says, and then no more', async () => {
    const bench = await forgetful();
    const id = await bench.submit();
    await verifyInstruments(bench.ports);
    await bench.arrange.advance(WEEK + DAY);
    for (let next: Date | null = await bench.ports.clock.now(); next; ) {
      await bench.arrange.freeze(next);
      next = (await evaluateDue(bench.ports)).next;
    }
    expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'data_unavailable', attempts: 9 });
  });
});

test('an instrument that is delisted while a record waits is graded by its last print', async () => {
  const bench = await memoryBench('BTC');
  const id = await bench.submit({ horizon_kind: 'trading_days', horizon_value: 10 });
  await verifyInstruments(bench.ports);
  const { settles_at } = await bench.read(id);
  const last = Math.floor((settles_at.getTime() - 5 * DAY) / DAY) * DAY;
  bench.prices.delisted.set('BTC', last);
  await bench.arrange.freeze(settles_at);
  await evaluateDue(bench.ports);
  const { facts, lifecycle_state } = await bench.read(id);
  expect(lifecycle_state).toBe('evaluated');
  expect(facts).toMatchObject({ delisted_exit: true, exit: { time: new Date(last).toISOString() } });
});

test('an instrument that the sources no longer know is graded by its stored listing', async () => {
  const bench = await memoryBench('BTC');
  const id = await bench.submit({ horizon_kind: 'trading_days', horizon_value: 2 });
  await verifyInstruments(bench.ports);
  await bench.arrange.freeze((await bench.read(id)).settles_at);
  bench.prices.known.delete('BTC');
  await bench.submit({ direction: 'bearish' });
  await verifyInstruments(bench.ports);
  // Its bars are of an hour, which settle later than the finest there could have been.
  const { next } = await evaluateDue(bench.ports);
  await bench.arrange.freeze(next ?? new Date());
  await evaluateDue(bench.ports);
  expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'evaluated' });
});

test('within a day of the verification no source is asked again whether the instrument is there', async () => {
  const bench = await memoryBench('BTC');
  await bench.submit();
  await verifyInstruments(bench.ports);
  bench.prices.asked.length = 0;
  await bench.arrange.advance(SETTLED);
  await evaluateDue(bench.ports);
  expect(bench.prices.asked).not.toContain('describe BTC');
});

describe('while an import of names is under way, by which no end of an evaluation is written', () => {
  /** An import that begins when this process asks for the nth time whether one is under way, and ends when the test ends it. */
  async function importing(nth: number) {
    const bench = await memoryBench('BTC', 'ETH');
    const ids = [await bench.submit(), await bench.submit({ symbol: 'ETH' })];
    let asked = 0;
    let isOver = false;
    const importing = (evaluations: EvaluationStore): EvaluationStore => ({
      ...evaluations,
      async mayEnd(names) {
        asked += 1;
        return asked < nth || isOver ? evaluations.mayEnd(names) : 'wait';
      },
    });
    const transaction: Ports['transaction'] = (work) =>
      bench.ports.transaction((own) => work({ ...own, evaluations: importing(own.evaluations) }));
    const ports = { ...bench.ports, evaluations: importing(bench.ports.evaluations), transaction };
    const end = () => {
      isOver = true;
    };
    return { bench, ids, ports, end };
  }

  test('nothing is claimed, and no source is asked', async () => {
    const { bench, ids, ports, end } = await importing(1);
    await verifyInstruments(bench.ports);
    await bench.arrange.advance(SETTLED);
    bench.prices.asked.length = 0;
    expect(await evaluateDue(ports)).toEqual({ ended: 0, more: false, next: null });
    for (const id of ids) expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'verified' });
    expect(bench.prices.asked).toEqual([]);
    end();
    expect(await evaluateDue(ports)).toMatchObject({ ended: 2 });
  });

  test('what was claimed before is given back, and no further source is asked', async () => {
    const { bench, ids, ports, end } = await importing(3);
    await verifyInstruments(bench.ports);
    await bench.arrange.advance(SETTLED);
    bench.prices.asked.length = 0;
    expect(await evaluateDue(ports)).toMatchObject({ more: false, next: null });
    expect(new Set(bench.prices.asked.map((request) => request.split(' ')[1])).size).toBe(1);
    const now = await bench.ports.clock.now();
    const left = (await Promise.all(ids.map(bench.read))).filter((each) => each.lifecycle_state === 'evaluating');
    expect(left.map(({ due_at }) => due_at)).toEqual([now]);
    end();
    await evaluateDue(ports);
    for (const id of ids) expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'evaluated' });
  });

  test.each([1, 2, 3])('no instrument is verified, however late it began: %p', async (nth) => {
    const { bench, ids, ports, end } = await importing(nth);
    expect(await verifyInstruments(ports)).toBe(false);
    for (const id of ids) expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'pending_verify' });
    if (nth === 1) expect(bench.prices.asked).toEqual([]);
    end();
    await verifyInstruments(ports);
    for (const id of ids) expect(await bench.read(id)).toMatchObject({ lifecycle_state: 'verified' });
  });
});
