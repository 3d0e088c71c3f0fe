import { beforeAll, expect, test } from '@jest/globals';
import { RefusedEnds } from '../../../domain/decisions/evaluation-store.ts';
import { BACKTEST } from '../../../domain/limits.ts';
import { MINUTE } from '../../../domain/time.ts';
import { aRow } from '../../builders/backtests.ts';
import type { AgentCaller } from '../../builders/decisions.ts';
import { claim, gradedEnd, nameOf, send, setIdOf } from '../../contracts/backtests/backtest-store.ts';
import { onPostgres } from '../../contracts/decisions/adapters.ts';
import { benchOn } from '../../contracts/decisions/bench.ts';

const bench = benchOn({ name: 'postgres', open: () => onPostgres(2) });
const BEGUN = Date.parse('2025-06-02T08:00:00.000Z');
/** Larger than any time of PostgreSQL. */
const NEVER = new Date(8.64e15);

let agent: AgentCaller;
beforeAll(async () => {
  agent = await bench.agent();
});

const rowsOf = (count: number) => Array.from({ length: count }, (_, n) => aRow(`r${n}`, new Date(BEGUN + n * MINUTE)));

test('of rows of several slices none is stored where the database refuses the last one', async () => {
  const rows = [...rowsOf(BACKTEST.slice), aRow('last', NEVER)];
  await expect(send(bench, agent, rows)).rejects.toThrow();
  expect(await bench.storage().backtests.find(nameOf(agent))).toBeNull();
  expect(await claim(bench)).toBeNull();
});

test('of ends of several slices none is stored where the database refuses the last one', async () => {
  const { backtests } = bench.storage();
  await send(bench, agent, rowsOf(BACKTEST.slice + 1));
  const claimed = await claim(bench);
  if (!claimed) throw new Error('Nothing is due.');
  const ends = claimed.rows.map((row) => gradedEnd(row, row.decision.end_time));
  const refused = ends.map((end, n) =>
    n === BACKTEST.slice ? { ...end, result: { ...end.result, known_at: NEVER } } : end,
  );
  await expect(backtests.end(claimed, refused)).rejects.toThrow(RefusedEnds);
  const stored = () => setIdOf(bench, agent).then((set) => backtests.rows(set, null, 100));
  expect(new Set((await stored()).map(({ record_group }) => record_group))).toEqual(new Set(['pending']));
  expect(await backtests.end(claimed, ends)).toBe(BACKTEST.slice + 1);
  expect(new Set((await stored()).map(({ record_group }) => record_group))).toEqual(new Set(['weak_correct']));
});
