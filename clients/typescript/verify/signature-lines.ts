import type { CheckpointTrust } from '../../../domain/log/notes/checkpoint-trust.ts';
import { type LogPolicy, policyOf } from '../../../domain/log/notes/policy.ts';
import { sha256 } from './sha256.ts';
import { type Line, line } from './verdict.ts';

/** The policy of a text; one without any key for null. @throws Malformed */
export function policyIn(text: string | null): LogPolicy {
  return text === null ? NO_POLICY : policyOf(text, sha256);
}

const NO_POLICY: LogPolicy = { logs: [], witnesses: [], groups: [], quorum: null };

export function signatureLine({ checkpoint, signed, invalid }: CheckpointTrust, policy: LogPolicy): Line {
  const { origin, size } = checkpoint;
  if (policy === NO_POLICY)
    return line('not checked', 'signature', `without a policy the key of ${origin} is not known`);
  if (invalid.length > 0) return line('FAILS', 'signature', `a signature by ${invalid.join(', ')} does not verify`);
  if (!signed) return line('FAILS', 'signature', `no key of ${origin} in the policy signed the checkpoint`);
  return line('holds', 'signature', `${origin} signed its first ${size} leaves`);
}

export function witnessLine({ signed, witnessed, cosignatures }: CheckpointTrust, policy: LogPolicy): Line {
  if (policy === NO_POLICY) return line('not checked', 'witnesses', 'without a policy no witness is known');
  if (policy.quorum === null) return line('not checked', 'witnesses', 'the policy names no quorum of witnesses');
  if (!signed) return line('not checked', 'witnesses', 'see signature');
  const names = cosignatures.map(({ witness }) => witness).join(', ') || 'none';
  return line(witnessed ? 'holds' : 'FAILS', 'witnesses', `seen by ${names}; the quorum is ${policy.quorum}`);
}
