import { Problem } from '../problem.ts';
import { rfc3339 } from '../time.ts';
import type { Owner } from './owner.ts';

/** For a request whose owner was removed after its credential was judged: the credential is no longer valid. */
export function ownerGone(): Problem {
  return new Problem('UNAUTHORIZED', 'This account no longer exists.', { suggestion: 'Create a new account.' });
}

/** For a caller who has proved to be the owner of a suspended account: who has not must not learn of it. */
export function accountSuspended(): Problem {
  return new Problem('ACCOUNT_SUSPENDED', 'The operator has suspended this account.');
}

/** The owner, who may add to the account. @throws Problem UNAUTHORIZED for one who is gone, ACCOUNT_SUSPENDED */
export function activeOwner<O extends Pick<Owner, 'suspended_at'>>(owner: O | null | undefined): O {
  if (!owner) throw ownerGone();
  if (owner.suspended_at !== null) throw accountSuspended();
  return owner;
}

/** For an account that is to be erased, which gets no keys. */
function erasureScheduled(erases_at: Date): Problem {
  return new Problem('ERASURE_SCHEDULED', `This account will be erased at ${rfc3339(erases_at)}.`);
}

/** The owner, who may get keys. @throws Problem as `activeOwner`, and ERASURE_SCHEDULED */
export function ownerForKeys<O extends Pick<Owner, 'suspended_at' | 'erases_at'>>(owner: O | null | undefined): O {
  const active = activeOwner(owner);
  if (active.erases_at !== null) throw erasureScheduled(active.erases_at);
  return active;
}
