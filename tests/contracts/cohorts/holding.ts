import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from '../../../adapters/formats/canonical-json.ts';
import { learnNames, withdrawName } from '../../../application/market/names.ts';
import type { CohortFilter } from '../../../domain/cohorts/cohort-filter.ts';
import { countedWindow, windowCounts } from '../../../domain/decisions/own/window-counts.ts';
import { MINUTE } from '../../../domain/time.ts';
import { auditedModeration } from '../../builders/audited-moderation.ts';
import { aStatement } from '../../builders/names.ts';
import type { Bench, DecisionContract } from '../decisions/bench.ts';
import { membersOf, naiveLargest } from './naive.ts';
import { graded, SAYING } from './universe.ts';

/** Asked again after each step, so that most of them find what was read before. */
const ASKED: readonly CohortFilter[] = [
  { market: 'stock', include_retroactive: true },
  { market: 'stock', include_retroactive: false },
  { market: 'stock', symbol: 'FB', include_retroactive: true },
  { market: 'stock', symbol: 'META', include_retroactive: true },
  { market: 'stock', direction: 'bullish', include_retroactive: true },
  { market: 'stock', grid: 'fine', include_retroactive: true },
  { market: 'crypto', include_retroactive: true },
  { market: 'crypto', cohort_key: 'crypto:btc:spot:usd:bullish:intraday:opinion', include_retroactive: true },
];

const STEPS = ['grade', 'quarantine', 'release', 'swap', 'fold', 'extend', 'learn', 'withdraw', 'rebuild'] as const;
const FB = { market: 'stock', symbol: 'FB', venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' } as const;
const IS_META = aStatement({ name: 'FB', key: 'META' });

/** What is read with the edition of a summary is what is read without. */
export const holdingContract: DecisionContract = {
  name: 'results of cohorts by their edition',
  promises(bench) {
    test('are those of the records, whatever enters, leaves and moves between', async () => {
      const agents = await Promise.all([1, 2, 3, 4].map(() => bench.agent()));
      const sayings = fc.sample(SAYING, { numRuns: 400, seed: 46 });
      const ids: string[] = [];
      const hidden: string[] = [];
      const said: number[] = [];
      const moderation = auditedModeration(bench.storage());
      const names = { ...bench.storage(), canonicalJson };
      const say = async () => {
        const saying = sayings[ids.length % sayings.length];
        if (!saying) throw new Error('There are sayings');
        const place = ids.length % 2 === 0 ? { ...saying.place, instrument: FB } : saying.place;
        ids.push(await graded(bench, agents, { ...saying, place }));
      };
      const hide = async (at: number) => {
        const shown = ids.filter((id) => !hidden.includes(id));
        const id = shown[at % shown.length] ?? '';
        await moderation.quarantine(id, 'a test', await bench.now());
        hidden.push(id);
      };
      const show = async () => {
        const id = hidden.shift();
        if (id !== undefined) await moderation.release(id);
      };
      const take: Readonly<Record<(typeof STEPS)[number], (at: number) => Promise<unknown>>> = {
        grade: say,
        quarantine: hide,
        release: show,
        async swap(at) {
          await hide(at);
          await say();
        },
        fold: (at) => bench.storage().cohortCells.fold(1 + (at % 9)),
        extend: () => bench.storage().cohortCells.extend(0),
        async learn() {
          await bench.arrange().advance(MINUTE);
          if (said.length === 0) said.push(...(await learnNames(names, [IS_META], 'test')).learned.map(({ id }) => id));
        },
        async withdraw() {
          await bench.arrange().advance(MINUTE);
          for (const id of said.splice(0)) await withdrawName(names, id, 'test');
        },
        rebuild: () => bench.storage().cohortCells.rebuild(),
      };
      for (let i = 0; i < 24; i += 1) await say();
      const steps = fc.sample(fc.tuple(fc.constantFrom(...STEPS), fc.nat()), { numRuns: bench.runs(60), seed: 64 });
      await expectRead(bench, ids, 'the beginning');
      for (const [step, at] of steps) {
        await take[step](at);
        await expectRead(bench, ids, step);
      }
      expect(await bench.storage().cohortCells.check()).toEqual([]);
    });
  },
};

/** What each cohort is, by its records, and by what is read of it with its edition and without. */
async function expectRead(bench: Bench, ids: readonly string[], step: string): Promise<void> {
  const { cohorts, decisions } = bench.storage();
  const records = await decisions.find(ids, null);
  for (const filter of ASKED) {
    const members = membersOf(records, filter);
    const size = Math.max(1, Math.ceil(members.length / 2));
    const { moment, edition, result } = await cohorts.summarise(filter, 1);
    const read = async (by: string | undefined) => ({
      windows: await cohorts.windows(filter, moment, by),
      largest: await cohorts.largestOwner(filter, moment, size, by),
    });
    const [first, held, anew] = [await read(edition), await read(edition), await read(undefined)];
    expect({ step, filter, first, held }).toEqual({ step, filter, first: anew, held: anew });
    const windows = windowCounts(members.map(countedWindow));
    const largest = naiveLargest(members, size);
    const found = [result.samples, anew.windows, anew.largest?.records ?? null];
    expect({ step, filter, found }).toEqual({ step, filter, found: [members.length, windows, largest] });
  }
}
