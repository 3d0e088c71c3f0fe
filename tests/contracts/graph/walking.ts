import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type GraphQuery, readGraph, readPublicGraph } from '../../../application/decisions/read-decision.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';
import { GRAPH_DIRECTIONS, type GraphReader } from '../../../domain/decisions/graph/graph.ts';
import { MINUTE } from '../../../domain/time.ts';
import { auditedModeration } from '../../builders/audited-moderation.ts';
import { madePrices } from '../../builders/prices.ts';
import type { DecisionContract } from '../decisions/bench.ts';
import { evaluateAll } from '../decisions/evaluated.ts';
import { type NaiveGraph, naiveGraph } from './naive.ts';
import { aWeb, type Web } from './web.ts';

const ALL: GraphQuery = { direction: 'both', depth: 3, limit: 100 };

export const walkingContract: DecisionContract = {
  name: 'graphs of records',
  promises(bench) {
    let web: Web;
    let records: readonly Decision[];
    beforeAll(async () => {
      web = await aWeb(bench, 6, 11);
      records = await web.records();
    });
    const graph = () => bench.storage().graph;

    test('every walk equals a naive walk over all records, for any viewer', async () => {
      const totals = { walks: 0, nodes: 0, truncated: 0, refused: 0, public: 0 };
      const property = fc.asyncProperty(walksOver(records, web), async ({ record_id, viewer, query }) => {
        const expected = naiveGraph(records, record_id, viewer, query);
        expect(await walk(graph(), record_id, viewer, query)).toEqual(expected);
        totals.walks += 1;
        totals.nodes += expected?.nodes.length ?? 0;
        totals.truncated += expected?.truncated ? 1 : 0;
        totals.refused += expected ? 0 : 1;
        totals.public += expected && viewer === null ? 1 : 0;
      });
      await fc.assert(property, { numRuns: 300, seed: 3 });
      expect(totals.nodes).toBeGreaterThan(800);
      for (const count of [totals.truncated, totals.refused, totals.public]) expect(count).toBeGreaterThan(10);
    });

    test('each kind of link occurs, and each relation', async () => {
      const met = new Set<string>();
      for (const { record_id, owner_id } of records) {
        const { edges = [] } = (await walk(graph(), record_id, owner_id, ALL)) ?? {};
        for (const edge of edges) met.add(edge.split(' ')[1] ?? '');
      }
      const computed = ['same_cohort', 'same_workflow'];
      const said = ['contradicts', 'derived_from', 'extends', 'references', 'refines', 'supersedes', 'supports'];
      expect([...met].sort()).toEqual([...said, ...computed].sort());
    });

    test('a record that stops being public is in no walk from then on, and in each again when it is released', async () => {
      const [agent] = web.agents;
      if (!agent) throw new Error('There is an agent.');
      const line: string[] = [];
      for (let i = 0; i < 3; i += 1) {
        const related_records = line.slice(-1).map((record_id) => ({ record_id, relation: 'extends' }) as const);
        line.push((await bench.accepted(agent, { symbol: `L${i}`, related_records })).record_id);
        await evaluateAll(bench);
        await bench.arrange().advance(MINUTE);
      }
      const [last = '', middle = '', first = ''] = line;
      const outwards = { ...ALL, direction: 'outbound' } as const;
      const nodes = async (viewer: string | null) => (await walk(graph(), first, viewer, outwards))?.nodes;
      expect(await nodes(null)).toEqual([first, middle, last]);
      await auditedModeration(bench.storage()).quarantine(middle, 'made up', await bench.now());
      expect(await nodes(null)).toEqual([first]);
      expect(await nodes(agent.owner_id)).toEqual([first, middle, last]);
      expect(await walk(graph(), middle, null, ALL)).toBeNull();
      await auditedModeration(bench.storage()).release(middle);
      expect(await nodes(null)).toEqual([first, middle, last]);
      await auditedModeration(bench.storage()).quarantine(last, 'made up', await bench.now());
      expect(await nodes(null)).toEqual([first, middle]);
    });

    test('of very many records that point to one, the newest are returned, and `truncated` says that there are more', async () => {
      const [agent, mate] = web.agents;
      if (!agent || !mate) throw new Error('There are agents.');
      const hub = (await bench.accepted(agent, { symbol: 'HUB' })).record_id;
      await evaluateAll(bench);
      await bench.arrange().advance(MINUTE);
      const related_records = [{ record_id: hub, relation: 'supports' }] as const;
      const fans: string[] = [];
      for (let i = 0; i < 12; i += 1) {
        fans.unshift((await bench.accepted(mate, { symbol: `F${i}`, related_records })).record_id);
        await bench.arrange().advance(MINUTE);
      }
      const inwards = { direction: 'inbound', depth: 1, limit: 5 } as const;
      // Nobody but the owner sees what is not evaluated yet.
      expect(await walk(graph(), hub, null, inwards)).toMatchObject({ nodes: [hub], truncated: false });
      expect(await walk(graph(), hub, mate.owner_id, inwards)).toMatchObject({
        nodes: [hub, ...fans.slice(0, 4)],
        truncated: true,
      });
      await evaluateAll(bench);
      for (const limit of [12, 13, 14]) {
        const { nodes, truncated } = (await walk(graph(), hub, null, { ...inwards, limit })) ?? {};
        expect([nodes, truncated]).toEqual([[hub, ...fans].slice(0, limit), limit < 13]);
      }
    });
  },
};

const now = async () => new Date();
/** A source that covers every instrument, so that no record is shown without prospect. */
const PRICED = { marketData: madePrices(), barFiles: madePrices(), clock: { now, lastSeen: now } };

/** The graph that is returned, with the edges as text in order; null where it is NOT_FOUND. */
export async function walk(
  graph: GraphReader,
  record_id: string,
  viewer: string | null,
  query: GraphQuery,
): Promise<NaiveGraph | null> {
  const reading =
    viewer === null
      ? readPublicGraph({ graph }, record_id, query)
      : readGraph({ graph, ...PRICED }, record_id, viewer, query);
  const found = await reading.catch((problem: unknown) => {
    if (problem instanceof Error && 'code' in problem && problem.code === 'NOT_FOUND') return null;
    throw problem;
  });
  return (
    found && {
      nodes: found.nodes.map((node) => node.record_id),
      edges: found.edges.map(({ from, relation, to }) => `${from} ${relation} ${to}`).sort(),
      truncated: found.truncated,
    }
  );
}

export function walksOver(records: readonly Decision[], { agents }: Web) {
  return fc.record({
    record_id: fc.constantFrom(...records.map((record) => record.record_id)),
    viewer: fc.constantFrom(null, null, ...agents.map(({ owner_id }) => owner_id)),
    query: fc.record({
      direction: fc.constantFrom(...GRAPH_DIRECTIONS),
      depth: fc.nat({ max: 3 }),
      limit: fc.constantFrom(0, 1, 2, 5, 20, 50, 100),
    }),
  });
}
