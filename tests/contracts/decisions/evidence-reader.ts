import { expect, test } from '@jest/globals';
import { canonicalJson } from '../../../adapters/formats/canonical-json.ts';
import { checkEvidence } from '../../../application/grading/check-evidence.ts';
import type { DecisionContract } from './bench.ts';
import { evaluateAll } from './evaluated.ts';

export const evidenceReaderContract: DecisionContract = {
  name: 'all evidence, to be checked',
  promises(bench) {
    test('every record with what was said and what it was graded from, once, page by page', async () => {
      const agent = await bench.agent();
      const before = await records();
      for (let n = 0; n < 3; n += 1) await bench.accepted(agent, { direction: 'neutral' });
      await evaluateAll(bench);
      const { record_id } = await bench.accepted(agent);
      const all = await records();
      expect(all).toHaveLength(before.length + 4);
      expect(all.map((each) => each.record_id)).toEqual(all.map((each) => each.record_id).toSorted());
      expect(all.filter(({ outcome }) => !outcome).map((each) => each.record_id)).toContain(record_id);
      const [decision] = await bench.storage().decisions.find([record_id], null);
      const { statement, salt, commitment, direction, data_cutoff } = decision ?? {};
      expect(all.find((each) => each.record_id === record_id)).toMatchObject({
        said: { statement, salt, commitment },
        evidence: null,
        ...{ direction, data_cutoff },
      });
      for (const { outcome, evidence } of all) expect(outcome !== null).toBe(evidence !== null);
    });

    test('a published workflow under its hash, and bars under their digests', async () => {
      const { evidence } = bench.storage();
      const hash = await bench.arrange().publish((await bench.agent()).owner_id, 'private');
      expect((await evidence.snapshotsAfter(null, 1_000)).map(({ digest }) => digest)).toContain(hash);
      const [first, second] = await evidence.barsAfter(null, 1_000);
      expect(await evidence.barsAfter(first?.digest ?? null, 1)).toEqual(second ? [second] : []);
    });

    test('the evidence that the service has written is intact', async () => {
      const faults: string[] = [];
      const counts = await checkEvidence({ ...bench.storage(), canonicalJson }, (fault) => faults.push(fault), {
        // These outcomes are made up.
        recomputed: false,
      });
      expect([faults, counts.faults]).toEqual([[], 0]);
      expect(counts.records).toBeGreaterThan(3);
      expect(counts.outcomes).toBeGreaterThan(2);
    });

    async function records() {
      const { evidence } = bench.storage();
      const all = [];
      for (let page = await evidence.recordsAfter(null, 2); page.length > 0; ) {
        all.push(...page);
        page = await evidence.recordsAfter(page.at(-1)?.record_id ?? null, 2);
      }
      return all;
    }
  },
};
