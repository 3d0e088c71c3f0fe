import type { CanonicalJson } from '../../domain/canonical-json.ts';
import { isPublic } from '../../domain/decisions/visibility.ts';
import { numberOf, producerOf } from '../../domain/log/batch.ts';
import { bytesOfHex, equalBytes, hexOf } from '../../domain/log/encoding.ts';
import { CLOSING_REASONS, type ClosingReason, type LogLeaf } from '../../domain/log/leaves/leaf.ts';
import {
  auditHeadDigest,
  decisionDigest,
  evidenceDigest,
  loggedOutcome,
  outcomeDigest,
  planDigest,
  producerDigest,
  publicDigest,
  publicStatement,
} from '../../domain/log/leaves/public-statement.ts';
import type { LeafOfPlan, LogPlace, OpenedDecision, OpenedOutcome } from '../../domain/log/log-evidence.ts';
import type { LoggedDataset, LoggedDecision, LoggedHead, LoggedNames } from '../../domain/log/log-store.ts';
import type { Plan } from '../../domain/log/plan.ts';
import { sha256, sha256Hex } from '../sha256.ts';

/** What is stored about leaves, by their indexes. */
export interface StoredOpenings {
  readonly decisions: ReadonlyMap<number, OpenedDecision>;
  /** By the index of the leaf of the decision. */
  readonly outcomes: ReadonlyMap<number, OpenedOutcome>;
  readonly heads: ReadonlyMap<number, LoggedHead>;
  readonly datasets: ReadonlyMap<number, LoggedDataset>;
  readonly names: ReadonlyMap<number, LoggedNames>;
  readonly plans: ReadonlyMap<number, LeafOfPlan>;
}

/** How the leaf at an index differs from what is stored about it, in words. */
export function leafFaults(
  leaf: LogLeaf,
  index: number,
  { decisions, outcomes, heads, datasets, names, plans }: StoredOpenings,
  canonicalJson: CanonicalJson,
): readonly string[] {
  switch (leaf.t) {
    case 'decision':
    case 'imported':
      return decisionFaults(leaf, decisions.get(index), canonicalJson);
    case 'outcome':
      return outcomeFaults(leaf.o, index, outcomes.get(leaf.of), canonicalJson);
    case 'snapshot':
      return headFaults(leaf.sha256, heads.get(index));
    case 'dataset':
      return datasetFaults(leaf.sha256, datasets.get(index));
    case 'names':
      return namesFaults(leaf.sha256, names.get(index));
    case 'plan':
      return planFaults(leaf.c, plans.get(index));
    default:
      return [];
  }
}

type DecisionLeaf = Extract<LogLeaf, { readonly c: string }>;

function decisionFaults(leaf: DecisionLeaf, opened: OpenedDecision | undefined, canonicalJson: CanonicalJson) {
  if (!opened) return ['no decision has it'];
  const { record_id, public_salt, producer, decision, erased } = opened;
  if (!decision) return [`the decision ${record_id}, or its statement, is gone`];
  const digests = {
    commitment: bytesOfHex(decision.commitment),
    publicDigest: publicDigest(public_salt, publicStatement(decision), canonicalJson, sha256),
    producer,
  };
  return [
    ...(hexOf(decisionDigest(digests, sha256)) === leaf.c
      ? []
      : [`${record_id} has another commitment, public statement or producer than was logged`]),
    ...(isLoggedProducer(leaf, decision, { producer, erased })
      ? []
      : [`${record_id} has another owner, agent, number or salt than was logged`]),
  ];
}

/** Of an erased decision that was numbered, the leaf and what opens it alone say who made it. */
function isLoggedProducer(
  leaf: DecisionLeaf,
  decision: LoggedDecision,
  { producer, erased }: Pick<OpenedDecision, 'producer' | 'erased'>,
): boolean {
  const { salt, agent_salt, erased_producer } = decision;
  if (salt === null && erased_producer === null) return false;
  if (leaf.v === 1) return equalBytes(producerOf(decision, sha256), producer);
  if (salt === null) return true;
  if (agent_salt === null) return erased;
  const own = numberOf(decision, { sha256, sha256Hex });
  return own !== null && own.mark === leaf.mark && equalBytes(own.producer, producer);
}

function outcomeFaults(o: string, index: number, opened: OpenedOutcome | undefined, canonicalJson: CanonicalJson) {
  if (!opened) return ['no outcome has it'];
  const { record_id, outcome_salt, evidence_salt, evidence, shown, graded, document } = opened;
  if (opened.index !== index) return [`the outcome of ${record_id} has the leaf ${opened.index}`];
  if (!graded) return [`the outcome of ${record_id} is gone`];
  const digest = outcomeDigest(outcome_salt, loggedOutcome(graded, evidence, shown), canonicalJson, sha256);
  return [
    ...(hexOf(digest) === o ? [] : [`${record_id} has another outcome than was logged`]),
    ...(hexOf(evidenceDigest(evidence_salt, document ?? '', sha256)) === evidence
      ? []
      : [`${record_id} has another document of evidence than was logged`]),
  ];
}

function headFaults(logged: string, opened: LoggedHead | undefined): readonly string[] {
  if (!opened) return ['no head of the audit log has it'];
  const { day, salt, head } = opened;
  return hexOf(auditHeadDigest(salt, head, sha256)) === logged
    ? []
    : [`the head of the audit log of ${day} is another than was logged`];
}

function datasetFaults(logged: string, stored: LoggedDataset | undefined): readonly string[] {
  if (!stored) return ['no public snapshot has it'];
  return stored.sha256 === logged
    ? []
    : [`the public snapshot of ${stored.month} has another SHA256SUMS than was logged`];
}

function namesFaults(logged: string, stored: LoggedNames | undefined): readonly string[] {
  if (!stored) return ['no statements about names have it'];
  return stored.sha256 === logged
    ? []
    : [`the statements about names of ${stored.learned_at} are others than were logged`];
}

function planFaults(c: string, opened: LeafOfPlan | undefined): readonly string[] {
  if (!opened) return ['no plan has it'];
  const { plan_id, plan, erased } = opened;
  if (!plan) return [`the plan ${plan_id} is gone`];
  const digests = { commitment: bytesOfHex(plan.commitment), producer: bytesOfHex(plan.producer) };
  const isLogged = hexOf(planDigest(digests, sha256)) === c;
  if (!isLogged || !isOpenedBy(plan))
    return [`the plan ${plan_id} says another thing, or is of others, than was logged`];
  return plan.opened === null && !erased ? [`the plan ${plan_id} is empty, and its owner was not erased`] : [];
}

/** Whether salt and statement, where they are still there, are those of the digests. */
function isOpenedBy({ opened, commitment, producer, ...who }: Plan): boolean {
  if (opened === null) return true;
  const salt = bytesOfHex(opened.salt);
  const isSaid = hexOf(sha256(salt, opened.statement)) === commitment;
  return isSaid && hexOf(producerDigest(salt, who, sha256)) === producer;
}

/** What a log says that became of a decision. */
export interface LoggedState {
  readonly graded: boolean;
  /** Null for a decision that is not closed. */
  readonly closed: ClosingReason | null;
}

/**
 * How a decision differs from its leaves and pending events, in words.
 * @param logged what its leaves say; null where the leaf is that of no decision
 */
export function placeFaults(place: LogPlace, logged: LoggedState | null): readonly string[] {
  const { lifecycle_state, hasOutcome, index, outcome_index, pending } = place;
  if (lifecycle_state === null) {
    return pending.length === 0 ? [] : [`there is no such decision, and ${pending.length} events of it are pending`];
  }
  if (index !== null && logged === null) return [`its leaf ${index} is not that of a decision`];
  const begins = pending[0]?.event === 'decision' || pending[0]?.event === 'imported';
  if (index === null && !begins) return ['it has no leaf, and none is pending'];
  const expected = pending.reduce(after, logged ?? { graded: false, closed: null });
  const stored = CLOSING_REASONS.find((reason) => reason === lifecycle_state);
  const isAsLogged =
    (stored ?? null) === expected.closed && (stored !== undefined || isPublic({ lifecycle_state }) === expected.graded);
  return [
    ...(isAsLogged ? [] : [`lifecycle_state is ${lifecycle_state}, and the log says ${nameOf(expected)}`]),
    ...(hasOutcome && !expected.graded ? ['its outcome has no leaf, and none is pending'] : []),
    ...(outcome_index !== null && !logged?.graded ? [`the leaf ${outcome_index} is not that of its outcome`] : []),
  ];
}

function after(state: LoggedState, { event, reason }: LogPlace['pending'][number]): LoggedState {
  switch (event) {
    case 'outcome':
      return { ...state, graded: true };
    case 'closed':
      return { ...state, closed: reason };
    case 'reopened':
      return { ...state, closed: null };
    default:
      return state;
  }
}

function nameOf({ graded, closed }: LoggedState): string {
  return closed ?? (graded ? 'graded' : 'open');
}
