import { historyNeededFrom } from '../../grading/bars/history.ts';
import { horizonFault, planWindow, type WindowPlan, type WindowTerms, windowAt } from '../../grading/windows/window.ts';
import { WORKFLOW_REF } from '../../identifiers.ts';
import { SUBMIT } from '../../limits.ts';
import { calendarOf, timeZoneOf } from '../../market/calendars/by-venue.ts';
import { type Instrument, listingCode, normaliseInstrument } from '../../market/instrument.ts';
import { type NameBook, NO_NAMES, type Reading } from '../../market/name-book.ts';
import { rootOf } from '../../market/name-statement.ts';
import { openTime } from '../../market/open-time.ts';
import { isReading, type KnownCoins, upperAscii } from '../../market/symbol.ts';
import type { SymbolDirectory } from '../../market/symbol-directory.ts';
import { stockVenue, type Venues } from '../../market/venues.ts';
import type { ProblemDetail } from '../../problem.ts';
import { DAY, type Millis, rfc3339, SECOND } from '../../time.ts';
import { localDate, localToInstant } from '../../zoned-time.ts';
import type { Window } from '../call.ts';
import { datedAfterCutoff, heldText, mostlyClosed, type NotedWarning, readAs, securityRead } from './receipt.ts';
import { type KeyFactor, keyFactors, type Submission, sourcesAfterCutoff } from './submission.ts';

/** A submission whose values are all valid, with what follows from them. */
export interface AdmittedSubmission {
  /** Its symbol is the key of the security. */
  readonly instrument: Instrument;
  /** Of the security on the date of the anchor, where that is not its key. */
  readonly name: string | null;
  /** The newest statement about names that the symbol was read by. */
  readonly names: number;
  readonly data_cutoff: Date;
  readonly planned_at: Date;
  readonly plan: WindowPlan;
  readonly history_needed_from: Date;
  readonly workflow_hash: string | null;
  readonly warnings: readonly NotedWarning[];
}

/** Everything that is wrong with the values of a submission, at once. */
export interface SubmissionFaults {
  readonly faults: readonly ProblemDetail[];
  /** Set when the only fault is a ticker that is unknown, or not of the form of its venue: what to send instead. */
  readonly symbol_advice: string | null;
}

/** Where instruments are looked up. */
export interface Listings {
  readonly symbols: SymbolDirectory;
  readonly venues: Venues;
  /** What names mean; without it each means itself. */
  readonly names?: NameBook;
}

/**
 * Judges the values of a submission as if it were received at `at` (settled.md sections 3 and 4).
 * @param shapeFaults faults that the request parser has found already, returned together with the others
 * @param planOf its window; by default that of a decision
 */
export function admitSubmission(
  submission: Submission,
  { symbols, venues, names = NO_NAMES }: Listings,
  at: Date,
  shapeFaults: readonly ProblemDetail[] = [],
  planOf: typeof planWindow = planWindow,
): AdmittedSubmission | SubmissionFaults {
  const coins = withNamed(symbols, names);
  const sent = normaliseInstrument(submission, venues, coins);
  const data_cutoff = new Date(submission.data_cutoff);
  const [planned, windowFaults] = windowOf(
    submission,
    Array.isArray(sent) ? null : sent,
    (terms) => planOf(terms, at.getTime()),
    shapeFaults,
  );
  const anchor = planned?.anchor ?? at.getTime();
  const reading = Array.isArray(sent) ? null : readName(names, sent, anchor, at);
  const [instrument, identityFaults] = Array.isArray(sent)
    ? [null, sent]
    : [
        reading && { ...sent, symbol: reading.key },
        tickerFaults(sent, reading, submission, { symbols, names }, { anchor, at: at.getTime() }),
      ];
  const plan = planned && reading && untilRenamed(planned, reading, sent as Instrument);
  const faults = onePerPath([
    ...shapeFaults,
    ...identityFaults,
    ...windowFaults,
    ...cutoffFaults(data_cutoff, at),
    ...knowledgeFaults(submission, at),
    ...factorFaults(keyFactors(submission)),
    ...planFaults(submission),
    ...invalidationFaults(submission),
    ...metaFaults(submission),
    ...repeatFaults(submission),
  ]);
  if (faults.length > 0 || !instrument || !plan) {
    const isTicker = !Array.isArray(sent) || hasSuffixes(submission.venue);
    const onlySymbol =
      isTicker && faults.length === identityFaults.length && faults.every(({ path }) => path === 'symbol');
    return { faults, symbol_advice: onlySymbol ? (identityFaults[0]?.message ?? null) : null };
  }
  return {
    instrument,
    name: reading === null || reading.name === instrument.symbol ? null : reading.name,
    names: names.newest,
    data_cutoff,
    planned_at: at,
    plan,
    history_needed_from: new Date(historyNeededFrom(instrument, plan.anchor ?? at.getTime())),
    workflow_hash: workflowHash(submission),
    warnings: [
      ...attributionWarnings(submission, plan),
      ...readingWarnings(submission, sent as Instrument, reading, coins),
      ...closedWarnings(submission, instrument, windowAt(plan, at.getTime())),
      ...sourceWarnings(submission),
    ],
  };
}

/** The window, or the faults of the horizon: its bounds are checked even without a valid instrument. */
function windowOf(
  submission: Submission,
  instrument: Instrument | null,
  planOf: (terms: WindowTerms) => WindowPlan | ProblemDetail[],
  shapeFaults: readonly ProblemDetail[],
): readonly [WindowPlan | null, readonly ProblemDetail[]] {
  if (shapeFaults.some(({ path }) => /^(data_cutoff|horizon_kind|horizon_value)$/.test(path))) return [null, []];
  const { horizon_kind, horizon_value } = submission;
  const outside = horizonFault(submission);
  if (!instrument || outside) return [null, outside ? [outside] : []];
  const data_cutoff = Date.parse(submission.data_cutoff);
  const planned = planOf({ instrument, horizon_kind, horizon_value, data_cutoff });
  return Array.isArray(planned) ? [null, planned] : [planned, []];
}

function hasSuffixes(venue: string): boolean {
  return (stockVenue(upperAscii(venue) ?? '')?.suffixes ?? []).length > 0;
}

/** A pair whose base has a statement is one, also where no list has that coin: `1000PEPEUSDT`. */
export function withNamed(coins: KnownCoins, names: NameBook): KnownCoins {
  if (names.newest === 0) return coins;
  return { knowsCoin: (symbol) => coins.knowsCoin(symbol) || names.knowsName('crypto', symbol) };
}

function readName(names: NameBook, sent: Instrument, anchor: Millis, at: Date): Reading | null {
  const { symbol: name } = sent;
  const zone = timeZoneOf(sent);
  return names.read({ ...sent, name }, localDate(anchor, zone), localDate(at.getTime(), zone));
}

/** The plan of a realtime decision holds as long as its name does. */
function untilRenamed(plan: WindowPlan, { until }: Reading, instrument: Instrument): WindowPlan {
  if (until === null || plan.anchor !== null) return plan;
  const renamed = localToInstant(Date.parse(until), timeZoneOf(instrument)) ?? Date.parse(until);
  return { ...plan, until: Math.min(plan.until, renamed) };
}

/**
 * Where reading changed the name, or two securities had it, both are named (securities.md 1), and so is the name of a key
 * on its line: PEPE is 1000PEPE there, and its targets are per 1,000.
 */
function readingWarnings(
  submission: Submission,
  sent: Instrument,
  reading: Reading | null,
  coins: KnownCoins,
): NotedWarning[] {
  if (reading && isDoubtful(sent.symbol, reading)) return [securityRead(sent.symbol, reading)];
  // By the venue as it was sent: an alias such as XAMS says which suffix is meant.
  const context = { ...sent, coins, venue: upperAscii(submission.venue) ?? sent.venue };
  return isReading(submission.symbol, sent.symbol, context) ? [readAs(sent.symbol)] : [];
}

function isDoubtful(sent: string, { key, name, others, also }: Reading): boolean {
  return sent !== key || (name !== sent && name !== rootOf(key)) || others.length + also.length > 0;
}

interface Moments {
  readonly anchor: Millis;
  readonly at: Millis;
}

function tickerFaults(
  instrument: Instrument,
  reading: Reading | null,
  submission: Submission,
  { symbols, names }: { readonly symbols: SymbolDirectory; readonly names: NameBook },
  moments: Moments,
): ProblemDetail[] {
  const { market, symbol } = instrument;
  if (reading === null) return [unheldFault(instrument, submission.symbol, names, moments)];
  const isKnown = names.knowsName(market, symbol) || names.knowsKey(market, symbol);
  if (isKnown || (market === 'stock' ? symbols.known(listingCode(symbol)) : !symbol.includes('~'))) return [];
  const nearest = symbols.nearest(instrument.symbol, 3);
  const advice = nearest.length > 0 ? `Did you mean ${nearest.join(', ')}?` : 'Send a ticker listed on the venue.';
  return [{ path: 'symbol', message: advice, received: submission.symbol }];
}

/** A name that no security had on the date of the anchor, with the names of that date by which each can be sent. */
function unheldFault(
  instrument: Instrument,
  received: string,
  names: NameBook,
  { anchor, at }: Moments,
): ProblemDetail {
  const { market, symbol, venue } = instrument;
  const zone = timeZoneOf(instrument);
  const [date, today] = [localDate(anchor, zone), localDate(at, zone)];
  const had = names.holdings(market, symbol);
  const keys = [...new Set(had.map(({ key }) => key))];
  const why = had.some(({ from, until }) => from <= date && (until === null || date < until))
    ? `On ${date} ${symbol} had ended at ${venue}, or statements about it contradict each other`
    : `No security was ${symbol} on ${date}`;
  const merged = keys
    .flatMap((key) => names.history(market, key))
    .filter(({ kind, from }) => kind === 'merged' && from <= date)
    .map(({ name, from, successor }) => ` On ${from} ${name} was merged into ${successor}.`);
  const send = [
    ...keys.flatMap((key) => spellingOf(names, { ...instrument, symbol: key }, date, today)),
    'another time',
  ];
  const message = `${why}: it is the security ${had.map(heldText).join(', ')}.${merged.join('')} Send ${send.join(', or ')}.`;
  return { path: 'symbol', message, received };
}

/** By what a security can be sent: its name on the date, else its key, where that is read as this security. */
function spellingOf(names: NameBook, security: Instrument, date: string, today: string): string | readonly [] {
  const spellings = [names.nameOf(security, date), security.symbol];
  return spellings.find((name) => names.read({ ...security, name }, date, today)?.key === security.symbol) ?? [];
}

function cutoffFaults(data_cutoff: Date, at: Date): ProblemDetail[] {
  if (!(data_cutoff.getTime() > at.getTime() + SUBMIT.cutoffLead)) return [];
  const lead = SUBMIT.cutoffLead / SECOND;
  const message = `Send the time of the data you looked at: at most ${lead} seconds ahead of the clock here, ${rfc3339(at)}.`;
  return [{ path: 'data_cutoff', message, received: rfc3339(data_cutoff) }];
}

/** Nothing has been learned from data that are not there yet; a day of another time zone may have begun. */
function knowledgeFaults({ model }: Submission, at: Date): ProblemDetail[] {
  const received = model?.knowledge_cutoff;
  if (received === undefined || !(Date.parse(received) > at.getTime() + DAY)) return [];
  const message = `Send when the training data of the model end: at most a day ahead of the clock here, ${rfc3339(at)}.`;
  return [{ path: 'model.knowledge_cutoff', message, received }];
}

function planFaults({ analysis_class, direction, price_targets }: Submission): ProblemDetail[] {
  if (price_targets && direction === 'neutral') {
    return [{ path: 'price_targets', message: 'Leave price_targets out, or send a direction that is not neutral.' }];
  }
  if (!price_targets && analysis_class === 'trade_plan') {
    return [
      { path: 'price_targets', message: 'Send price_targets with trade_plan, or send opinion as analysis_class.' },
    ];
  }
  return [];
}

function invalidationFaults({ invalidation = [] }: Submission): ProblemDetail[] {
  const [first, second] = invalidation;
  if (!first || first.kind !== second?.kind) return [];
  return [{ path: 'invalidation.1.kind', message: 'Send each kind of invalidation once.', received: second.kind }];
}

function metaFaults({ meta }: Submission): ProblemDetail[] {
  if (meta === undefined || new TextEncoder().encode(meta).length <= SUBMIT.metaBytes) return [];
  return [{ path: 'meta', message: `must be at most ${SUBMIT.metaBytes} bytes of JSON` }];
}

function workflowHash({ workflow_ref }: Submission): string | null {
  return workflow_ref === undefined ? null : (WORKFLOW_REF.exec(workflow_ref)?.[1] ?? null);
}

function attributionWarnings(submission: Submission, { calendar_generic }: WindowPlan): NotedWarning[] {
  const isInvalid = submission.workflow_ref !== undefined && workflowHash(submission) === null;
  return [
    ...(isInvalid ? (['WORKFLOW_REF_INVALID'] as const) : []),
    ...(calendar_generic ? (['CALENDAR_GENERIC'] as const) : []),
  ];
}

/** For a horizon in seconds whose window is closed for more than half of its time: 24 hours are rarely meant as one. */
function closedWarnings(
  { horizon_kind }: Submission,
  instrument: Instrument,
  { anchor_time, end_time }: Window<Millis>,
): NotedWarning[] {
  const [open, whole] = [openTime(calendarOf(instrument), anchor_time, end_time), end_time - anchor_time];
  return horizon_kind === 'holding_seconds' && 2 * open < whole ? [mostlyClosed(open, whole)] : [];
}

function sourceWarnings(submission: Submission): NotedWarning[] {
  const later = sourcesAfterCutoff(submission) ?? 0;
  return later > 0 ? [datedAfterCutoff(later)] : [];
}

function onePerPath(faults: readonly ProblemDetail[]): ProblemDetail[] {
  const first = new Map<string, ProblemDetail>();
  for (const fault of faults) if (!first.has(fault.path)) first.set(fault.path, fault);
  return [...first.values()];
}

/**
 * Entries that a list contains twice, where the list is a set: tags, related records, and what a factor depends on. They
 * are refused, as repeated ids of factors and kinds of invalidation are, so that nothing is stored otherwise than sent.
 */
function repeatFaults(submission: Submission): ProblemDetail[] {
  const { tags = [], related_records = [], inputs = [] } = submission;
  const related = related_records.map(({ record_id, relation }) => `${relation} ${record_id}`);
  const depends = keyFactors(submission).flatMap(({ depends_on = [] }, index) =>
    repeats(depends_on, `key_factors.${index}.depends_on`, 'Send each id once.'),
  );
  return [
    ...repeats(tags, 'tags', 'Send each tag once.'),
    ...repeats(
      inputs.map(({ kind, name }) => `${kind} ${name}`),
      'inputs',
      'Send each kind and name once.',
    ),
    ...repeats(related, 'related_records', 'Send each relation to a record once.'),
    ...depends,
  ];
}

function repeats(entries: readonly string[], path: string, message: string): ProblemDetail[] {
  return entries.flatMap((entry, index) =>
    entries.indexOf(entry) < index ? [{ path: `${path}.${index}`, message, received: entry }] : [],
  );
}

/**
 * The faults of the ids of the key factors: repeated, unknown, or depending on each other in a circle (settled.md
 * section 4).
 */
export function factorFaults(factors: readonly KeyFactor[]): ProblemDetail[] {
  const known = new Set(factors.flatMap(({ id }) => (id === undefined ? [] : [id])));
  return [...repeated(factors), ...unknown(factors, known), ...circular(factors)];
}

function repeated(factors: readonly KeyFactor[]): ProblemDetail[] {
  const seen = new Set<string>();
  return factors.flatMap(({ id }, index) => {
    if (id === undefined) return [];
    const isRepeated = seen.has(id);
    seen.add(id);
    return isRepeated
      ? [{ path: `key_factors.${index}.id`, message: 'Give every factor an id of its own.', received: id }]
      : [];
  });
}

function unknown(factors: readonly KeyFactor[], known: ReadonlySet<string>): ProblemDetail[] {
  return factors.flatMap(({ depends_on = [] }, index) =>
    depends_on.flatMap((id, position) =>
      known.has(id)
        ? []
        : [
            {
              path: `key_factors.${index}.depends_on.${position}`,
              message: 'Name the id of a factor of this submission.',
              received: id,
            },
          ],
    ),
  );
}

function circular(factors: readonly KeyFactor[]): ProblemDetail[] {
  const dependsOn = new Map(factors.flatMap(({ id, depends_on = [] }) => (id === undefined ? [] : [[id, depends_on]])));
  let open = [...dependsOn.keys()];
  for (let before = -1; before !== open.length; ) {
    before = open.length;
    const left = new Set(open);
    open = open.filter((id) => dependsOn.get(id)?.some((other) => left.has(other)));
  }
  if (open.length === 0) return [];
  return [
    {
      path: 'key_factors',
      message: 'Remove a depends_on, so that no factor depends on itself through others.',
      received: open,
    },
  ];
}
