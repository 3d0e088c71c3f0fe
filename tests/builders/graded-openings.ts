import { canonicalJson } from '../../adapters/formats/canonical-json.ts';
import { evaluateDue } from '../../application/grading/evaluate-due.ts';
import { verifyInstruments } from '../../application/market/verify-instruments.ts';
import { sha256 } from '../../application/sha256.ts';
import { hexOf } from '../../domain/log/encoding.ts';
import type { OutcomeOpening } from '../../domain/log/leaves/opening.ts';
import {
  evidenceDigest,
  outcomeDigest,
  type PublicStatement,
  publicOutcome,
  publicStatement,
} from '../../domain/log/leaves/public-statement.ts';
import { DAY } from '../../domain/time.ts';
import type { SweepBench } from '../application/grading/bench.ts';

/** What opens a graded decision: its outcome with the evidence, and its statement. */
export interface GradedOpenings {
  readonly opening: OutcomeOpening;
  readonly statement: PublicStatement;
}

/** Submits a decision, grades it ten days later, and opens its outcome as its owner gets it; the decision has leaf 1. */
export async function gradedOpenings(
  bench: SweepBench,
  changes: Parameters<SweepBench['submit']>[0],
  method: string,
): Promise<GradedOpenings> {
  const id = await bench.submit(changes, { method });
  await verifyInstruments(bench.ports);
  await bench.arrange.advance(10 * DAY);
  await evaluateDue(bench.ports);
  const { evaluated_at, result_bucket, facts, ...decision } = await bench.read(id);
  const sealed = await bench.ports.evidence.findEvidence(id);
  if (!evaluated_at || !result_bucket || !facts || !sealed) throw new Error(`${id} is ${decision.lifecycle_state}.`);
  const salt = new Uint8Array(32);
  const evidence = hexOf(evidenceDigest(salt, sealed.document, sha256));
  const public_outcome = publicOutcome({ ...decision, evaluated_at, result_bucket, facts }, evidence);
  const o = hexOf(outcomeDigest(salt, public_outcome, canonicalJson, sha256));
  const opening: OutcomeOpening = {
    v: 1,
    leaf: { t: 'outcome', o, of: 1, v: 1 },
    outcome_salt: hexOf(salt),
    public_outcome,
    evidence: { salt: hexOf(salt), document: sealed.document, bars: sealed.bars.map(({ content }) => content) },
  };
  return { opening, statement: publicStatement(decision) };
}
