import type { CampaignLimits, Exchange, History, Violation } from '../history.ts';

/** Every response has the headers of limits, and their values are consistent. */
export function checkHeaders({ exchanges, limits }: History): Violation[] {
  return exchanges.flatMap((exchange) => {
    const faults = faultsOf(exchange, limits);
    return faults.map((fault) => `${exchange.status} ${exchange.code ?? ''} at ${exchange.ended}: ${fault}`);
  });
}

function faultsOf(exchange: Exchange, limits: CampaignLimits): string[] {
  const { headers, status, retry_after_seconds } = exchange;
  const missing = [...NUMBERS, ...TEXTS].filter((name) => headers[name] === undefined);
  const malformed = NUMBERS.filter((name) => !/^\d+$/.test(headers[name] ?? '0'));
  const waits = status === 429 || status === 503;
  return [
    ...missing.map((name) => `${name} is missing`),
    ...malformed.map((name) => `${name} is ${headers[name]}`),
    ...(waits === (headers['retry-after'] !== undefined) ? [] : ['retry-after does not match the status']),
    ...(waits && String(retry_after_seconds) !== headers['retry-after']
      ? ['retry-after differs from that of the body']
      : []),
    ...rateFaults(exchange, limits),
    ...poolFaults(exchange),
  ];
}

const NUMBERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-quota-reset'] as const;
const TEXTS = ['x-quota-resource', 'x-quota-remaining', 'x-quota-limit', 'x-request-id'] as const;

function rateFaults(exchange: Exchange, { ratePerMinute, addressPerMinute }: CampaignLimits): string[] {
  const { headers, code, key_prefix, submission, status, started, ended, retry_after_seconds } = exchange;
  const reset = Number(headers['x-ratelimit-reset']) * 1_000;
  const refusedAt = reset - (retry_after_seconds ?? 0) * 1_000;
  const isRefusal = code === 'RATE_LIMIT_EXCEEDED';
  const limits = key_prefix === null || status === 401 ? [addressPerMinute] : [ratePerMinute];
  // A revoked key is refused for its address, too.
  if (isRefusal) limits.push(addressPerMinute);
  // A key that is revoked after its admission, and before its submission is written, was counted as that key.
  if (key_prefix !== null && submission !== null && status === 401) limits.push(ratePerMinute);
  return [
    ...(limits.includes(Number(headers['x-ratelimit-limit']))
      ? []
      : [`x-ratelimit-limit is not ${limits.join(' or ')}`]),
    ...(isRefusal && headers['x-ratelimit-remaining'] !== '0' ? ['refused with requests remaining'] : []),
    // The wait is rounded up to whole seconds, and a process may remember a window for a moment.
    ...(isRefusal && (refusedAt > ended || refusedAt < started - 2_000)
      ? ['retry-after does not end at the reset']
      : []),
    ...(reset < started - 1_000 || reset > ended + 61_000 ? ['x-ratelimit-reset is not within the minute'] : []),
  ];
}

function poolFaults({ headers, pool, code, status }: Exchange): string[] {
  const resource = headers['x-quota-resource'];
  const hasPool = resource !== 'none';
  if (hasPool !== (headers['x-quota-remaining'] !== 'unlimited'))
    return ['x-quota-remaining does not match its resource'];
  if (hasPool && resource !== pool) return [`x-quota-resource is ${resource} and not ${pool}`];
  if (pool !== null && status < 400 && !hasPool) return ['a request that took a unit names no pool'];
  return code === 'DAILY_QUOTA_EXCEEDED' && headers['x-quota-remaining'] !== '0'
    ? ['refused with units remaining']
    : [];
}
