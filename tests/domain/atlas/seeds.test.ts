import { expect, test } from '@jest/globals';
import type { Candidate, Scope } from '../../../domain/atlas/atlas-survey.ts';
import { type Network, networkOf } from '../../../domain/atlas/network.ts';
import { seedsOf } from '../../../domain/atlas/seeds.ts';
import { movesOfOne } from '../../../domain/grading/bucket.ts';
import { ATLAS } from '../../../domain/limits.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import type { Market } from '../../../domain/market/venues.ts';
import { DAY } from '../../../domain/time.ts';

const CONTRACT = { minProducers: 5, minSamples: 10, ownerProof: 'none' } as const;
const MOMENT = new Date('2026-01-30');
const REGIMES = ['up_low', 'down_high', null];
let last = 0;

function candidate(market: Market, symbol: string, created_regime: string | null, daysAgo: number): Candidate {
  last += 1;
  const at = new Date(Date.parse('2026-01-30') - daysAgo * DAY);
  return {
    record_id: `dec_20260130_${last.toString(16).padStart(8, '0')}`,
    ...{ market, symbol, venue: 'A VENUE', asset_class: 'spot', quote_currency: 'USD' },
    ...{ cohort_key: 'a key', direction: 'bullish', analysis_class: 'opinion', perspective_type: 'technical' },
    ...{ horizon_kind: 'trading_days', horizon_value: 5, data_cutoff: at, submission_origin: 'realtime' },
    ...{ result_bucket: 'weak_correct', evaluated_at: at, created_regime, workflow_hash: 'private' },
    ...{ raw_return: 0, directional_return: 0, mfe: 0, mae: 0, group_place: null },
  };
}

function networkWith(candidates: readonly Candidate[]): Network {
  const instruments = [...new Map(candidates.map((each) => [instrumentKey(each), { ...each, samples: 10 }])).values()];
  const none = { perspectives: [], perspectivesOf: [], workflows: [], workflowsOf: [] };
  return networkOf({ instruments, ...none }, [], CONTRACT);
}

function seedsFrom(candidates: readonly Candidate[], network = networkWith(candidates), scope: Scope = 'all') {
  const cohorts = new Map(candidates.map((each) => [instrumentKey(each), []]));
  return seedsOf({ scope, network }, candidates, cohorts, CONTRACT);
}

test('the first ones are one of each market and regime, and of an instrument of its own where there are enough', () => {
  const candidates = (['stock', 'crypto'] as const).flatMap((market) =>
    ['A', 'B', 'C'].flatMap((symbol) =>
      REGIMES.flatMap((regime) => [0, 1].map((ago) => candidate(market, symbol, regime, ago))),
    ),
  );
  const seeds = seedsFrom(candidates).map(({ record }) => record);
  expect(seeds).toHaveLength(36);
  const first = seeds.slice(0, 6);
  expect(new Set(first.map(({ market, created_regime }) => `${market} ${created_regime}`)).size).toBe(6);
  expect(new Set(seeds.map(({ record_id }) => record_id)).size).toBe(36);
});

test('a node has at most seedsPerNode seeds, of different regimes first and the newest of each', () => {
  const candidates = Array.from({ length: 20 }, (_, ago) =>
    candidate('stock', 'A', ago < 15 ? 'up_low' : 'down_high', ago),
  );
  const seeds = seedsFrom(candidates).map(({ record }) => record);
  expect(seeds).toHaveLength(ATLAS.seedsPerNode);
  expect(seeds.filter(({ created_regime }) => created_regime === 'down_high')).toHaveLength(ATLAS.seedsPerNode / 2);
  expect(seeds.map(({ record_id }) => record_id)).toContain(candidates[15]?.record_id);
  expect(seeds.map(({ record_id }) => record_id)).not.toContain(candidates[3]?.record_id);
});

test('a seed names only nodes of the network: no withheld perspective, no private workflow', () => {
  const [seed] = seedsFrom([candidate('stock', 'A', null, 0)]);
  expect(seed?.nodes).toEqual(['instrument:stock:A:A VENUE:spot:USD']);
  expect(Object.keys(seed?.record ?? {})).not.toContain('workflow_hash');
});

test('a record whose instrument is not in the network is no seed', () => {
  const shown = candidate('stock', 'A', null, 0);
  expect(
    seedsFrom([shown, candidate('stock', 'B', null, 0)], networkWith([shown])).map(({ record }) => record.symbol),
  ).toEqual(['A']);
});

test.each([
  ['realtime', 3, 0],
  ['all', 7, 4],
] as const)(
  'a seed of the scope %s counts %i records, %i of them retroactive, and asks for those',
  (scope, samples, retroactive) => {
    const record = candidate('stock', 'A', null, 0);
    const alike = { perspective_type: null, result_bucket: 'weak_correct', earliest: MOMENT, latest: MOMENT } as const;
    const parts = [
      { ...alike, submission_origin: 'realtime', n: 3, moves: movesOfOne(6).map((n) => n * 3) },
      { ...alike, submission_origin: 'retroactive', n: 4, moves: movesOfOne(10).map((n) => n * 4) },
    ] as const;
    const cohorts = new Map([[instrumentKey(record), parts]]);
    const [seed] = seedsOf({ scope, network: networkWith([record]) }, [record], cohorts, CONTRACT);
    expect(seed?.overview).toMatchObject({ sample_count: samples, retroactive_count: retroactive });
    expect(seed?.query.include_retroactive).toBe(retroactive > 0);
    expect(seed?.overview.had_said?.bullish).toEqual({
      strong_correct: retroactive,
      weak_correct: 3,
      weak_incorrect: 0,
      strong_incorrect: 0,
    });
  },
);
