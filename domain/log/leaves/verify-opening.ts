import type { CanonicalJson } from '../../canonical-json.ts';
import { furtherHorizon, type GroupPlace, isFurtherHorizon } from '../../decisions/decision.ts';
import { analysisClass, type Submission } from '../../decisions/submission/submission.ts';
import { minuteOf } from '../../decisions/views/public-views.ts';
import { rfc3339 } from '../../time.ts';
import { bytesOfHex, hexOf } from '../encoding.ts';
import type { Sha256 } from '../tree/tree.ts';
import { numberedProducer, numberedProducerDigest } from './leaf.ts';
import type { DecisionOpening, Opening, OwnerOpening, PlanOpening } from './opening.ts';
import {
  decisionDigest,
  outcomeDigest,
  planDigest,
  producerDigest,
  publicDigest,
  statedFactors,
} from './public-statement.ts';

/** Whether an opening leads to its leaf: no other statement or outcome does. */
export function opensLeaf(opening: Opening, canonicalJson: CanonicalJson, sha256: Sha256): boolean {
  if ('public_outcome' in opening) {
    const { leaf, outcome_salt, public_outcome } = opening;
    return hexOf(outcomeDigest(bytesOfHex(outcome_salt), public_outcome, canonicalJson, sha256)) === leaf.o;
  }
  if (isPlan(opening)) {
    const { leaf, salt, statement, producer } = opening;
    const digests = { commitment: sha256(bytesOfHex(salt), statement), producer: bytesOfHex(producer) };
    return hexOf(planDigest(digests, sha256)) === leaf.c;
  }
  const { leaf, commitment, producer, public_salt, public_statement } = opening;
  const digests = {
    commitment: bytesOfHex(commitment),
    publicDigest: publicDigest(bytesOfHex(public_salt), public_statement, canonicalJson, sha256),
    producer: bytesOfHex(producer),
  };
  return hexOf(decisionDigest(digests, sha256)) === leaf.c;
}

/** Whether an opening is of a question that was stated before its answer. */
export function isPlan(opening: Opening): opening is PlanOpening {
  return opening.leaf.t === 'plan';
}

/** Whether an opening is of a decision. */
export function isStated(opening: Opening): opening is DecisionOpening {
  return 'public_statement' in opening;
}

/** Whether the producer of a plan is the owner and the agent that its opening names. */
export function namesProducer({ salt, producer, owner }: PlanOpening, sha256: Sha256): boolean {
  return owner !== undefined && hexOf(producerDigest(bytesOfHex(salt), owner, sha256)) === producer;
}

/** What the owner's part of an opening shows. */
export interface OwnerClaims {
  /** The commitment is that of the statement. */
  readonly statement: boolean;
  /** The producer is this owner and this agent. */
  readonly producer: boolean;
  /** The public statement repeats what the statement says. */
  readonly repeated: boolean;
}

export function ownerClaims(
  opening: DecisionOpening,
  owner: OwnerOpening,
  canonicalJson: CanonicalJson,
  sha256: Sha256,
): OwnerClaims {
  const salt = bytesOfHex(owner.salt);
  return {
    statement: hexOf(sha256(salt, owner.statement)) === opening.commitment,
    producer: hexOf(ownerDigest(opening, owner, sha256)) === opening.producer,
    repeated: repeats(opening, owner, canonicalJson),
  };
}

/** Of a leaf of version 2 the number among the agent's decisions is in it. */
function ownerDigest({ leaf }: DecisionOpening, owner: OwnerOpening, sha256: Sha256): Uint8Array {
  const { number, next_mark } = owner;
  if (leaf.v === 1 || number === undefined || next_mark === undefined)
    return producerDigest(bytesOfHex(owner.salt), owner, sha256);
  return numberedProducerDigest(numberedProducer({ ...owner, number, next_mark }, sha256), sha256);
}

/** Whether the public statement says what was submitted. Its instrument may be spelled otherwise there. */
function repeats(
  { public_statement: shown }: DecisionOpening,
  { statement }: OwnerOpening,
  canonicalJson: CanonicalJson,
) {
  try {
    const { body, record_id, submission_time, group } = JSON.parse(statement) as StatementDocument;
    const group_place = group?.place ?? null;
    const said = {
      v: isFurtherHorizon({ group_place }) ? 2 : 1,
      ...furtherHorizon({ group_place }),
      record_id,
      submission_time: rfc3339(minuteOf(new Date(submission_time))),
      direction: body.direction,
      analysis_class: analysisClass(body),
      perspective_type: body.perspective_type ?? null,
      horizon_kind: body.horizon_kind,
      horizon_value: body.horizon_value,
      data_cutoff: rfc3339(Date.parse(body.data_cutoff)),
      key_factors: statedFactors(body.key_factors),
    };
    return canonicalJson({ ...shown, ...said }) === canonicalJson(shown);
  } catch {
    // A statement that is no submission repeats nothing.
    return false;
  }
}

/** The text of `statementOf`. */
interface StatementDocument {
  readonly body: Submission;
  readonly record_id: string;
  readonly submission_time: string;
  readonly group?: GroupPlace;
}
