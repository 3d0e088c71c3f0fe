import { beforeAll, expect, test } from '@jest/globals';
import { buildAtlas, keepAtlas } from '../../../application/atlas/build-atlas.ts';
import { quarantineDecision, releaseDecision } from '../../../application/decisions/moderate-decision.ts';
import type { AtlasStore } from '../../../domain/atlas/atlas-store.ts';
import { type ByScope, byScope, SCOPES, type Scope, type Tallies } from '../../../domain/atlas/atlas-survey.ts';
import type { Network } from '../../../domain/atlas/network.ts';
import type { OwnerProof } from '../../../domain/cohorts/cohort-reader.ts';
import type { CohortRules } from '../../../domain/cohorts/suppression.ts';
import { ATLAS } from '../../../domain/limits.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import { auditedModeration } from '../../builders/audited-moderation.ts';
import { race } from '../adapters.ts';
import type { Bench, DecisionContract } from '../decisions/bench.ts';
import { naiveNetwork } from './naive.ts';
import { type Populated, populate, recordsOf, say } from './population.ts';

const THRESHOLDS = [
  { minProducers: 5, minSamples: 10, ownerProof: 'none' },
  { minProducers: 3, minSamples: 6, ownerProof: 'none' },
  { minProducers: 6, minSamples: 1, ownerProof: 'none' },
  { minProducers: 1, minSamples: 1, ownerProof: 'none' },
] as const;
const [CONTRACT] = THRESHOLDS;

/** Of a record that leaves: the views whose seeds go, and those that it was no part of. */
const ORIGINS: readonly (readonly [string, readonly Scope[], readonly Scope[]])[] = [
  ['realtime', ['realtime', 'all'], []],
  ['retroactive', ['all'], ['realtime']],
];

/** A build equals a count of the records, is there for every caller, and shows no record that is no longer public. */
export const buildingContract: DecisionContract = {
  name: 'building the atlas',
  promises(bench) {
    const ids: string[] = [];
    let populated: Populated;
    const atlas = () => bench.storage().atlas;
    const networks = () => Promise.all(SCOPES.map((scope) => atlas().network(scope)));
    const everySeed = async () => {
      const ofScopes = await Promise.all(SCOPES.map((scope) => atlas().seeds({ scope, node: null, limit: 10_000 })));
      return ofScopes.flatMap((seeds) => seeds?.items ?? []);
    };
    const everything = async () => [await networks(), await everySeed(), await atlas().state()];
    const build = (thresholds: CohortRules = CONTRACT, store: AtlasStore = atlas()) =>
      buildAtlas({ atlas: store, settings: settingsOf(thresholds) });
    beforeAll(async () => {
      populated = await populate(bench);
    });

    test('there is nothing before the first build, and a build of no records is empty', async () => {
      const seedsOf = (scope: Scope) => atlas().seeds({ scope, node: null, limit: 5 });
      expect(await atlas().state()).toEqual({ built: null, records: 0 });
      for (const scope of SCOPES) expect([await atlas().network(scope), await seedsOf(scope)]).toEqual([null, null]);
      expect(await build()).toBe(true);
      const generated_at = await bench.now();
      for (const scope of SCOPES) {
        expect(await atlas().network(scope)).toEqual({ generated_at, nodes: [], edges: [] });
        expect(await seedsOf(scope)).toEqual({ generated_at, items: [] });
      }
      const built = { generated_at, records: 0, thresholds: CONTRACT, expired: false };
      expect(await atlas().state()).toEqual({ built, records: 0 });
    });

    test('every node and every link equals a count of the records, folded or not', async () => {
      for (const [round, count] of [110, 40, 90].entries()) {
        ids.push(...(await say(bench, populated, count, round + 1)));
        for (const thresholds of THRESHOLDS) await expectNaive(bench, ids, thresholds);
        await bench.storage().cohortCells.fold(round === 0 ? 60 : 1_000);
        await expectNaive(bench, ids, CONTRACT);
      }
    });

    test('where only verified owners count, every node and every link equals a count with those owners', async () => {
      const isVerified = (owner_id: string) => populated.verified.has(owner_id);
      for (const thresholds of THRESHOLDS) {
        await expectNetworks(bench, ids, { ...thresholds, ownerProof: 'verified' }, isVerified);
      }
      const sizes = async (ownerProof: OwnerProof) => {
        await build({ minProducers: 6, minSamples: 1, ownerProof });
        return (await networks()).map((network) => (network?.nodes.length ?? 0) > 0);
      };
      expect([await sizes('none'), await sizes('verified')]).toEqual([
        [true, true],
        [false, false],
      ]);
    });

    test('where only verified owners count, each seed is of a cohort that its query shows', async () => {
      await build({ ...CONTRACT, ownerProof: 'verified' });
      const seeds = await everySeed();
      expect(seeds.length).toBeGreaterThan(10);
      for (const { query } of seeds) {
        const { cohorts } = bench.storage();
        expect((await cohorts.summarise(query, CONTRACT.minProducers, 'verified')).result.enoughProducers).toBe(true);
      }
    });

    test('the check detects a survey that requires one producer less, includes private workflows, or counts retroactive decisions', async () => {
      await expect(
        expectNaive(bench, ids, { minProducers: 6, minSamples: 10, ownerProof: 'none' }, oneLess(atlas())),
      ).rejects.toThrow();
      await expect(expectNaive(bench, ids, CONTRACT, namingPrivate(atlas(), populated))).rejects.toThrow();
      await expect(expectNaive(bench, ids, CONTRACT, countingRetroactive(atlas()))).rejects.toThrow();
    });

    test.each(SCOPES)(
      'seeds are records of their nodes, with the counts that their cohort query returns: %s',
      async (scope) => {
        await build();
        const seeds = await atlas().seeds({ scope, node: null, limit: 10_000 });
        const records = new Map((await recordsOf(bench, ids)).map((record) => [record.record_id, record]));
        expect(seeds?.items.length).toBeGreaterThan(10);
        for (const { record, nodes, overview, query } of seeds?.items ?? []) {
          const { lifecycle_state, submission_origin, symbol } = records.get(record.record_id) ?? {};
          expect([lifecycle_state, symbol]).toEqual(['evaluated', record.symbol]);
          if (scope === 'realtime') expect(submission_origin).toBe('realtime');
          expect(query.include_retroactive).toBe(scope === 'all');
          expect(nodes[0]).toBe(`instrument:${instrumentKey(record)}`);
          const { result } = await bench.storage().cohorts.summarise(query, CONTRACT.minProducers);
          expect([result.enoughProducers, overview.sample_count, overview.result_distribution]).toEqual([
            true,
            result.samples,
            result.buckets,
          ]);
          expect(overview.retroactive_count).toBe(result.retroactive);
          expect(overview.time_range).toEqual({ earliest: result.earliest, latest: result.latest });
        }
      },
    );

    test.each(SCOPES)('each node has its own seeds, and an unknown node has none: %s', async (scope) => {
      const seedsOf = (node: string | null, limit = 100) => atlas().seeds({ scope, node, limit });
      for (const { id } of (await atlas().network(scope))?.nodes ?? []) {
        const { items = [] } = (await seedsOf(id)) ?? {};
        expect(items.length).toBeGreaterThan(0);
        expect(items.every(({ nodes }) => nodes.includes(id))).toBe(true);
      }
      expect((await seedsOf('instrument:crypto:NONE:OKX:spot:USDT'))?.items).toEqual([]);
      expect((await seedsOf(null, 0))?.items).toEqual([]);
      expect((await seedsOf(null, 3))?.items).toHaveLength(3);
    });

    test.each(ORIGINS)(
      'a %s record that leaves the public leaves the seeds of %j at once, and those of %j are as they were',
      async (origin, changed, unchanged) => {
        const seedsOf = async (scope: Scope, node: string | null) =>
          (await atlas().seeds({ scope, node, limit: 100 }))?.items ?? [];
        await build();
        const [first] = await seedsOf('realtime', null);
        const node = first?.nodes[0] ?? '';
        const leaving = (await recordsOf(bench, ids)).find(
          (each) =>
            each.lifecycle_state === 'evaluated' &&
            each.submission_origin === origin &&
            `instrument:${instrumentKey(each)}` === node,
        );
        const gone = leaving?.record_id ?? '';
        expect((await seedsOf('all', node)).length).toBeGreaterThan(0);
        const before = await Promise.all(unchanged.map((scope) => seedsOf(scope, node)));
        await auditedModeration(bench.storage()).quarantine(gone, 'a test', await bench.now());
        for (const scope of changed) {
          expect(await seedsOf(scope, node)).toEqual([]);
          expect((await seedsOf(scope, null)).length).toBeGreaterThan(0);
        }
        expect(await Promise.all(unchanged.map((scope) => seedsOf(scope, node)))).toEqual(before);
        await build();
        const rebuilt = await seedsOf('all', node);
        expect(rebuilt.length).toBeGreaterThan(0);
        expect(rebuilt.map(({ record }) => record.record_id)).not.toContain(gone);
        await expectNaive(bench, ids, CONTRACT);
      },
    );

    test('seeds stay away where one record left and another came back', async () => {
      const moderation = auditedModeration(bench.storage());
      const seedsOf = async (node: string) => (await atlas().seeds({ scope: 'all', node, limit: 100 }))?.items ?? [];
      await build();
      const [first] = await seedsOf((await everySeed())[0]?.nodes[0] ?? '');
      const node = first?.nodes[0] ?? '';
      const [one = '', other = ''] = (await recordsOf(bench, ids))
        .filter((each) => each.lifecycle_state === 'evaluated' && `instrument:${instrumentKey(each)}` === node)
        .map(({ record_id }) => record_id);
      await moderation.quarantine(one, 'a test', await bench.now());
      await build();
      expect((await seedsOf(node)).length).toBeGreaterThan(0);
      await moderation.quarantine(other, 'a test', await bench.now());
      await moderation.release(one);
      expect(await seedsOf(node)).toEqual([]);
      await moderation.release(other);
    });

    test('a quarantine, and a release to what was public, have it built again; what they came to nothing by does not', async () => {
      const ports = { ...bench.storage(), settings: settingsOf(CONTRACT) };
      const [{ record: { record_id = '' } = {} } = {}] = await everySeed();
      await build();
      await quarantineDecision(ports, record_id, 'a test', 'test');
      expect([await keepAtlas(ports), await keepAtlas(ports)]).toEqual([true, false]);
      await quarantineDecision(ports, record_id, 'again', 'test');
      expect(await keepAtlas(ports)).toBe(false);
      await releaseDecision(ports, record_id, 'test');
      expect([await keepAtlas(ports), await keepAtlas(ports)]).toEqual([true, false]);
      await releaseDecision(ports, record_id, 'test');
      expect(await keepAtlas(ports)).toBe(false);
      await expectNaive(bench, ids, CONTRACT);
    });

    test('what is asked for in a transaction that fails is not asked for', async () => {
      const { transaction } = bench.storage();
      const fault = new Error('undone');
      await build();
      const failing = transaction(async (stores) => {
        await stores.atlas.expire();
        throw fault;
      });
      await expect(failing).rejects.toBe(fault);
      expect((await atlas().state()).built?.expired).toBe(false);
    });

    test('a build that fails leaves the atlas there is', async () => {
      await build();
      const before = await everything();
      await bench.arrange().advance(1_000);
      const fault = new Error('the build failed');
      const failing = atlas().build(async (survey) => {
        await survey.tallies(CONTRACT);
        throw fault;
      });
      await expect(failing).rejects.toBe(fault);
      expect(await everything()).toEqual(before);
    });

    test('of 20 that build at once none waits, and what there is afterwards is of one build', async () => {
      const built = await race(20, () => build());
      expect(built).toContain(true);
      await expectNaive(bench, ids, CONTRACT);
      for (const scope of SCOPES) {
        const [network, seeds] = [
          await atlas().network(scope),
          await atlas().seeds({ scope, node: null, limit: 10_000 }),
        ];
        expect(seeds?.generated_at).toEqual(network?.generated_at);
        expect(new Set(seeds?.items.map(({ record }) => record.record_id)).size).toBe(seeds?.items.length);
      }
    });

    test('it is built again when it was built by other thresholds, and when an operator asks for it', async () => {
      const keep = (thresholds: CohortRules) => keepAtlas({ ...bench.storage(), settings: settingsOf(thresholds) });
      await build();
      for (const thresholds of [...THRESHOLDS.slice(1), { ...CONTRACT, ownerProof: 'verified' } as const, CONTRACT]) {
        expect([await keep(thresholds), await keep(thresholds)]).toEqual([true, false]);
      }
      const before = await networks();
      await atlas().expire();
      expect(await networks()).toEqual(before);
      expect([await keep(CONTRACT), await keep(CONTRACT)]).toEqual([true, false]);
    });

    test('it is built again when a quarter of an hour has passed, when records have doubled, and not else', async () => {
      const keep = () => keepAtlas({ ...bench.storage(), settings: settingsOf(CONTRACT) });
      await build();
      await bench.arrange().advance(ATLAS.rebuildEvery - 1);
      expect(await keep()).toBe(false);
      await bench.arrange().advance(1);
      expect([await keep(), await keep()]).toEqual([true, false]);
      ids.push(...(await say(bench, populated, 20, 4)));
      await build();
      expect(await keep()).toBe(false);
      // A sixth of what is said is in no cohort.
      const { records } = await atlas().state();
      ids.push(...(await say(bench, populated, Math.ceil(1.5 * records), 4)));
      expect([await keep(), await keep()]).toEqual([true, false]);
    });
  },
};

function settingsOf(wisdom: CohortRules) {
  return { wisdom };
}

async function expectNaive(bench: Bench, ids: readonly string[], thresholds: CohortRules, store?: AtlasStore) {
  await expectNetworks(bench, ids, thresholds, () => true, store);
}

async function expectNetworks(
  bench: Bench,
  ids: readonly string[],
  thresholds: CohortRules,
  isCounted: (owner_id: string) => boolean,
  store?: AtlasStore,
) {
  await buildAtlas({ atlas: store ?? bench.storage().atlas, settings: settingsOf(thresholds) });
  const records = await recordsOf(bench, ids);
  for (const scope of SCOPES) {
    const { nodes = [], edges = [] } = (await bench.storage().atlas.network(scope)) ?? {};
    const naive = naiveNetwork(records, thresholds, scope === 'all', isCounted);
    expect({ scope, thresholds, nodes: nodes.map(unnamed), edges }).toEqual({ scope, thresholds, ...naive });
  }
}

/** What workflows are called is random; that it is what was published is for another test. */
function unnamed(node: Network['nodes'][number]) {
  return node.kind === 'workflow' ? { ...node, label: node.id } : node;
}

function oneLess(atlas: AtlasStore): AtlasStore {
  return {
    ...atlas,
    build: (work) =>
      atlas.build((survey) =>
        work({
          ...survey,
          tallies: (rules) => survey.tallies({ ...rules, minProducers: rules.minProducers - 1 }),
        }),
      ),
  };
}

function namingPrivate(atlas: AtlasStore, { workflows }: Populated): AtlasStore {
  const hash = workflows[2] ?? '';
  return tallying(atlas, (tallies) =>
    byScope((scope) => ({
      ...tallies[scope],
      workflows: [...tallies[scope].workflows, { hash, name: 'private', samples: 10 }],
    })),
  );
}

function countingRetroactive(atlas: AtlasStore): AtlasStore {
  return tallying(atlas, ({ all }) => ({ all, realtime: all }));
}

function tallying(atlas: AtlasStore, change: (tallies: ByScope<Tallies>) => ByScope<Tallies>): AtlasStore {
  return {
    ...atlas,
    build: (work) =>
      atlas.build((survey) => work({ ...survey, tallies: async (least) => change(await survey.tallies(least)) })),
  };
}
