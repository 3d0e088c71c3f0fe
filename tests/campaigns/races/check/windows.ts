import { type CampaignLimits, type Exchange, type History, isRateRefusal, type Violation } from '../history.ts';

const MINUTE = 60;

/**
 * No window admits more than its limit, and a refusal finds a full one. The headers of a request show the minute in which it
 * was counted. They show the second only when that is the fuller window; otherwise every possible second is considered.
 */
export function checkWindows({ exchanges, limits }: History): Violation[] {
  const { ratePerSecond, ratePerMinute, addressPerMinute } = limits;
  const bySubject = Map.groupBy(exchanges.filter(isCounted), (each) => subjectOf(each, limits));
  return [...bySubject].flatMap(([subject, all]) => {
    const perKey = subject.startsWith('key ');
    const perMinute = perKey ? ratePerMinute : addressPerMinute;
    return [
      ...minutesOf(subject, all, perMinute, perKey ? ratePerSecond : null),
      ...(perKey ? secondsOf(subject, all, ratePerSecond) : []),
      ...repeatedRemaining(subject, all),
    ];
  });
}

/** Whether the reply shows its window: a fault or an outage does not. */
function isCounted({ status }: Exchange): boolean {
  return status < 500;
}

/** A revoked key is counted by its address. The limit in the headers shows which it was. */
function subjectOf({ key_prefix, address, headers }: Exchange, { addressPerMinute }: CampaignLimits): string {
  const byAddress = headers['x-ratelimit-limit'] === String(addressPerMinute);
  return key_prefix === null || byAddress ? `address ${address}` : `key ${key_prefix}`;
}

function minutesOf(
  subject: string,
  all: readonly Exchange[],
  perMinute: number,
  perSecond: number | null,
): Violation[] {
  const admitted = all.filter((each) => !isRateRefusal(each));
  const byMinute = Map.groupBy(admitted, minuteOf);
  const over = [...byMinute].filter(([, those]) => those.length > perMinute);
  const early = all.filter(isRateRefusal).filter((refused) => {
    const inMinute = (byMinute.get(minuteOf(refused)) ?? []).length;
    return inMinute < perMinute && (perSecond === null || possiblyIn(admitted, resetOf(refused) - 1) < perSecond);
  });
  return [
    ...over.map(([minute, those]) => `${subject}: ${those.length} of ${perMinute} admitted in minute ${minute}`),
    ...early.map(({ ended }) => `${subject}: refused at ${ended} while its windows had room`),
  ];
}

function secondsOf(subject: string, all: readonly Exchange[], perSecond: number): Violation[] {
  const admitted = all.filter((each) => !isRateRefusal(each));
  const certain = Map.groupBy(admitted, certainSecond);
  return [...certain].flatMap(([second, those]) =>
    second !== null && those.length > perSecond
      ? [`${subject}: ${those.length} of ${perSecond} admitted in second ${second}`]
      : [],
  );
}

/** No two requests of one window get the same remaining number. */
function repeatedRemaining(subject: string, all: readonly Exchange[]): Violation[] {
  const windows = all
    .filter((each) => !isRateRefusal(each))
    .map(({ headers }) => {
      return `${headers['x-ratelimit-reset']} ${headers['x-ratelimit-remaining']}`;
    });
  // At the end of a minute both windows end, and each may have this number remaining.
  const counts = Map.groupBy(windows, (each) => each);
  return [...counts].flatMap(([each, times]) => {
    const most = Number(each.split(' ')[0]) % MINUTE === 0 ? 2 : 1;
    return times.length > most
      ? [`${subject}: ${times.length} requests have the same reset and remaining number, ${each}`]
      : [];
  });
}

function resetOf({ headers }: Exchange): number {
  return Number(headers['x-ratelimit-reset']);
}

function minuteOf(exchange: Exchange): number {
  return Math.floor((resetOf(exchange) - 1) / MINUTE);
}

/** The second in which a request was counted, when the headers or the times determine it; else null. */
function certainSecond(exchange: Exchange): number | null {
  const reset = resetOf(exchange);
  if (reset % MINUTE !== 0) return reset - 1;
  const [first, last] = [Math.floor(exchange.started / 1_000), Math.floor(exchange.ended / 1_000)];
  return first === last ? first : null;
}

function possiblyIn(admitted: readonly Exchange[], second: number): number {
  return admitted.filter((exchange) => {
    const certain = certainSecond(exchange);
    if (certain !== null) return certain === second;
    return exchange.started < (second + 1) * 1_000 && exchange.ended >= second * 1_000;
  }).length;
}
