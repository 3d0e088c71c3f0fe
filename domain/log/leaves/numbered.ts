import { bytesOfHex, hexOf } from '../encoding.ts';
import type { Sha256 } from '../tree/tree.ts';

/**
 * The mark of a leaf: which decision of its agent it is, for those who know the agent's salt. Everybody else sees that two
 * leaves have different marks, and nothing more.
 * @param agent_salt 32 random bytes of this agent, hex; never shown
 */
export function markOf(agent_salt: string, number: number, sha256: Sha256): Uint8Array {
  return sha256('stancebook/mark/1\n', bytesOfHex(agent_salt), String(number));
}

/** What shows who made a numbered decision, without its statement, its salt or its owner; digests and salts are hex. */
export interface NumberedProducer {
  readonly producer_salt: string;
  readonly owner_digest: string;
  readonly agent_id: string;
  readonly number: number;
  /** The mark of the agent's next decision: the log has it, or no further decision of the agent. */
  readonly next_mark: string;
}

/** @param decision with the salt of its commitment, hex */
export function numberedProducer(
  decision: {
    readonly salt: string;
    readonly owner_id: string;
    readonly agent_id: string;
    readonly number: number;
    readonly next_mark: string;
  },
  sha256: Sha256,
): NumberedProducer {
  const { salt, owner_id, agent_id, number, next_mark } = decision;
  const own = bytesOfHex(salt);
  return {
    producer_salt: hexOf(sha256('stancebook/producer-salt/1\n', own)),
    owner_digest: hexOf(sha256('stancebook/owner/1\n', own, owner_id)),
    ...{ agent_id, number, next_mark },
  };
}

/** The digest of who made a numbered decision, for its leaf (`decisionDigest`). */
export function numberedProducerDigest(producer: NumberedProducer, sha256: Sha256): Uint8Array {
  const { producer_salt, owner_digest, agent_id, number, next_mark } = producer;
  const named = `${agent_id}/${number}/${next_mark}`;
  return sha256('stancebook/producer/2\n', bytesOfHex(producer_salt), bytesOfHex(owner_digest), named);
}
