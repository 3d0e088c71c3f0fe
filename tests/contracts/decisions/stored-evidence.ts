import { expect, test } from '@jest/globals';
import { openEvidence } from '../../../application/grading/sealed-evidence.ts';
import type { EvaluationEnd } from '../../../domain/decisions/evaluation-store.ts';
import { aGraded, anOutcome } from '../../builders/outcomes.ts';
import { race } from '../adapters.ts';
import type { Bench, DecisionContract } from './bench.ts';
import { endOf, evaluateAll, FAR, inMinutes } from './evaluated.ts';
import { tracked } from './leases.ts';

export const storedEvidenceContract: DecisionContract = {
  name: 'evidence of outcomes',
  promises(bench) {
    test('the evidence of an outcome is read as it was stored, byte for byte', async () => {
      const { record_id, evidence } = await graded(bench);
      const stored = await bench.storage().evidence.findEvidence(record_id);
      expect(stored).toMatchObject({ digest: evidence.digest, document: evidence.document });
      const texts = (bars: typeof evidence.bars = []) => bars.map(({ digest, content }) => `${digest} ${content}`);
      expect(texts(stored?.bars).toSorted()).toEqual(texts(evidence.bars).toSorted());
      expect(stored && openEvidence(record_id, stored)).toEqual(openEvidence(record_id, evidence));
    });

    test('the evidence of several records is what each has; records without are left out', async () => {
      const [first, second] = [await graded(bench), await graded(bench)];
      const { evidence } = bench.storage();
      const ids = [first.record_id, 'dec_20260101_00000000', second.record_id];
      const found = await evidence.findEvidenceOfEach(ids);
      expect([...found.keys()].toSorted()).toEqual([first.record_id, second.record_id].toSorted());
      for (const [id, sealed] of found) expect(sealed).toEqual(await evidence.findEvidence(id));
      expect(await evidence.findEvidenceOfEach([])).toEqual(new Map());
    });

    test('a record without an outcome has none, nor has one that does not exist', async () => {
      const { record_id } = await bench.accepted(await bench.agent());
      const { evidence } = bench.storage();
      expect(await evidence.findEvidence(record_id)).toBeNull();
      expect(await evidence.findEvidence('dec_20260101_00000000')).toBeNull();
      await evaluateAll(bench);
    });

    test('evidence under a void token is not stored', async () => {
      const [record_id = ''] = await tracked(bench, [3_600]);
      const { evaluations, evidence } = bench.storage();
      const [slow] = await evaluations.claimDue(FAR, FAR, 1_000);
      const [taker] = await evaluations.claimDue(inMinutes(FAR, 1), inMinutes(FAR, 6), 1_000);
      if (!slow || !taker) throw new Error('Nothing is due.');
      await evaluations.endEvaluations([endOf(slow)], FAR);
      expect(await evidence.findEvidence(record_id)).toBeNull();
      await evaluations.endEvaluations([endOf(taker)], FAR);
      expect(await evidence.findEvidence(record_id)).not.toBeNull();
    });

    test('20 workers that keep the same bars at once all succeed, and each outcome has them', async () => {
      const ids = await tracked(
        bench,
        Array.from({ length: 20 }, () => 3_600),
      );
      const { evaluations } = bench.storage();
      const claimed = await evaluations.claimDue(FAR, FAR, 1_000);
      // Bars that no outcome of another test has stored yet.
      const outcome = anOutcome({ bars: anOutcome().bars.map((bar) => ({ ...bar, volume: Math.random() })) });
      const ends = claimed.map((each): EvaluationEnd => endOf(each, aGraded(each.decision.record_id, outcome)));
      await race(20, (worker) => evaluations.endEvaluations(ends.slice(worker, worker + 1), FAR));
      const opened = await Promise.all(ids.map(async (id) => openedOf(bench, id)));
      expect(opened).toEqual(ids.map(() => ({ kind: 'intact', volume: outcome.bars[0]?.volume })));
    });

    test('records with an outcome are listed in the order of their ids, a page at a time', async () => {
      await tracked(bench, [3_600, 3_600, 3_600]);
      await evaluateAll(bench);
      const { evidence } = bench.storage();
      const all = await evidence.evaluatedAfter(null, 1_000);
      expect(all.length).toBeGreaterThan(2);
      expect(all).toEqual(all.toSorted());
      expect(await evidence.evaluatedAfter(null, 2)).toEqual(all.slice(0, 2));
      expect(await evidence.evaluatedAfter(all[0] ?? '', 2)).toEqual(all.slice(1, 3));
      expect(await evidence.evaluatedAfter(all.at(-1) ?? '', 2)).toEqual([]);
    });

    test('with a time only records that were evaluated at or after it are listed', async () => {
      const { record_id } = await graded(bench);
      const { decisions, evidence } = bench.storage();
      const [decision] = await decisions.find([record_id], null);
      const evaluated_at = decision?.evaluated_at ?? new Date(Number.NaN);
      const after = new Date(evaluated_at.getTime() + 1);
      expect(await evidence.evaluatedAfter(null, 1_000, evaluated_at)).toContain(record_id);
      expect(await evidence.evaluatedAfter(null, 1_000, after)).not.toContain(record_id);
    });

    test('one that is put under quarantine afterwards stays listed', async () => {
      const { record_id } = await graded(bench);
      await bench.arrange().mark(record_id, { quarantine_reason: 'made up' });
      expect(await bench.storage().evidence.evaluatedAfter(null, 1_000)).toContain(record_id);
      expect(await bench.storage().evidence.findEvidence(record_id)).not.toBeNull();
    });
  },
};

async function graded(bench: Bench) {
  const [record_id = ''] = await tracked(bench, [3_600]);
  await evaluateAll(bench);
  return { record_id, evidence: aGraded(record_id).evidence };
}

async function openedOf(bench: Bench, record_id: string) {
  const stored = await bench.storage().evidence.findEvidence(record_id);
  const opened = stored && openEvidence(record_id, stored);
  if (opened?.kind !== 'intact') throw new Error(`The evidence of ${record_id} is damaged.`);
  return { kind: opened.kind, volume: opened.seen.path.bars[0]?.volume };
}
