import { Problem } from '../problem.ts';

/** For a request whose owner was removed after its credential was judged: the credential is no longer valid. */
export function ownerGone(): Problem {
  return new Problem('UNAUTHORIZED', 'This account no longer exists.', { suggestion: 'Create a new account.' });
}
