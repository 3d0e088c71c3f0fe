import { expect, test } from '@jest/globals';
import { canonicalJson } from '../../../adapters/formats/canonical-json.ts';
import { gradeRows } from '../../../application/backtests/grade-rows.ts';
import { exportSet, readSet } from '../../../application/backtests/read-sets.ts';
import { receiveRows, type SentBatch } from '../../../application/backtests/receive-rows.ts';
import { evaluateDue } from '../../../application/grading/evaluate-due.ts';
import { verifyInstruments } from '../../../application/market/verify-instruments.ts';
import type { BacktestCall, ClaimedRows, RowEnd } from '../../../domain/backtests/backtest.ts';
import { RefusedEnds } from '../../../domain/decisions/evaluation-store.ts';
import { BACKTEST, VERIFICATION } from '../../../domain/limits.ts';
import { type MarketData, OutOfReach, SourceUnavailable } from '../../../domain/market/market-data.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../domain/time.ts';
import { ABOUT, aPastCall } from '../../builders/backtests.ts';
import { memoryBench } from '../grading/bench.ts';

const BEGUN = new Date('2025-06-02T08:00:00.000Z');
/** An hour of holding, one bar of a minute and the settle delay. */
const SETTLED = HOUR + MINUTE + 120 * SECOND;

async function bench(...symbols: readonly string[]) {
  const own = await memoryBench(...symbols);
  const ports = { ...own.ports, canonicalJson };
  const { owner_id, agent_id } = own.agent;
  const set = { owner_id, agent_id, name: 'one' };
  const send = (calls: Readonly<Record<string, Partial<BacktestCall>>>, changes: Partial<SentBatch> = {}) =>
    receiveRows(ports, {
      ...{ ...set, about: ABOUT, network: 'a' },
      rows: Object.entries(calls).map(([external_id, call]) => ({ external_id, call: aPastCall(BEGUN, call) })),
      ...changes,
    });
  const rows = async () => {
    const found = await ports.backtests.find(set);
    return found ? ports.backtests.rows(found.set_id, null, 100) : [];
  };
  return { ...own, ports, send, rows };
}

test('a row has the outcome, and the time, of a decision that was submitted then', async () => {
  const { ports, send, rows, submit, read, arrange } = await bench('BTC');
  expect(await send({ a: { confidence: 0.7 } })).toEqual({ accepted: 1, repeated: 0, refused: [] });
  expect(await gradeRows(ports)).toEqual({ ended: 1, next: null });
  const [row] = await rows();
  expect(row).toMatchObject({ known_at: new Date(BEGUN.getTime() + SETTLED), record_group: 'weak_correct' });
  expect(row?.outcome).not.toHaveProperty('bars');
  await arrange.freeze(BEGUN);
  const record_id = await submit({ data_cutoff: BEGUN.toISOString() });
  await verifyInstruments(ports);
  await arrange.advance(SETTLED);
  await evaluateDue(ports);
  const { facts, result_bucket, created_regime, owner_facts } = await read(record_id);
  expect(row?.outcome).toEqual({ facts, result_bucket, created_regime, owner_facts });
});

test('a row is known as late as a live decision would have waited, and ends when that would have given up', async () => {
  const { ports, send, rows, prices } = await bench('BTC');
  prices.behind.add('BTC');
  await send({ a: {} });
  expect(await gradeRows(ports)).toEqual({ ended: 1, next: null });
  expect(await rows()).toMatchObject([{ record_group: 'unavailable', ungraded: 'no_trade', outcome: null }]);
});

test('a row whose prices have not settled waits until they have', async () => {
  const { ports, send, rows, arrange } = await bench('BTC');
  const now = await ports.clock.now();
  const begun = new Date(now.getTime() - HOUR);
  await send({ a: { data_cutoff: begun.toISOString() } });
  const settles = new Date(begun.getTime() + SETTLED);
  expect(await gradeRows(ports)).toEqual({ ended: 0, next: settles });
  await arrange.freeze(settles);
  expect(await gradeRows(ports)).toEqual({ ended: 1, next: null });
  expect(await rows()).toMatchObject([{ known_at: settles }]);
});

test('a row that a live decision would wait for, too, is not one that clients wait for', async () => {
  const { ports, agent, send, rows, prices, arrange } = await bench('BTC');
  prices.behind.add('BTC');
  const now = await ports.clock.now();
  await send({ a: { data_cutoff: new Date(now.getTime() - SETTLED).toISOString() } });
  const { next } = await gradeRows(ports);
  const set = { owner_id: agent.owner_id, agent_id: agent.agent_id, name: 'one' };
  expect(await readSet(ports, set)).toMatchObject({ pending_count: 1, ungraded_yet: 0 });
  expect(await rows()).toMatchObject([{ settles_at: next, last_error: expect.stringContaining('not_settled') }]);
  await arrange.freeze(next ?? BEGUN);
  expect(await readSet(ports, set)).toMatchObject({ pending_count: 1, ungraded_yet: 1 });
});

test('a row that the storage refuses is reported, and holds up no other', async () => {
  const { ports, agent, send, rows, arrange } = await bench('BTC');
  await send({ a: {}, bad: { data_cutoff: new Date(BEGUN.getTime() + DAY).toISOString() }, c: {} });
  const bad = (await rows()).find(({ external_id }) => external_id === 'bad')?.row_id;
  const reported: unknown[] = [];
  const refusing = {
    ...ports,
    report: (error: unknown) => void reported.push(error),
    backtests: {
      ...ports.backtests,
      async end(claimed: ClaimedRows, ends: readonly RowEnd[]) {
        const isBad = ends.some(({ record_id, result }) => record_id === String(bad) && result.kind === 'evaluated');
        if (isBad) throw new RefusedEnds('refused');
        return ports.backtests.end(claimed, ends);
      },
    },
  };
  for (let count = 0; count < 5; count += 1) {
    const { next } = await gradeRows(refusing);
    if (next) await arrange.freeze(next);
  }
  const set = { owner_id: agent.owner_id, agent_id: agent.agent_id, name: 'one' };
  expect(await readSet(ports, set)).toMatchObject({ evaluated_count: 2, pending_count: 1 });
  expect(reported[0]).toBeInstanceOf(RefusedEnds);
});

test('bars of an instrument are read once for all of its rows', async () => {
  const { ports, send, prices } = await bench('BTC', 'ETH');
  const hours = Array.from({ length: 20 }, (_, n) => [
    ...[
      `r${n}`,
      { symbol: n % 2 ? 'BTC' : 'ETH', data_cutoff: new Date(BEGUN.getTime() + n * 20 * MINUTE).toISOString() },
    ],
  ]);
  await send(Object.fromEntries(hours));
  prices.asked.length = 0;
  await gradeRows(ports);
  const once = (symbol: string) => [`1m ${symbol}`, `describe ${symbol}`];
  expect(prices.asked.filter((each) => !each.startsWith('1d')).toSorted()).toEqual(
    [...once('BTC'), ...once('ETH')].toSorted(),
  );
});

test('a claim is held while sources are asked: rows that take them longer than a lease are graded once', async () => {
  const { ports, send, rows, arrange } = await bench('BTC');
  const { marketData } = ports;
  const others: unknown[] = [];
  const slow: MarketData = {
    ...marketData,
    async bars(...asked) {
      await arrange.advance((BACKTEST.lease * 3) / 4);
      const now = await ports.clock.now();
      others.push(await ports.backtests.claim(now, new Date(now.getTime() + BACKTEST.lease), BACKTEST.batch));
      return marketData.bars(...asked);
    },
  };
  await send({ a: {}, b: { data_cutoff: new Date(BEGUN.getTime() + 30 * DAY).toISOString() } });
  expect(await gradeRows({ ...ports, marketData: slow })).toMatchObject({ ended: 2 });
  expect(others.length).toBeGreaterThan(2);
  expect(others.filter((other) => other !== null)).toEqual([]);
  expect(await rows()).toMatchObject([{ record_group: 'weak_correct' }, { record_group: 'weak_correct' }]);
});

test('an instrument that no source knows ends its rows at once as rejected; a source that is down delays its own', async () => {
  const { ports, agent, send, rows, prices, arrange } = await bench('BTC', 'ETH');
  prices.known.delete('ETH');
  prices.failures.set('BTC', new SourceUnavailable('the line is dead'));
  await send({ a: {}, b: { symbol: 'ETH' } });
  const set = { owner_id: agent.owner_id, agent_id: agent.agent_id, name: 'one' };
  expect(await readSet(ports, set)).toMatchObject({ ungraded_yet: 2, tried_again: 0 });
  const { next } = await gradeRows(ports);
  expect(await readSet(ports, set)).toMatchObject({ ungraded_yet: 1, tried_again: 1 });
  expect(await rows()).toMatchObject([
    { external_id: 'a', record_group: 'pending', last_error: 'source_unavailable: the line is dead' },
    { external_id: 'b', record_group: 'unavailable', ungraded: 'rejected' },
  ]);
  prices.failures.clear();
  await arrange.freeze(next ?? BEGUN);
  await gradeRows(ports);
  expect((await rows())[0]).toMatchObject({ record_group: 'weak_correct', last_error: null });
});

test.each([
  ['no source could verify', 'rejected', false],
  ['was verified', 'out_of_reach', true],
])(
  'rows of an instrument that %s end as %s once no source has answered for 8 days',
  async (_, ungraded, isVerified) => {
    const { ports, send, rows, prices, arrange } = await bench('BTC');
    if (isVerified) {
      await send({ early: {} });
      await gradeRows(ports);
    }
    prices.failures.set('BTC', new SourceUnavailable('the line is dead'));
    await send({ a: { data_cutoff: new Date(BEGUN.getTime() + DAY).toISOString() } });
    const received = await ports.clock.now();
    const last = async () => (await rows()).at(-1);
    for (
      let next: Date | null = received;
      next !== null && next.getTime() - received.getTime() < VERIFICATION.patience;
    ) {
      await arrange.freeze(next);
      const sweep: Awaited<ReturnType<typeof gradeRows>> = await gradeRows(ports);
      expect(await last()).toMatchObject({
        record_group: 'pending',
        last_error: 'source_unavailable: the line is dead',
      });
      next = new Date(next.getTime() + Math.max(DAY, Number(sweep.next) - next.getTime()));
    }
    await arrange.freeze(new Date(received.getTime() + VERIFICATION.patience));
    expect(await gradeRows(ports)).toMatchObject({ next: null });
    expect(await last()).toMatchObject({ external_id: 'a', record_group: 'unavailable', ungraded });
    expect((await last())?.last_error).toContain('within 8 days. The last attempt: the line is dead');
  },
);

test('a row whose bars no source has any more is tried a few times, and then ends', async () => {
  const { ports, send, rows, prices, arrange } = await bench('BTC');
  prices.failures.set('BTC', new OutOfReach('too old'));
  await send({ a: {} });
  let tries = 0;
  for (let { next } = await gradeRows(ports); next; { next } = await gradeRows(ports)) {
    tries += 1;
    await arrange.freeze(next);
  }
  expect(tries + 1).toBe(BACKTEST.tries);
  expect(await rows()).toMatchObject([{ record_group: 'unavailable', ungraded: 'out_of_reach' }]);
});

test('records come first: while any is due, one claim is graded and the next one waits', async () => {
  const { ports, send, submit, arrange } = await bench('BTC', 'ETH');
  await submit();
  await verifyInstruments(ports);
  await arrange.advance(SETTLED);
  await send({ a: {}, b: { symbol: 'ETH' } });
  const next = new Date((await ports.clock.now()).getTime() + BACKTEST.behind);
  expect(await gradeRows(ports)).toEqual({ ended: 1, next });
  await evaluateDue(ports);
  expect(await gradeRows(ports)).toEqual({ ended: 1, next: null });
});

test('faulty rows are refused one by one; of an id sent again the same row is repeated and another one refused', async () => {
  const { send, rows } = await bench('BTC');
  await send({ a: {}, b: {} });
  const far = new Date(Date.now() + 3_650 * DAY).toISOString();
  const reply = await send({
    ...{ a: {}, b: { direction: 'bearish' }, c: { direction: 'bearish' }, d: { horizon_value: 31_536_000 } },
    ...{
      e: { summary: 'x'.repeat(2_000) },
      f: { venue: 'NOWHERE' },
      g: { model: { knowledge_cutoff: far.slice(0, 10) } },
    },
  });
  expect(reply).toMatchObject({ accepted: 1, repeated: 1 });
  expect(
    reply.refused.map(({ row, external_id, details }) => [row, external_id, details.map(({ path }) => path)]),
  ).toEqual([
    [1, 'b', ['external_id']],
    [3, 'd', ['horizon_value']],
    [4, 'e', ['']],
    [5, 'f', ['venue']],
    [6, 'g', ['model.knowledge_cutoff']],
  ]);
  expect((await rows()).map(({ external_id }) => external_id)).toEqual(['a', 'b', 'c']);
});

/** How many rows at most were worked on between two turns of others, as `each` is called for each. */
async function mostBetweenTurns(work: (each: () => void) => Promise<unknown>): Promise<number> {
  let [isOver, most, now] = [false, 0, 0];
  const turn = () => {
    now = 0;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work(() => {
    now += 1;
    most = Math.max(most, now);
  });
  isOver = true;
  return most;
}

test('requests are answered while the rows of another are judged, and their shapes', async () => {
  const { send } = await bench('BTC');
  const most = await mostBetweenTurns((each) => {
    const rows = function* () {
      for (let n = 0; n < 500; n += 1) {
        each();
        yield { external_id: `r${n}`, call: aPastCall(BEGUN) };
      }
    };
    return send({}, { rows: rows() });
  });
  expect(most).toBe(BACKTEST.slice);
});

test('requests are answered while windows are planned, and graded', async () => {
  const { ports, send } = await bench('BTC');
  await send(Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`r${n}`, {}])));
  let read = 0;
  const most = await mostBetweenTurns((each) => {
    const claim: typeof ports.backtests.claim = async (...asked) => {
      const claimed = await ports.backtests.claim(...asked);
      const rows = claimed?.rows.map(({ decision, ...row }) => {
        const { submission, ...rest } = decision;
        return {
          ...row,
          decision: {
            ...rest,
            get submission() {
              read += 1;
              each();
              return submission;
            },
          },
        };
      });
      return claimed && rows ? { ...claimed, rows } : null;
    };
    return gradeRows({ ...ports, backtests: { ...ports.backtests, claim } });
  });
  expect(read).toBeGreaterThanOrEqual(60);
  expect(most).toBeLessThanOrEqual(10);
});

test('a copy of a set that is deleted meanwhile does not end as a whole one', async () => {
  const { ports, agent, send } = await bench('BTC');
  await send({ a: {}, b: {} });
  const set = { owner_id: agent.owner_id, agent_id: agent.agent_id, name: 'one' };
  const copied = async (meanwhile: () => Promise<unknown>) => {
    const types: unknown[] = [];
    for await (const piece of exportSet(ports, set)) {
      if (types.length === 0) await meanwhile();
      for (const line of piece.trim().split('\n')) types.push(JSON.parse(line).type);
    }
    return types;
  };
  expect(await copied(async () => null)).toEqual(['set', 'row', 'row', 'complete']);
  const deleted = copied(async () => {
    await ports.backtests.remove(set);
    await ports.backtests.prune(BACKTEST.pruned);
    await send({ other: {} });
  });
  await expect(deleted).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('an id that is twice in one request is repeated, or refused with another row', async () => {
  const { send, rows } = await bench('BTC');
  const sent = (direction: 'bullish' | 'bearish') => ({ external_id: 'a', call: aPastCall(BEGUN, { direction }) });
  const reply = await send({}, { rows: [sent('bullish'), sent('bullish'), sent('bearish')] });
  expect(reply).toMatchObject({ accepted: 1, repeated: 1, refused: [{ row: 2, external_id: 'a' }] });
  expect(await rows()).toHaveLength(1);
});

test.each([
  [{ backtestRowsPerDay: 2 }, 'DAILY_QUOTA_EXCEEDED'],
  [{ backtestRows: 2 }, 'TIER_LIMIT_REACHED'],
] as const)('beyond a limit nothing is stored: %o', async (limits, code) => {
  const own = await bench('BTC');
  const ports = {
    ...own.ports,
    settings: { ...own.ports.settings, limits: { ...own.ports.settings.limits, ...limits } },
  };
  const { owner_id, agent_id } = own.agent;
  const row = (external_id: string) => ({ external_id, call: aPastCall(BEGUN) });
  const batch = { owner_id, agent_id, name: 'one', about: ABOUT, network: 'a' };
  await receiveRows(ports, { ...batch, rows: [row('a')] });
  const over = receiveRows(ports, { ...batch, rows: [row('a'), row('b'), row('c')] });
  await expect(over).rejects.toMatchObject({ code, status: 429 });
  expect((await own.rows()).map(({ external_id }) => external_id)).toEqual(['a']);
  expect(await receiveRows(ports, { ...batch, rows: [row('a'), row('b')] })).toMatchObject({
    accepted: 1,
    repeated: 1,
  });
});

test('a set has so many instruments', async () => {
  const { send } = await bench('BTC');
  const some = (from: number, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`r${from + n}`, { symbol: `COIN${from + n}` }]));
  await send(some(0, BACKTEST.instruments));
  await expect(send(some(BACKTEST.instruments, 1))).rejects.toMatchObject({ code: 'TIER_LIMIT_REACHED' });
  expect(await send(some(0, 1))).toMatchObject({ repeated: 1 });
});
