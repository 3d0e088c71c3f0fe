import type { History, Violation } from '../history.ts';

/** A key that was revoked before a request began lets it in nowhere; a window that is full may be told instead. */
export function checkRevocations({ exchanges, revocations }: History): Violation[] {
  return revocations.flatMap(({ key_prefix, answered }) =>
    exchanges
      .filter((each) => each.key_prefix === key_prefix && each.started > answered)
      .filter(({ status, code }) => status !== 401 && code !== 'RATE_LIMIT_EXCEEDED')
      .map(({ status, node }) => `${key_prefix} was answered ${status} by node ${node} after its revocation`),
  );
}
