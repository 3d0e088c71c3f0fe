import type { AuditHead } from '../../audit-log.ts';
import type { CanonicalJson } from '../../canonical-json.ts';
import {
  type Decision,
  type DecisionHeader,
  furtherHorizon,
  isFurtherHorizon,
  type LaterReading,
  receivedReading,
} from '../../decisions/decision.ts';
import { type KeyFactor, keyFactors, type Submission } from '../../decisions/submission/submission.ts';
import { minuteOf, publicEvaluationTime, publicFacts } from '../../decisions/views/public-views.ts';
import { publicWindow } from '../../decisions/views/views.ts';
import type { OutcomeFacts, ResultBucket } from '../../grading/outcome.ts';
import { rfc3339 } from '../../time.ts';
import { bytesOfHex } from '../encoding.ts';
import type { Sha256, Sha256As } from '../tree/tree.ts';

/** What names and later statements about them say is no part of what was said. */
type NotStated = 'name' | 'counted_as' | 'wrong_security';

/** What a decision must have for its public statement. */
export interface StatedDecision
  extends Omit<DecisionHeader, NotStated>,
    Pick<Decision, 'group_place'>,
    Pick<LaterReading, 'received_symbol' | 'received_cohort_key'> {
  readonly submission_time: Date;
  readonly submission: Pick<Submission, 'key_factors'>;
  /** Of its evaluation, such as `eval/1`. */
  readonly method: string;
}

/**
 * What others may see of a decision once it is public, and what never changes: names and values of the public detail
 * (settled.md section 5). Times are RFC 3339. Whether others see a workflow or a related record changes later, and
 * calendars move the end of the window, so none of these is in it.
 */
export interface PublicStatement extends Omit<DecisionHeader, 'data_cutoff' | NotStated> {
  readonly v: 1 | 2;
  /** In version 2 alone: another horizon of the decision leads. */
  readonly further_horizon?: true;
  readonly data_cutoff: string;
  /** To the minute. */
  readonly submission_time: string;
  readonly method: string;
  readonly key_factors: readonly StatedFactor[];
}

type StatedFactor = Omit<KeyFactor, 'source'>;

/**
 * The public statement of a decision: version 1, and of a further horizon of a decision group version 2, which is version 1
 * with `further_horizon` (securities.md 5). It is frozen: leaves contain its digest, so for the same decision it must return
 * the same value for good. A change of the public detail makes a version 3.
 */
export function publicStatement(decision: StatedDecision): PublicStatement {
  const { symbol, cohort_key } = receivedReading(decision);
  // In the order of RFC 8785, so that its text is made as it is.
  return {
    analysis_class: decision.analysis_class,
    asset_class: decision.asset_class,
    cohort_key,
    data_cutoff: rfc3339(decision.data_cutoff),
    direction: decision.direction,
    ...furtherHorizon(decision),
    horizon_kind: decision.horizon_kind,
    horizon_value: decision.horizon_value,
    key_factors: statedFactors(decision.submission.key_factors),
    market: decision.market,
    method: decision.method,
    perspective_type: decision.perspective_type,
    quote_currency: decision.quote_currency,
    record_id: decision.record_id,
    submission_origin: decision.submission_origin,
    submission_time: rfc3339(minuteOf(decision.submission_time)),
    symbol,
    v: isFurtherHorizon(decision) ? 2 : 1,
    venue: decision.venue,
  };
}

/** The factors as others see them: with shorthands expanded, without sources. */
export function statedFactors(sent: Submission['key_factors']): readonly StatedFactor[] {
  return keyFactors({ key_factors: sent ?? [] }).map(({ metric, ...factor }) => {
    const shown: KeyFactor = metric ? { ...factor, metric: members(metric, ['name', 'unit', 'value']) } : factor;
    return members(shown, FACTOR);
  });
}

const FACTOR = ['depends_on', 'dimension', 'direction', 'factor', 'id', 'metric', 'weight'] as const;

/** These members of an object, in this order, without those that it lacks. */
function members<From extends object, Name extends keyof From>(from: From, names: readonly Name[]): Pick<From, Name> {
  const present = {} as { -readonly [Each in Name]: From[Each] };
  for (const name of names) {
    if (from[name] !== undefined) present[name] = from[name];
  }
  return present;
}

/**
 * What remains of the statement of a decision whose owner was erased: what its leaf is verified with besides the record,
 * and nothing that only the owner saw. There is no salt any more.
 */
interface ErasedStatement {
  readonly body: {
    /** As others see them. */
    readonly key_factors: ReturnType<typeof statedFactors>;
  };
  readonly erased: true;
  /** `producerDigest`, hex. */
  readonly producer: string;
}

/** @param producer the digest that the decision has, hex */
export function erasedStatement({ key_factors }: Pick<Submission, 'key_factors'>, producer: string): ErasedStatement {
  return { body: { key_factors: statedFactors(key_factors) }, erased: true, producer };
}

/** The producer of an erased statement; null for any other text. */
export function erasedProducer(statement: string): string | null {
  return /"producer": ?"([0-9a-f]{64})"/.exec(statement)?.[1] ?? null;
}

/** What a graded decision must have for its public outcome. */
export interface GradedDecision
  extends Pick<Decision, 'market' | 'venue' | 'submission_origin' | 'anchor_time' | 'end_time'> {
  readonly result_bucket: ResultBucket;
  readonly evaluated_at: Date;
  readonly created_regime: { readonly label: string } | null;
  readonly facts: OutcomeFacts;
}

/** What of a grade is shown as it is stored. */
export type ShownGrade = Pick<GradedDecision, 'result_bucket' | 'evaluated_at' | 'created_regime'>;

/** What others see of a grade, by the names of the public detail (settled.md section 5). */
export interface PublicOutcome {
  readonly v: 1;
  readonly result_bucket: ResultBucket;
  /** RFC 3339, to the minute, rounded up. */
  readonly evaluated_at: string;
  readonly created_regime: string | null;
  /** The facts as others see them (`publicFacts`), without what the detail derives from them and the direction. */
  readonly outcome: OutcomeFacts;
  /** `evidenceDigest`, hex: without its salt it does not show what the evidence is. */
  readonly evidence: string;
}

/**
 * The public outcome of a grade, version 1; frozen as `publicStatement` is. The facts of eval/2 depend on the calendar:
 * what is logged is computed once, with the grade, and stored.
 * @param evidence hex
 */
export function publicOutcome(decision: GradedDecision, evidence: string): PublicOutcome {
  return withFacts(decision, evidence, publicFacts(decision.facts, decision, publicWindow(decision)));
}

/** The facts that others see with another value than the owner: what a public outcome is stored as. */
export type ChangedFacts = Partial<OutcomeFacts>;

export function shownFactsOf({ outcome }: PublicOutcome, facts: OutcomeFacts): ChangedFacts {
  const [exact, shown] = [facts, outcome] as unknown as readonly Readonly<Record<string, unknown>>[];
  const changed: Record<string, unknown> = {};
  for (const name in shown) {
    if (exact?.[name] !== shown[name]) changed[name] = shown[name];
  }
  return changed as ChangedFacts;
}

/** The public outcome as it was logged. */
export function loggedOutcome(
  decision: ShownGrade & Pick<GradedDecision, 'facts'>,
  evidence: string,
  shown: ChangedFacts,
): PublicOutcome {
  return withFacts(decision, evidence, { ...decision.facts, ...shown } as OutcomeFacts);
}

function withFacts(decision: ShownGrade, evidence: string, outcome: OutcomeFacts): PublicOutcome {
  const { result_bucket, v, ...before } = withoutFacts(decision, evidence);
  return { ...before, outcome, result_bucket, v };
}

/** The public outcome but for its facts. */
export function withoutFacts(decision: ShownGrade, evidence: string): Omit<PublicOutcome, 'outcome'> {
  return {
    created_regime: decision.created_regime?.label ?? null,
    evaluated_at: rfc3339(publicEvaluationTime(decision.evaluated_at)),
    evidence,
    result_bucket: decision.result_bucket,
    v: 1,
  };
}

/** What a decision's leaf commits to; each 32 bytes. */
interface DecisionDigests {
  /** SHA-256(salt || statement): the commitment of the record (settled.md section 4). */
  readonly commitment: Uint8Array;
  readonly publicDigest: Uint8Array;
  readonly producer: Uint8Array;
}

/** `c` of the leaf of a decision: of all that its owner said, of what others may see, and of who said it. */
export function decisionDigest<Digest>(
  { commitment, publicDigest, producer }: DecisionDigests,
  sha256: Sha256As<Digest>,
): Digest {
  return sha256('stancebook/decision/1\n', commitment, publicDigest, producer);
}

/** @param public_salt 32 random bytes of this decision, shown only in a proof */
export function publicDigest(
  public_salt: Uint8Array,
  statement: PublicStatement,
  canonicalJson: CanonicalJson,
  sha256: Sha256,
): Uint8Array {
  return sha256(public_salt, canonicalJson(statement));
}

/**
 * Hides who made a decision: only the owner knows the salt. Two decisions of one agent have nothing in common.
 * @param salt that of the decision's commitment
 */
export function producerDigest(
  salt: Uint8Array,
  { owner_id, agent_id }: { readonly owner_id: string; readonly agent_id: string },
  sha256: Sha256,
): Uint8Array {
  return sha256('stancebook/producer/1\n', salt, `${owner_id}/${agent_id}`);
}

/**
 * `c` of the leaf of a plan: of the question that was stated, and of who stated it.
 * @param plan SHA-256(salt || statement), and `producerDigest` with the same salt; each 32 bytes
 */
export function planDigest(
  { commitment, producer }: Pick<DecisionDigests, 'commitment' | 'producer'>,
  sha256: Sha256,
): Uint8Array {
  return sha256('stancebook/plan/1\n', commitment, producer);
}

/** `o` of the leaf of an outcome. @param outcome_salt 32 random bytes of this outcome */
export function outcomeDigest<Digest>(
  outcome_salt: Uint8Array,
  outcome: PublicOutcome,
  canonicalJson: CanonicalJson,
  sha256: Sha256As<Digest>,
): Digest {
  return sha256('stancebook/outcome/1\n', outcome_salt, canonicalJson(outcome));
}

/**
 * `sha256` of the daily leaf for the audit log. Without the salt, entries could be guessed.
 * @param salt 32 random bytes of this leaf, shown only by the operator
 */
export function auditHeadDigest(salt: Uint8Array, { seal }: AuditHead, sha256: Sha256): Uint8Array {
  return sha256('stancebook/audit-head/1\n', salt, bytesOfHex(seal));
}

/**
 * The digest of the evidence of an outcome. Without the salt, decisions that share bars would have one digest, and the
 * instrument of a withheld one could be guessed.
 * @param evidence_salt 32 random bytes, shown only with the document
 * @param document in RFC 8785 form, as it is stored
 */
export function evidenceDigest<Digest>(evidence_salt: Uint8Array, document: string, sha256: Sha256As<Digest>): Digest {
  return sha256(evidence_salt, document);
}
