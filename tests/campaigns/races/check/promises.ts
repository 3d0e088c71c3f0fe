/** The promises that the campaign checks. */
export const PROMISES = {
  windows: 'no window admits more than its limit, or refuses while it has room',
  pools: 'no pool gives more than it holds, or refuses while it has units',
  submissions: 'one record for each idempotency key and for each cooldown',
  credits: 'credit exactly once',
  headers: 'headers right on every response',
  revocations: 'no process admits a revoked key after the reply',
} as const;
