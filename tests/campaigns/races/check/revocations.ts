import type { History, Violation } from '../history.ts';

/** Every request that began after the revocation of its key is refused, by 401 or by a full window. */
export function checkRevocations({ exchanges, revocations }: History): Violation[] {
  return revocations.flatMap(({ key_prefix, answered }) =>
    exchanges
      .filter((each) => each.key_prefix === key_prefix && each.started > answered)
      .filter(({ status, code }) => status !== 401 && code !== 'RATE_LIMIT_EXCEEDED')
      .map(({ status, node }) => `${key_prefix} was answered ${status} by node ${node} after its revocation`),
  );
}
