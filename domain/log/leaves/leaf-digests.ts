import type { AuditHead } from '../../audit-chain.ts';
import type { CanonicalJson } from '../../canonical-json.ts';
import { bytesOfHex } from '../encoding.ts';
import type { Sha256 } from '../tree/sha256.ts';
import type { PublicOutcome } from './public-outcome.ts';
import type { PublicStatement } from './public-statement.ts';

/** What a decision's leaf commits to; each 32 bytes. */
export interface DecisionDigests {
  /** SHA-256(salt || statement): the commitment of the record (settled.md section 4). */
  readonly commitment: Uint8Array;
  readonly publicDigest: Uint8Array;
  readonly producer: Uint8Array;
}

/** `c` of the leaf of a decision: of all that its owner said, of what others may see, and of who said it. */
export function decisionDigest({ commitment, publicDigest, producer }: DecisionDigests, sha256: Sha256): Uint8Array {
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
export function outcomeDigest(
  outcome_salt: Uint8Array,
  outcome: PublicOutcome,
  canonicalJson: CanonicalJson,
  sha256: Sha256,
): Uint8Array {
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
export function evidenceDigest(evidence_salt: Uint8Array, document: string, sha256: Sha256): Uint8Array {
  return sha256(evidence_salt, document);
}
