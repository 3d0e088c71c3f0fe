/** The headers of every response, refusals included (settled.md sections 2 and 7). */
export const ALWAYS_SENT: readonly string[] = [
  'x-request-id',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-quota-resource',
  'x-quota-remaining',
  'x-quota-limit',
  'x-quota-reset',
];
