import { expect, test } from '@jest/globals';
import { evaluateDue } from '../../../application/grading/evaluate-due.ts';
import { type RecomputedRecord, recompute, recomputeAll } from '../../../application/grading/recompute.ts';
import { sealEvidence } from '../../../application/grading/sealed-evidence.ts';
import { verifyInstruments } from '../../../application/market/verify-instruments.ts';
import type { Ports } from '../../../application/ports.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';
import type { DecisionReader, EvidenceReader } from '../../../domain/decisions/views/decision-reader.ts';
import { HOUR, MINUTE, SECOND } from '../../../domain/time.ts';
import { memoryBench } from './bench.ts';

const SETTLED = HOUR + MINUTE + 120 * SECOND;

async function evaluated(...changes: Parameters<Awaited<ReturnType<typeof memoryBench>>['submit']>[0][]) {
  const bench = await memoryBench('BTC');
  const ids = await Promise.all(changes.map((change) => bench.submit(change)));
  await verifyInstruments(bench.ports);
  await bench.arrange.advance(SETTLED);
  await evaluateDue(bench.ports);
  return { ...bench, ids };
}

test('every outcome is recomputed equal years later, without asking a source', async () => {
  const { ids, ports, prices, arrange } = await evaluated(
    { direction: 'bullish', reference_price: 3, model: { knowledge_cutoff: '2026-03-03T00:00:00Z' } },
    { direction: 'bearish', price_targets: { targets: [{ price: 1 }], stop_loss: { price: 1e9, kind: 'trailing' } } },
    { direction: 'neutral', invalidation: [{ kind: 'rises_above', threshold: 1 }] },
  );
  await arrange.advance(5 * 365 * 24 * HOUR);
  const requests = prices.asked.length;
  for (const id of ids) expect(await recompute(ports, id)).toMatchObject({ kind: 'same' });
  expect(prices.asked).toHaveLength(requests);
});

test('each different fact is named, with both values', async () => {
  const { ids, ports } = await evaluated({});
  const [id = ''] = ids;
  const altered = withDecisions(ports, {
    find: async (...args) => (await ports.decisions.find(...args)).map(withOtherFacts),
  });
  const result = await recompute(altered, id);
  expect(result).toEqual({
    kind: 'different',
    differences: [
      { path: 'facts.entry.price', kept: '1', computed: expect.stringMatching(/^\d/) },
      { path: 'facts.tau', kept: '7', computed: String(1 / 24) },
      { path: 'result_bucket', kept: '"strong_incorrect"', computed: '"weak_correct"' },
    ],
  });
});

test('a direction that was changed afterwards gives other facts', async () => {
  const { ids, ports } = await evaluated({ direction: 'bullish' });
  const turned = withDecisions(ports, {
    find: async (...args) => (await ports.decisions.find(...args)).map((row) => ({ ...row, direction: 'bearish' })),
  });
  expect(await recompute(turned, ids[0] ?? '')).toMatchObject({ kind: 'different' });
});

test('an erased record has the facts that others see, and none of its owner', async () => {
  const { ids, ports } = await evaluated({});
  const owner_facts = { levels: null, reference_price: null, knowledge_overlap: null };
  const erased = withDecisions(ports, {
    find: async (...args) => (await ports.decisions.find(...args)).map((row) => ({ ...row, salt: null, owner_facts })),
  });
  expect(await recompute(erased, ids[0] ?? '')).toMatchObject({ kind: 'same' });
});

test('evidence that gives no outcome at all is a difference', async () => {
  const { ids, ports } = await evaluated({});
  const [id = ''] = ids;
  const nothing = { source: 'made up', dropped: 0, bars: [] } as const;
  const seen = { path: { ...nothing, size: '1m' }, daily: { ...nothing, size: '1d' }, now: Date.now() } as const;
  const empty = sealEvidence(id, 'eval/3', {
    ...seen,
    listing: { delisted_at: null },
    end_time: Date.UTC(2026, 2, 2, 13),
  });
  const result = await recompute(withEvidence(ports, { findEvidence: async () => empty }), id);
  expect(result).toMatchObject({ kind: 'different' });
  expect(JSON.stringify(result)).toContain('insufficient_history');
});

test('damaged evidence is reported and not computed from', async () => {
  const { ids, ports } = await evaluated({});
  const [id = ''] = ids;
  const sealed = await ports.evidence.findEvidence(id);
  if (!sealed) throw new Error('No evidence was stored');
  const changed = { ...sealed, document: sealed.document.replace('"delisted_at":null', '"delisted_at":0') };
  const result = await recompute(withEvidence(ports, { findEvidence: async () => changed }), id);
  expect(result).toMatchObject({ kind: 'damaged', faults: [expect.stringContaining('digest')] });
});

test('each record is graded and recomputed by its own method, side by side', async () => {
  const bench = await memoryBench('BTC');
  const methods = ['eval/1', 'eval/2', 'eval/3'];
  const ids = await Promise.all(methods.map((method) => bench.submit({}, { method })));
  await verifyInstruments(bench.ports);
  await bench.arrange.advance(SETTLED);
  await evaluateDue(bench.ports);
  const read = await Promise.all(ids.map(bench.read));
  expect(read.map(({ method, facts }) => [method, facts?.method])).toEqual(methods.map((name) => [name, name]));
  for (const id of ids) expect(await recompute(bench.ports, id)).toMatchObject({ kind: 'same' });
});

test('evidence of another method than that of the record is damaged, whatever it would give', async () => {
  const { ids, ports } = await evaluated({});
  const earlier = withDecisions(ports, {
    find: async (...args) => (await ports.decisions.find(...args)).map((row) => ({ ...row, method: 'eval/1' })),
  });
  expect(await recompute(earlier, ids[0] ?? '')).toEqual({
    kind: 'damaged',
    faults: ['The evidence is of eval/3, the record of eval/1.'],
  });
});

test('what cannot be recomputed says why', async () => {
  const bench = await memoryBench('BTC');
  const id = await bench.submit();
  const reason = async (ports: EvidencePorts, record_id: string) => {
    const result = await recompute(ports, record_id);
    return result.kind === 'impossible' ? result.reason : result.kind;
  };
  expect(await reason(bench.ports, 'dec_20260101_00000000')).toBe('There is no such record.');
  expect(await reason(bench.ports, id)).toContain('pending_verify');
  const { ids, ports } = await evaluated({});
  const gone = withEvidence(ports, { findEvidence: async () => null });
  expect(await reason(gone, ids[0] ?? '')).toContain('No evidence');
});

test('all outcomes are recomputed, each once, over pages', async () => {
  const { ids, ports } = await evaluated({}, {}, {}, {}, {});
  const pages = withEvidence(ports, { evaluatedAfter: (after) => ports.evidence.evaluatedAfter(after, 2) });
  const all: RecomputedRecord[] = [];
  for await (const each of recomputeAll(pages)) all.push(each);
  expect(all.map(({ record_id }) => record_id)).toEqual(ids.toSorted());
  expect(all.every(({ result }) => result.kind === 'same')).toBe(true);
});

type EvidencePorts = Pick<Ports, 'decisions' | 'evidence'>;

function withEvidence(ports: EvidencePorts, changes: Partial<EvidenceReader>): EvidencePorts {
  return { ...ports, evidence: { ...ports.evidence, ...changes } };
}

function withDecisions(ports: EvidencePorts, changes: Partial<DecisionReader>): EvidencePorts {
  return { ...ports, decisions: { ...ports.decisions, ...changes } };
}

function withOtherFacts(decision: Decision): Decision {
  if (!decision.facts) throw new Error('There are no facts');
  const { entry } = decision.facts;
  const facts = { ...decision.facts, tau: 7, entry: { ...entry, price: 1 } };
  return { ...decision, result_bucket: 'strong_incorrect', facts };
}
