import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Decision } from '../../domain/decisions/decision.ts';
import { onMemory } from './decisions/adapters.ts';
import { benchOn } from './decisions/bench.ts';
import { naiveGraph, type Sees, sees } from './graph/naive.ts';
import { walk, walksOver } from './graph/walking.ts';
import { aWeb, type Web } from './graph/web.ts';

// The comparison of walks must detect each of these faults.

const bench = benchOn({ name: 'memory', open: onMemory });
let web: Web;
let records: readonly Decision[];
beforeAll(async () => {
  web = await aWeb(bench, 6, 11);
  records = await web.records();
});

/** How many walks of an unauthenticated viewer differ from a naive walk over these records. */
async function differing(changed: readonly Decision[], passes: Sees = sees): Promise<number> {
  let differ = 0;
  const property = fc.asyncProperty(walksOver(records, web), async ({ record_id, query }) => {
    const actual = await walk(bench.storage().graph, record_id, null, query);
    const expected = naiveGraph(changed, record_id, null, query, passes);
    if (JSON.stringify(actual) !== JSON.stringify(expected)) differ += 1;
  });
  await fc.assert(property, { numRuns: 250, seed: 3 });
  return differ;
}

test('no walk differs from the right one', async () => {
  expect(await differing(records)).toBe(0);
});

test('walks that pass through what the viewer does not see', async () => {
  expect(await differing(records, () => true)).toBeGreaterThan(0);
});

test('walks along links to records that were not public yet when they were pointed to', async () => {
  const early = records.map((record) => ({ ...record, related: record.related.map((r) => ({ ...r, public: true })) }));
  expect(await differing(early)).toBeGreaterThan(0);
});

test('walks along workflows that are not public', async () => {
  expect(await differing(records.map((record) => ({ ...record, workflow_public: true })))).toBeGreaterThan(0);
});

test('walks that show others what a record supersedes', async () => {
  const shown = records.map((record) => {
    const related = record.related.map((link) => ({ ...link, relation: renamed(link.relation) }));
    return { ...record, related };
  });
  expect(await differing(shown)).toBeGreaterThan(0);
});

/** A relation that the naive walk does not know to hide. */
function renamed(relation: Decision['related'][number]['relation']): typeof relation {
  return relation === 'supersedes' ? 'refines' : relation;
}
