import type { Line } from '../../../../../clients/typescript/verify/verdict.ts';
import type { WireDirection, WireIdentity } from './wire.ts';

const MINUS = '\u2212';
const SPACE = '\u00a0';

/** A fraction as a signed percentage: 0.0434 is `+4.34 %`. */
export function percent(fraction: number): string {
  const digits = Math.abs(fraction * 100).toFixed(2);
  const sign = Number(digits) === 0 ? '' : fraction < 0 ? MINUS : '+';
  return `${sign}${digits}${SPACE}%`;
}

/** As many digits as distinguish prices, without trailing zeros. */
export function price(value: number): string {
  const digits =
    Math.abs(value) >= 1 ? { minimumFractionDigits: 2, maximumFractionDigits: 4 } : { maximumSignificantDigits: 6 };
  return new Intl.NumberFormat('en-GB', digits).format(value).replace('-', MINUS);
}

export function signed(value: number, digits = 2): string {
  return `${value < 0 ? MINUS : ''}${Math.abs(value).toFixed(digits)}`;
}

/** The formats of times and dates in a zone. @throws RangeError for a name that is no zone */
function formatsIn(timeZone: string) {
  return {
    instant: new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone }),
    zone: new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short', timeZone }),
    day: new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone }),
  };
}

let formats = formatsIn('UTC');

/** Times are shown in this zone from now on; in UTC where this device does not know it. */
export function showTimesIn(timeZone: string): void {
  try {
    formats = formatsIn(timeZone);
  } catch {
    formats = formatsIn('UTC');
  }
}

/** `13 Feb 2003, 14:30 UTC`, in the zone of the reader. */
export function instant(time: string | number): string {
  const date = new Date(time);
  const zone = formats.zone.formatToParts(date).find(({ type }) => type === 'timeZoneName');
  return `${formats.instant.format(date)} ${zone?.value ?? 'UTC'}`;
}

/** `13 Feb 2003, 14:30`, in the zone of the reader, where many times stand below each other. */
export function shortInstant(time: string | number): string {
  return formats.instant.format(new Date(time));
}

const SPANS = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** `14 minutes ago`, `in 3 days`; `now` within half a minute. */
export function fromNow(time: string | number, now = Date.now()): string {
  const seconds = (new Date(time).getTime() - now) / 1_000;
  const [unit, length] = SPANS.find(([, each]) => Math.abs(seconds) >= each) ?? ['minute', 60];
  const count = Math.round(Math.abs(seconds) / length);
  if (count === 0) return 'now';
  return seconds < 0 ? `${counted(count, unit)} ago` : `in ${counted(count, unit)}`;
}

const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' });

/** `14:30 UTC` */
export function timeOfDay(time: number): string {
  return `${TIME.format(new Date(time))} UTC`;
}

/** `6 May 2024, 09:30 to 10 May 2024, 16:00`, on the clocks of a time zone. */
export function localSpan(from: string, to: string, timeZone: string): string {
  const local = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone });
  return `${local.format(new Date(from))} to ${local.format(new Date(to))}`;
}

/** @param stated such as `NYSE=America/New_York KRAKEN` */
export function venuesIn(stated: string): ReadonlyMap<string, string | undefined> {
  const names = stated.split(' ').filter((each) => each !== '');
  return new Map(names.map((each) => [each.split('=')[0] ?? '', each.split('=')[1]]));
}

/** `13 Feb 2003`, the date in the zone of the reader. */
export function day(time: string | number): string {
  return formats.day.format(new Date(time));
}

const UNITS = [
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
  { unit: 'second', seconds: 1 },
] as const;

/** `5 trading days`, `90 minutes`: in the largest unit that divides it without remainder. */
export function horizon({ horizon_kind, horizon_value }: Pick<WireIdentity, 'horizon_kind' | 'horizon_value'>): string {
  if (horizon_kind === 'trading_days') return counted(horizon_value, 'trading day');
  const { unit, seconds } = UNITS.find((each) => horizon_value % each.seconds === 0) ?? { unit: 'second', seconds: 1 };
  return counted(horizon_value / seconds, unit);
}

export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString('en-GB')}${SPACE}${count === 1 ? noun : plural}`;
}

/** The instrument as people write it: `MSFT`, `BTC/USDT`, `BTC/USDT perp`. */
export function instrument({ market, symbol, quote_currency, asset_class }: WireIdentity): string {
  const name = market === 'stock' ? symbol : `${symbol.split(/[-/]/)[0]}/${quote_currency}`;
  return asset_class === 'spot' ? name : `${name} ${asset_class}`;
}

const CLAIMS: Readonly<Record<WireDirection, string>> = {
  bullish: 'higher',
  bearish: 'lower',
  neutral: 'about where it was',
};

/** The claim of a decision, as a sentence. */
export function claim(record: WireIdentity): string {
  const when = record.submission_origin === 'retroactive' ? ' retroactively' : '';
  return (
    `An agent stated${when}, on data up to ${instant(record.data_cutoff)}: after ${horizon(record)} ` +
    `${instrument(record)} on ${record.venue} will be ${CLAIMS[record.direction]}.`
  );
}

/** Whether the prices that grade a decision were known when it was stated. */
export function statedWords({ submission_origin: origin }: Pick<WireIdentity, 'submission_origin'>): string {
  return `stated ${origin === 'realtime' ? 'before' : 'after'} the prices were known`;
}

/** A term of the interface as words. */
export function plain(term: string): string {
  return term.replaceAll('_', ' ');
}

/** A value in words under its name; `about` explains the name where it is not obvious. */
export type Fact = readonly [name: string, value: string, about?: string];

/** The facts that there are. */
export function facts(...all: readonly (Fact | false | '' | null | undefined)[]): readonly Fact[] {
  return all.filter((fact) => fact !== false && fact !== '' && fact !== null && fact !== undefined);
}

export function countFacts(counts: readonly (readonly [term: string, count: number])[]): readonly Fact[] {
  return counts.map(([term, count]) => [plain(term), count.toLocaleString('en-GB')]);
}

/** The networks that a reader typed, separated by commas or white space. */
export function networksOf(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((network) => network !== '');
}

interface VerifiedFiles {
  readonly files: readonly { readonly lines: readonly Line[]; readonly proved: boolean }[];
}

/** `FAILS` or `late` where a line is, `holds` where every file is proved, else `not checked`. */
export function verdictOf({ files }: VerifiedFiles): Line['verdict'] {
  const has = (wanted: Line['verdict']) => files.some(({ lines }) => lines.some(({ verdict }) => verdict === wanted));
  if (has('FAILS')) return 'FAILS';
  if (has('late')) return 'late';
  return files.every(({ proved }) => proved) ? 'holds' : 'not checked';
}

/** Whether a text is a policy of the service: programs change line ends, and who pastes it loses the last newline. */
export function isSamePolicy(text: string, own: string): boolean {
  const plain = (each: string) => each.replaceAll('\r\n', '\n').trim();
  return plain(text) === plain(own);
}

/**
 * The distinct names that signed the checkpoint of a proof besides its log: what the service shows, until somebody
 * verifies it.
 */
export function cosignersOf(proof: string): readonly string[] {
  const checkpoint = proof.slice(proof.indexOf('\n\n') + 2);
  const origin = checkpoint.split('\n')[0];
  const names = [...checkpoint.matchAll(/^\u2014 (\S+) /gm)].map(([, name]) => name ?? '');
  return [...new Set(names)].filter((name) => name !== origin);
}
