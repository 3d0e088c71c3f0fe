import { namedPeriod } from '../../../domain/cohorts/calendar-periods.ts';
import type { CohortFilter } from '../../../domain/cohorts/cohort-filter.ts';
import { belongsTo, EQUALITY_FILTERS } from '../../../domain/cohorts/cohort-membership.ts';
import { addUp, type CohortCounts } from '../../../domain/cohorts/cohort-reader.ts';
import { countedAs } from '../../../domain/cohorts/counted-as.ts';
import { DIRECTIONS } from '../../../domain/decisions/call.ts';
import { earlierBooks } from '../../../domain/decisions/later-reading.ts';
import {
  type CountedWindow,
  type WindowCounts,
  windowCountsUpToLimit,
} from '../../../domain/decisions/own/window-counts.ts';
import { areFacts } from '../../../domain/decisions/views/stored-shapes.ts';
import { moveRange, movesOfOne, moveZ } from '../../../domain/grading/bucket.ts';
import { gridOf } from '../../../domain/grading/grid.ts';
import { type OutcomeFacts, RESULT_BUCKETS, type ResultBucket } from '../../../domain/grading/outcome.ts';
import { Malformed } from '../../../domain/log/encoding.ts';
import type { PublicOutcome, PublicStatement } from '../../../domain/log/leaves/public-statement.ts';
import { identityOf } from '../../../domain/market/instrument.ts';
import { type NameBook, NO_NAMES } from '../../../domain/market/name-book.ts';
import { currencyName, normaliseSymbol } from '../../../domain/market/symbol.ts';
import { ASSET_CLASSES, MARKETS, type Market, venueName } from '../../../domain/market/venues.ts';
import { MINUTE, type Millis, rfc3339, SECOND, utcDate } from '../../../domain/time.ts';

/** What a newer service says, and this verifier does not know: no fault of that service. */
export class NeedsNewerVerifier extends Error {}

/** A graded decision as its leaves say it, read for counting. */
export interface CountableDecision {
  readonly record_id: string;
  readonly judged: Parameters<typeof belongsTo>[1];
  /** null of an outcome by eval/1, which does not say when its window ended. */
  readonly window: CountedWindow | null;
  readonly move: number;
  /** Its leaf was seen more than 5 minutes after its minute; null where nobody saw when. */
  readonly isLate: boolean | null;
}

/** @throws NeedsNewerVerifier for a version, method or word that is not known here @throws Malformed for no time */
export function countable(
  statement: PublicStatement,
  outcome: PublicOutcome,
  isLate: boolean | null,
): CountableDecision {
  const { v: stated, further_horizon, ...said } = statement;
  const { v: graded, result_bucket, outcome: facts } = outcome;
  const { record_id } = statement;
  const isFurther = stated === 2 && further_horizon === true;
  if (!(isFurther || (stated === 1 && further_horizon === undefined)) || graded !== 1)
    throw new NeedsNewerVerifier(`${record_id} has a statement or outcome of a later version`);
  const [data_cutoff, evaluated_at] = [new Date(statement.data_cutoff), new Date(outcome.evaluated_at)];
  const isGrade = areFacts(facts) && RESULT_BUCKETS.includes(result_bucket) && DIRECTIONS.includes(said.direction);
  if (!isGrade) throw new NeedsNewerVerifier(`${record_id} has an outcome of another method, or unknown words`);
  if (Number.isNaN(data_cutoff.getTime() + evaluated_at.getTime()))
    throw new Malformed(`${record_id} has a statement or outcome without its time`);
  // No statement says which place it is: any but the first.
  const group_place = isFurther ? 2 : null;
  const judged = { ...said, group_place, data_cutoff, evaluated_at, result_bucket, facts, grid: gridOf(facts) };
  return {
    record_id,
    judged: { ...judged, lifecycle_state: 'evaluated' },
    window: windowOf(statement, facts),
    move: moveRange(moveZ(statement.direction, facts)),
    isLate,
  };
}

/** The window ends as long after the exit as the outcome says. */
function windowOf(statement: PublicStatement, facts: OutcomeFacts): CountedWindow | null {
  if (facts.method === 'eval/1') return null;
  const { submission_origin, data_cutoff, submission_time } = statement;
  const anchor_time = Date.parse(submission_origin === 'retroactive' ? data_cutoff : submission_time);
  const end_time = Date.parse(facts.exit.time) + Math.round(facts.seconds_after_exit * SECOND);
  return { instrument: identityOf(statement), anchor_time, end_time };
}

/** The counts of a cohort by docs/cohorts.md, as far as public decisions give them. */
export interface Recount {
  readonly counts: CohortCounts;
  /** null above the number of decisions for which they are counted, and with outcomes by eval/1. */
  readonly windows: WindowCounts | null;
  readonly late: number;
  /** Of which nobody says when their leaves were there. */
  readonly unseen: number;
}

export function recountOf(filter: CohortFilter, decisions: readonly CountableDecision[]): Recount {
  const members = decisions.filter(({ judged }) => belongsTo(filter, judged));
  const alike = members.flatMap(({ judged, move }) => {
    const { perspective_type, result_bucket, data_cutoff } = judged;
    const submission_origin = countedAs(judged);
    if (result_bucket === null || submission_origin === null) return [];
    const times = { earliest: data_cutoff, latest: data_cutoff };
    return [{ perspective_type, result_bucket, submission_origin, n: 1, ...times, moves: movesOfOne(move) }];
  });
  const windows = members.flatMap(({ window }) => window ?? []);
  return {
    counts: addUp(alike, false),
    windows: windows.length < members.length ? null : windowCountsUpToLimit(windows),
    late: members.filter(({ isLate }) => isLate).length,
    unseen: members.filter(({ isLate }) => isLate === null).length,
  };
}

/** A reply of a cohort endpoint: the query as the service understood it, and the overview. */
export interface CohortReply {
  /** When the service answered. */
  readonly at: Millis;
  readonly query: Readonly<Record<string, unknown>>;
  readonly overview: Readonly<Record<string, unknown>>;
}

/** The reply of a cohort endpoint. @param date its header; null for now @throws Malformed */
export function cohortReply(body: string, date: string | null): CohortReply {
  const at = date === null ? Date.now() : Date.parse(date);
  try {
    const { query, overview } = JSON.parse(body);
    if (isObject(query) && isObject(overview) && Number.isFinite(at)) return { at, query, overview };
  } catch {
    // The message below says it.
  }
  throw new Malformed('The service did not answer with the counts of a cohort, and the time of its answer.');
}

/** A reply as `curl -i` saved it: the last head, with those of proxies before it, and the body. @throws Malformed */
export function savedReply(file: string, text: string): CohortReply {
  const [, head = '', body = ''] = /^((?:HTTP\/[\s\S]*?\r?\n\r?\n)+)([\s\S]*)$/.exec(text) ?? [];
  const dates = [...head.matchAll(/^date:[ \t]*(.+?)\r?$/gim)].map(([, date = '']) => date);
  const date = dates.at(-1);
  if (date === undefined || !/^HTTP\/\S+ 200/m.test(head))
    throw new Malformed(`${file} is not a reply with status 200 and a Date, as curl -i saves it.`);
  return cohortReply(body, date);
}

/** Parameters of pages, which select nothing. */
const OF_PAGES = ['sort', 'limit'];
const TIMES = ['as_of', 'data_cutoff_since', 'data_cutoff_until'];

/** The parameters by which a public cohort is asked for again, in the order of their names. */
export function queryOf(query: CohortReply['query']): string {
  const members = Object.entries(query).filter(([name]) => !OF_PAGES.includes(name));
  const parameters = new URLSearchParams(Object.fromEntries(members.map(([name, value]) => [name, String(value)])));
  parameters.sort();
  return parameters.toString();
}

/**
 * How a reply changed the question, in words; null where it counts what was asked for.
 * @param sent the parameters
 * @param book by which the symbol is read on the date of `as_of`, or of the reply
 */
export function queryFault(sent: string, { query, at }: CohortReply, book: NameBook = NO_NAMES): string | null {
  const asked = { include_retroactive: 'false', ...Object.fromEntries(new URLSearchParams(sent)) };
  const [wanted, got] = [queryOf(asked), queryOf(query)];
  const { quote_currency, symbol } = query;
  const market = MARKETS.find((each) => each === query.market);
  // Which pairs are written without a separator depends on the coins that the service knows: it does know this one.
  const coins = { knowsCoin: (coin: string) => coin === symbol };
  const date = utcDate(new Date(typeof query.as_of === 'string' ? query.as_of : at));
  const pinned = (name: string) => (typeof query[name] === 'string' ? String(query[name]) : undefined);
  const securityOf = (names: NameBook, of: Market, name: string) => {
    const asset_class = ASSET_CLASSES.find((each) => each === query.asset_class);
    const pins = { venue: pinned('venue'), asset_class, quote_currency: pinned('quote_currency') };
    return names.readFilter({ market: of, name, ...pins }, date).symbol;
  };
  const spelt = (name: string, value: string) => {
    const [time, word] = [Date.parse(value), value.trim().toUpperCase()];
    if (TIMES.includes(name) && !Number.isNaN(time)) return rfc3339(time);
    if (name === 'venue') return venueName(word);
    if (name === 'quote_currency') return currencyName(value) ?? word;
    if (name !== 'symbol' || !market) return word;
    const venue = String(new URLSearchParams(sent).get('venue') ?? '').toUpperCase();
    const context = {
      market,
      venue,
      quote_currency: typeof quote_currency === 'string' ? quote_currency : null,
      coins,
    };
    const read = normaliseSymbol(value, context) ?? word;
    const isOfSecurity = [book, earlierBooks(book)(new Date(at - LEEWAY))].some(
      (known) => securityOf(known, market, read) === symbol,
    );
    return isOfSecurity ? String(symbol) : read;
  };
  const meaning = (parameters: string) =>
    JSON.stringify([...new URLSearchParams(parameters)].map(([name, value]) => [name, spelt(name, value)]));
  return meaning(wanted) === meaning(got) ? null : `asked for ${wanted}, it counted ${got}`;
}

/** The filter of a reply. @throws NeedsNewerVerifier for a parameter that is not known here */
export function filterOf({ query }: Pick<CohortReply, 'query'>): CohortFilter {
  const { period, ...sent } = query;
  const bounds = typeof period === 'string' ? namedPeriod(period) : null;
  if (period !== undefined && !bounds)
    throw new NeedsNewerVerifier(`the query has an unknown period: ${String(period)}`);
  const members = Object.entries(sent).filter(([name]) => !OF_PAGES.includes(name));
  const filter = members.map(([name, value]) => {
    if (TIMES.includes(name)) return [name, new Date(String(value))];
    if (name === 'include_retroactive' || EQUALITY_FILTERS.some((known) => known === name)) return [name, value];
    throw new NeedsNewerVerifier(`the query has a parameter that this verifier does not know: ${name}`);
  });
  const times = bounds && { data_cutoff_since: bounds.since, data_cutoff_until: bounds.until };
  return { include_retroactive: false, ...Object.fromEntries(filter), ...times } as CohortFilter;
}

/** How a cohort is named in a line: `stock MSFT bullish`. */
export function cohortName({ query }: CohortReply): string {
  const { include_retroactive, ...named } = query;
  const equal = EQUALITY_FILTERS.filter((name) => named[name] !== undefined);
  const others = Object.keys(named).filter(
    (name) => !OF_PAGES.includes(name) && !equal.some((known) => known === name),
  );
  const text = [
    ...equal.map((name) => String(named[name])),
    ...others.map((name) => `${name} ${String(named[name])}`),
  ].join(' ');
  return include_retroactive === true ? `${text}, with retroactive ones` : text;
}

/**
 * How long before and after the minute of a reply a grade may count or not: a grade has its time before its transaction is
 * visible, a replica lags, and two clocks differ.
 */
export const LEEWAY = MINUTE;

/** The counts at the least and at the most when the service answered: of what was graded well before, and of all until then. */
export interface RecountBounds {
  readonly least: Recount;
  readonly most: Recount;
}

/** @param possible those that may be public at that time, where not all of them are `certain` to be */
export function boundsAt(
  reply: CohortReply,
  certain: readonly CountableDecision[],
  possible: readonly CountableDecision[] = certain,
): RecountBounds {
  const filter = filterOf(reply);
  const minute = Math.floor(reply.at / MINUTE) * MINUTE;
  const until = (at: Millis, decisions: readonly CountableDecision[]) =>
    recountOf({ ...filter, as_of: new Date(Math.min(at, filter.as_of?.getTime() ?? at)) }, decisions);
  return { least: until(minute - LEEWAY, certain), most: until(minute + MINUTE + LEEWAY, possible) };
}

/** Whether a reply withholds the counts of its cohort. */
export function isWithheld({ overview }: CohortReply): boolean {
  return overview.sample_count === null;
}

/** The first thing that a reply shows and the log does not have, in words; null for none. */
export function countFault({ overview }: CohortReply, { least, most }: RecountBounds): string | null {
  const { counts: from } = least;
  const { counts: to } = most;
  const said = overview.had_said;
  const faults = [
    distributionFault(overview.result_distribution, from.buckets, to.buckets),
    numberFault('sample_count', overview.sample_count, from.samples, to.samples),
    numberFault('retroactive_count', overview.retroactive_count, from.retroactive, to.retroactive),
    ...DIRECTIONS.map((direction) => {
      if (!isObject(said) || !from.had_said || !to.had_said) return null;
      const fault = distributionFault(said[direction], from.had_said[direction], to.had_said[direction]);
      return fault && `had_said of ${direction}: ${fault}`;
    }),
    rangeFault(overview.time_range, from, to),
    windowsFault(overview.windows, least.windows, most.windows),
  ];
  return faults.find((fault) => fault !== null) ?? null;
}

/** How many decisions a reply counts beyond what the log has, and how many it lacks, each in the bucket that it has. */
export function differenceOf(
  { overview }: CohortReply,
  { least, most }: RecountBounds,
): { readonly more: number; readonly fewer: number } {
  const shown = isObject(overview.result_distribution) ? overview.result_distribution : {};
  const [from, to] = [least.counts.buckets, most.counts.buckets];
  const sum = (of: (bucket: ResultBucket, count: number) => number) =>
    RESULT_BUCKETS.reduce((total, bucket) => total + Math.max(0, of(bucket, Number(shown[bucket] ?? 0))), 0);
  return { more: sum((bucket, count) => count - to[bucket]), fewer: sum((bucket, count) => from[bucket] - count) };
}

function distributionFault(shown: unknown, from: CohortCounts['buckets'], to: CohortCounts['buckets']): string | null {
  const counts = isObject(shown) ? shown : {};
  if (RESULT_BUCKETS.every((bucket) => isBetween(counts[bucket], from[bucket], to[bucket]))) return null;
  const logged = RESULT_BUCKETS.map((bucket) => spanText(from[bucket], to[bucket])).join('/');
  return `shown ${RESULT_BUCKETS.map((bucket) => String(counts[bucket])).join('/')}, the log has ${logged}`;
}

function numberFault(name: string, shown: unknown, from: number, to: number): string | null {
  return isBetween(shown, from, to) ? null : `${name}: shown ${String(shown)}, the log has ${spanText(from, to)}`;
}

/** More decisions begin earlier and end later, or at the same time. */
function rangeFault(shown: unknown, from: CohortCounts, to: CohortCounts): string | null {
  const [earliest, latest] = isObject(shown)
    ? [Date.parse(String(shown.earliest)), Date.parse(String(shown.latest))]
    : [Number.NaN, Number.NaN];
  if (to.earliest === null || to.latest === null)
    return isObject(shown) ? 'time_range: shown, the log has no decision' : null;
  if (!isObject(shown) && from.samples === 0) return null;
  const isFirst = earliest >= to.earliest.getTime() && earliest <= (from.earliest ?? to.latest).getTime();
  const isLast = latest <= to.latest.getTime() && latest >= (from.latest ?? to.earliest).getTime();
  if (isFirst && isLast) return null;
  const logged = `${to.earliest.toISOString()} to ${to.latest.toISOString()}`;
  return `time_range: shown ${isObject(shown) ? `${String(shown.earliest)} to ${String(shown.latest)}` : 'none'}, the log has ${logged}`;
}

function windowsFault(shown: unknown, from: WindowCounts | null, to: WindowCounts | null): string | null {
  if (!isObject(shown) || !from || !to) return null;
  const names = ['instruments', 'instrument_days', 'max_concurrent', 'disjoint'] as const;
  const faults = names.map((name) => numberFault(`windows.${name}`, shown[name], from[name], to[name]));
  return faults.find((fault) => fault !== null) ?? null;
}

function isBetween(shown: unknown, from: number, to: number): boolean {
  return typeof shown === 'number' && shown >= from && shown <= to;
}

function spanText(from: number, to: number): string {
  return from === to ? `${from}` : `${from}-${to}`;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
