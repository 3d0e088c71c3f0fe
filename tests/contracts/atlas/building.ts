import { beforeAll, expect, test } from '@jest/globals';
import { buildAtlas, keepAtlas } from '../../../application/atlas/build-atlas.ts';
import type { AtlasStore } from '../../../domain/atlas/atlas-store.ts';
import type { Network } from '../../../domain/atlas/network.ts';
import type { Thresholds } from '../../../domain/cohorts/suppression.ts';
import { ATLAS } from '../../../domain/limits.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import { race } from '../adapters.ts';
import type { Bench, DecisionContract } from '../decisions/bench.ts';
import { naiveNetwork } from './naive.ts';
import { type Populated, populate, recordsOf, say } from './population.ts';

const THRESHOLDS = [
  { minProducers: 5, minSamples: 10 },
  { minProducers: 3, minSamples: 6 },
  { minProducers: 6, minSamples: 1 },
  { minProducers: 1, minSamples: 1 },
] as const;
const [CONTRACT] = THRESHOLDS;

/** What is built is what a count of the records gives, is there for everybody, and shows nobody who has left. */
export const buildingContract: DecisionContract = {
  name: 'building the atlas',
  promises(bench) {
    const ids: string[] = [];
    let populated: Populated;
    const atlas = () => bench.storage().atlas;
    const build = (thresholds: Thresholds = CONTRACT, store: AtlasStore = atlas()) =>
      buildAtlas({ atlas: store, settings: settingsOf(thresholds) });
    beforeAll(async () => {
      populated = await populate(bench);
    });

    test('there is nothing before the first build, which may be of nothing', async () => {
      expect(await atlas().standing()).toEqual({ built: null, records: 0 });
      expect([await atlas().network(), await atlas().seeds(null, 5)]).toEqual([null, null]);
      expect(await build()).toBe(true);
      const generated_at = await bench.now();
      expect(await atlas().network()).toEqual({ generated_at, nodes: [], edges: [] });
      expect(await atlas().seeds(null, 5)).toEqual({ generated_at, items: [] });
      const built = { generated_at, records: 0, thresholds: CONTRACT, expired: false };
      expect(await atlas().standing()).toEqual({ built, records: 0 });
    });

    test('every node and every link is what a count of the records gives, folded or not', async () => {
      for (const [round, count] of [110, 40, 90].entries()) {
        ids.push(...(await say(bench, populated, count, round + 1)));
        for (const thresholds of THRESHOLDS) await expectNaive(bench, ids, thresholds);
        await bench.storage().cohortCells.fold(round === 0 ? 60 : 1_000);
        await expectNaive(bench, ids, CONTRACT);
      }
    });

    test('the check sees a survey that asks for one producer less, and one that takes in what is not public', async () => {
      await expect(expectNaive(bench, ids, { minProducers: 6, minSamples: 10 }, oneLess(atlas()))).rejects.toThrow();
      await expect(expectNaive(bench, ids, CONTRACT, namingPrivate(atlas(), populated))).rejects.toThrow();
    });

    test('seeds are records of their nodes, with the counts that their cohort query tells', async () => {
      await build();
      const told = await atlas().seeds(null, 10_000);
      const records = new Map((await recordsOf(bench, ids)).map((record) => [record.record_id, record]));
      expect(told?.items.length).toBeGreaterThan(10);
      for (const { record, nodes, overview, query } of told?.items ?? []) {
        expect(records.get(record.record_id)).toMatchObject({ lifecycle_state: 'evaluated', symbol: record.symbol });
        expect(nodes[0]).toBe(`instrument:${instrumentKey(record)}`);
        const { result } = await bench.storage().cohorts.summarise(query, CONTRACT.minProducers);
        expect([result.enoughProducers, overview.sample_count, overview.result_distribution]).toEqual([
          true,
          result.samples,
          result.buckets,
        ]);
        expect(overview.time_range).toEqual({ earliest: result.earliest, latest: result.latest });
      }
    });

    test('each node has seeds of its own, and another name has none', async () => {
      for (const { id } of (await atlas().network())?.nodes ?? []) {
        const { items = [] } = (await atlas().seeds(id, 100)) ?? {};
        expect(items.length).toBeGreaterThan(0);
        expect(items.every(({ nodes }) => nodes.includes(id))).toBe(true);
      }
      expect((await atlas().seeds('instrument:crypto:NONE:OKX:spot:USDT', 100))?.items).toEqual([]);
      expect((await atlas().seeds(null, 0))?.items).toEqual([]);
      expect((await atlas().seeds(null, 3))?.items).toHaveLength(3);
    });

    test('who leaves the public leaves the seeds at once, and with it the counts that it was part of', async () => {
      const [first] = (await atlas().seeds(null, 1))?.items ?? [];
      const node = first?.nodes[0] ?? '';
      const gone = first?.record.record_id ?? '';
      await bench.storage().moderation.quarantine(gone, 'a test', await bench.now());
      expect((await atlas().seeds(node, 100))?.items).toEqual([]);
      expect((await atlas().seeds(null, 100))?.items.length).toBeGreaterThan(0);
      await build();
      const again = (await atlas().seeds(node, 100))?.items ?? [];
      expect(again.length).toBeGreaterThan(0);
      expect(again.map(({ record }) => record.record_id)).not.toContain(gone);
      await expectNaive(bench, ids, CONTRACT);
    });

    test('a build that fails leaves the atlas there is', async () => {
      await build();
      const before = [await atlas().network(), await atlas().seeds(null, 100), await atlas().standing()];
      await bench.arrange().advance(1_000);
      const fault = new Error('the build failed');
      const failing = atlas().build(async (survey) => {
        await survey.tallies(CONTRACT);
        throw fault;
      });
      await expect(failing).rejects.toBe(fault);
      expect([await atlas().network(), await atlas().seeds(null, 100), await atlas().standing()]).toEqual(before);
    });

    test('of 20 that build at once none waits, and what there is afterwards is of one build', async () => {
      const built = await race(20, () => build());
      expect(built).toContain(true);
      await expectNaive(bench, ids, CONTRACT);
      const [network, seeds] = [await atlas().network(), await atlas().seeds(null, 10_000)];
      expect(seeds?.generated_at).toEqual(network?.generated_at);
      expect(new Set(seeds?.items.map(({ record }) => record.record_id)).size).toBe(seeds?.items.length);
    });

    test('it is built again when it was built by other thresholds, and when an operator asks for it', async () => {
      const keep = (thresholds: Thresholds) => keepAtlas({ ...bench.storage(), settings: settingsOf(thresholds) });
      await build();
      for (const thresholds of [...THRESHOLDS.slice(1), CONTRACT]) {
        expect([await keep(thresholds), await keep(thresholds)]).toEqual([true, false]);
      }
      const before = await atlas().network();
      await atlas().expire();
      expect(await atlas().network()).toEqual(before);
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
      const { records } = await atlas().standing();
      ids.push(...(await say(bench, populated, records, 4)));
      expect([await keep(), await keep()]).toEqual([true, false]);
    });
  },
};

function settingsOf(wisdom: Thresholds) {
  return { wisdom };
}

async function expectNaive(bench: Bench, ids: readonly string[], thresholds: Thresholds, store?: AtlasStore) {
  await buildAtlas({ atlas: store ?? bench.storage().atlas, settings: settingsOf(thresholds) });
  const { nodes = [], edges = [] } = (await bench.storage().atlas.network()) ?? {};
  const naive = naiveNetwork(await recordsOf(bench, ids), thresholds);
  expect({ thresholds, nodes: nodes.map(unnamed), edges }).toEqual({ thresholds, ...naive });
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
          tallies: ({ minProducers, minSamples }) => survey.tallies({ minProducers: minProducers - 1, minSamples }),
        }),
      ),
  };
}

function namingPrivate(atlas: AtlasStore, { workflows }: Populated): AtlasStore {
  const hash = workflows[2] ?? '';
  return {
    ...atlas,
    build: (work) =>
      atlas.build((survey) =>
        work({
          ...survey,
          async tallies(thresholds) {
            const told = await survey.tallies(thresholds);
            return { ...told, workflows: [...told.workflows, { hash, name: 'private', samples: 10 }] };
          },
        }),
      ),
  };
}
