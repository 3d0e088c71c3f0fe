import { beforeAll, expect, test } from '@jest/globals';
import { barFiles } from '../../../adapters/market/files/bar-files.ts';
import { endTime } from '../../../domain/grading/windows/window.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import type { MarketData } from '../../../domain/market/market-data.ts';
import { LARGE_CAST, SMALL_CAST } from '../../../scripts/demo/agents.ts';
import { type Planned, planDecisions } from '../../../scripts/demo/plan.ts';
import { packagedBars } from '../../harness/packaged-bars.ts';

let store: string;
let plan: readonly Planned[];
/** The ends of everything that was looked at. */
const looks = new Set<number>();

beforeAll(async () => {
  store = await packagedBars();
  plan = await planDecisions(watched(barFiles(store)), SMALL_CAST);
});

test('the same seed plans the same decisions, another seed others', async () => {
  expect(await planDecisions(barFiles(store), SMALL_CAST)).toEqual(plan);
  const other = await planDecisions(barFiles(store), { ...SMALL_CAST, seed: 'another seed' });
  expect(other.map(({ submission }) => submission)).not.toEqual(plan.map(({ submission }) => submission));
});

test('no strategy is shown a bar that ended after the data cutoff it states', () => {
  for (const { submission } of plan) expect(looks).toContain(Date.parse(submission.data_cutoff));
});

test('each decision has an idempotency key of its own', () => {
  expect(plan).toHaveLength(360);
  expect(new Set(plan.map(({ key }) => key)).size).toBe(360);
});

test('the agents say all there is to say', () => {
  const said = plan.map(({ submission }) => submission);
  expect(new Set(said.map(({ direction }) => direction))).toEqual(new Set(['bullish', 'bearish', 'neutral']));
  expect(new Set(said.map(({ symbol }) => symbol))).toEqual(new Set(['MSFT', 'TXN', 'SPX', 'BTC', '600000']));
  expect(said.some(({ price_targets }) => price_targets)).toBe(true);
  expect(said.some(({ invalidation }) => invalidation)).toBe(true);
});

test('of the large cast the cheat alone is shown bars that ended after the data cutoff it states', async () => {
  const cheats: string[] = [];
  for (const agent of LARGE_CAST.agents) {
    looks.clear();
    const few = { seed: LARGE_CAST.seed, agents: [{ ...agent, decisions: 3 }] as const };
    const own = (await planDecisions(watched(barFiles(store)), few)).map(({ submission }) => submission);
    const cutoffs = own.map(({ data_cutoff }) => Date.parse(data_cutoff));
    expect(cutoffs.filter((at) => at < Date.parse('2012-06-01') || at > Date.parse('2014-06-15'))).toEqual([]);
    if (own.some((each, at) => looks.has(endTime({ ...each, instrument: each as Instrument }, cutoffs[at] ?? 0))))
      cheats.push(agent.name);
  }
  expect(LARGE_CAST.agents).toHaveLength(30);
  expect(cheats).toEqual(['cheat']);
});

/** Every look must be up to its own clock: what the cutoff did not know yet cannot be seen. */
function watched(prices: MarketData): MarketData {
  return {
    ...prices,
    bars(instrument, size, from, to, now) {
      if (to !== now) throw new RangeError('A look beyond its clock');
      looks.add(to);
      return prices.bars(instrument, size, from, to, now);
    },
  };
}
