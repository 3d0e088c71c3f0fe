import { type CampaignLimits, type Exchange, type History, isRateRefusal, type Violation } from '../history.ts';

const MINUTE = 60;

/**
 * No window lets in more than its limit, and whoever is refused has met a full one. Which minute a request was counted in
 * its headers tell; the second they tell only where that is the smaller window, so for the others it is where it can be.
 */
export function checkWindows({ exchanges, limits }: History): Violation[] {
  const { ratePerSecond, ratePerMinute, addressPerMinute } = limits;
  const bySubject = Map.groupBy(exchanges.filter(isCounted), (each) => subjectOf(each, limits));
  return [...bySubject].flatMap(([subject, all]) => {
    const perKey = subject.startsWith('key ');
    const perMinute = perKey ? ratePerMinute : addressPerMinute;
    return [
      ...full(subject, all, perMinute, perKey ? ratePerSecond : null),
      ...(perKey ? secondsOf(subject, all, ratePerSecond) : []),
      ...placesOf(subject, all),
    ];
  });
}

/** Those that were asked about: a fault or an outage tells no window. */
function isCounted({ status }: Exchange): boolean {
  return status < 500;
}

/** A key that stands for nobody any more is counted by its address, which the limit that is told gives away. */
function subjectOf({ key_prefix, address, headers }: Exchange, { addressPerMinute }: CampaignLimits): string {
  const byAddress = headers['x-ratelimit-limit'] === String(addressPerMinute);
  return key_prefix === null || byAddress ? `address ${address}` : `key ${key_prefix}`;
}

function full(subject: string, all: readonly Exchange[], perMinute: number, perSecond: number | null): Violation[] {
  const admitted = all.filter((each) => !isRateRefusal(each));
  const byMinute = Map.groupBy(admitted, minuteOf);
  const over = [...byMinute].filter(([, those]) => those.length > perMinute);
  const vain = all.filter(isRateRefusal).filter((refused) => {
    const inMinute = (byMinute.get(minuteOf(refused)) ?? []).length;
    return inMinute < perMinute && (perSecond === null || possiblyIn(admitted, resetOf(refused) - 1) < perSecond);
  });
  return [
    ...over.map(([minute, those]) => `${subject}: ${those.length} of ${perMinute} let in during minute ${minute}`),
    ...vain.map(({ ended }) => `${subject}: refused at ${ended} though its windows had room`),
  ];
}

function secondsOf(subject: string, all: readonly Exchange[], perSecond: number): Violation[] {
  const admitted = all.filter((each) => !isRateRefusal(each));
  const certain = Map.groupBy(admitted, certainSecond);
  return [...certain].flatMap(([second, those]) =>
    second !== null && those.length > perSecond
      ? [`${subject}: ${those.length} of ${perSecond} let in during second ${second}`]
      : [],
  );
}

/** In one window no two requests are told the same number that is left. */
function placesOf(subject: string, all: readonly Exchange[]): Violation[] {
  const told = all
    .filter((each) => !isRateRefusal(each))
    .map(({ headers }) => {
      return `${headers['x-ratelimit-reset']} ${headers['x-ratelimit-remaining']}`;
    });
  // At the end of a minute both of its windows end, and each may have so many left.
  const seen = Map.groupBy(told, (each) => each);
  return [...seen].flatMap(([each, times]) => {
    const most = Number(each.split(' ')[0]) % MINUTE === 0 ? 2 : 1;
    return times.length > most ? [`${subject}: ${times.length} requests were told the same place, ${each}`] : [];
  });
}

function resetOf({ headers }: Exchange): number {
  return Number(headers['x-ratelimit-reset']);
}

function minuteOf(exchange: Exchange): number {
  return Math.floor((resetOf(exchange) - 1) / MINUTE);
}

/** The second that a request was counted in, where it is told or cannot be another; else null. */
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
