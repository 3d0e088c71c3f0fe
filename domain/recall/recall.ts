import type { StoredRow } from '../backtests/backtest.ts';
import { horizonBand, horizonDays } from '../cohorts/cohort-key.ts';
import { DIRECTIONS, type Direction, type HorizonKind, type SubmissionOrigin, type Window } from '../decisions/call.ts';
import type { Note } from '../decisions/own/notes.ts';
import { confidenceTenth } from '../decisions/own/track-record.ts';
import { type WindowCounts, windowCounts } from '../decisions/own/window-counts.ts';
import type { UngradedReason } from '../decisions/ungraded.ts';
import { areFacts } from '../decisions/views/stored-shapes.ts';
import { type HadSaidCounts, hadSaidCounts, moveRange, movesOfOne, moveZ } from '../grading/bucket.ts';
import type { MarketMove } from '../grading/method-facts.ts';
import { type OutcomeFacts, RESULT_BUCKETS, type ResultBucket } from '../grading/outcome.ts';
import { RECALL } from '../limits.ts';
import { groupedBy } from '../market/bars.ts';
import type { Instrument } from '../market/instrument.ts';

/** A decision of an agent, or a row of a back-test, without its words. */
export interface RecallRow extends Window, Instrument {
  /** The id of the record, or what its owner calls the row. */
  readonly id: string;
  readonly direction: Direction;
  readonly horizon_kind: HorizonKind;
  readonly horizon_value: number;
  /** null of a row of a back-test. */
  readonly submission_origin: SubmissionOrigin | null;
  readonly group_id: string | null;
  readonly group_place: number | null;
  readonly confidence: number | null;
  readonly received_at: Date;
  readonly isQuarantined: boolean;
  /** When its outcome was known; null where it has none that counts by its bucket. */
  readonly known_at: Date | null;
  readonly result_bucket: ResultBucket | null;
  /** `moveRangeOf` of it. */
  readonly move: number | null;
  /** Why it has no such outcome, as far as is known now (`uncountedReason`). */
  readonly ungraded: UngradedReason | null;
}

/** What a row said, and the figures of its outcome; null where it has none that can be read. */
export interface RecallWords {
  /** The summary, else the first factor. */
  readonly said: string | null;
  readonly facts: OutcomeFacts | null;
}

/** The statement as it was read, null where that fails, and the facts as they are stored: of either, what can be shown. */
export function recallWords(submission: unknown, facts: OutcomeFacts | null): RecallWords {
  const { summary, key_factors } = (submission ?? {}) as { readonly summary?: unknown; readonly key_factors?: unknown };
  const [first] = Array.isArray(key_factors) ? key_factors : [];
  const factor: unknown = typeof first === 'object' && first !== null ? first.factor : first;
  const said = [summary, factor].find((text) => typeof text === 'string' && text.trim() !== '');
  return { said: typeof said === 'string' ? said : null, facts: areFacts(facts) ? facts : null };
}

/** A row of a back-test, as it was known by the time of the question. */
export function recallRowOf(row: StoredRow): RecallRow {
  const { external_id: id, market, symbol, venue, asset_class, quote_currency, direction, confidence } = row;
  const { horizon_kind, horizon_value, anchor_time, end_time, ungraded, outcome, record_group } = row;
  const counted = outcome !== null && record_group === outcome.result_bucket ? outcome : null;
  return {
    ...{ id, market, symbol, venue, asset_class, quote_currency, direction, horizon_kind, horizon_value, confidence },
    ...{ submission_origin: null, group_id: null, group_place: null, isQuarantined: false },
    ...{ received_at: anchor_time, anchor_time, end_time, ungraded },
    known_at: counted && row.known_at,
    result_bucket: counted?.result_bucket ?? null,
    move: counted && hasMove(counted.facts) ? moveRange(moveZ(direction, counted.facts)) : null,
  };
}

/** Whether what is stored has the figures of the move, and was not damaged. */
function hasMove(facts: Partial<OutcomeFacts> | null | undefined): boolean {
  return Number.isFinite(facts?.z) && Number.isFinite(facts?.raw_return);
}

/** A row with a note about it. */
export interface NotedRow {
  readonly row: RecallRow;
  readonly note: Note;
}

/** The rows of an agent that are about one security. */
export interface RecallSubject extends Pick<Instrument, 'market' | 'symbol'> {
  readonly owner_id: string;
  readonly agent_id: string;
}

export interface RecallReader {
  /**
   * The newest rows that count under the security and were received at or before `as_of`, at most so many: the newest
   * first, and by the id within one millisecond.
   * @param sealedEnds whether a window without an outcome by then ends as the receipt says: nothing says when an end was
   * moved
   */
  newest(subject: RecallSubject, as_of: Date, sealedEnds: boolean, most: number): Promise<readonly RecallRow[]>;

  /** What rows said, with the figures of their outcomes; a row that is gone is not in the map. */
  wordsOf(ids: readonly string[]): Promise<ReadonlyMap<string, RecallWords>>;

  /**
   * Of the newest notes at or before `as_of`, at most so many and without emptied ones, those about other securities where
   * the outcome counts; the newest first.
   */
  notedElsewhere(subject: RecallSubject, as_of: Date, most: number): Promise<readonly NotedRow[]>;
}

/** What an agent is about to decide, as far as it says so. */
export interface RecallQuestion {
  readonly direction: Direction | null;
  readonly horizon: Pick<RecallRow, 'horizon_kind' | 'horizon_value'> | null;
  readonly as_of: Date;
  /** Whether `as_of` is the present: reasons without a time are known then. */
  readonly isNow: boolean;
}

interface RecalledCall
  extends Window,
    Pick<RecallRow, 'id' | 'submission_origin' | 'direction' | 'horizon_kind' | 'horizon_value' | 'confidence'> {
  readonly said: string | null;
}

export interface OpenCall extends RecalledCall {
  /** Whether it is of the other direction than the question; null where either has none. */
  readonly opposite: boolean | null;
  /** Why it will get no outcome, as far as is known now; null for a question about an earlier time. */
  readonly ungraded: UngradedReason | null;
}

export interface ClosedCall extends RecalledCall {
  readonly evaluated_at: Date;
  readonly result_bucket: ResultBucket;
  /** null where the figures cannot be read. */
  readonly outcome: RecalledOutcome | null;
  /** Oldest first, without emptied ones. */
  readonly notes: readonly Note[];
}

/** No prices: those of before a split mislead next to those of after it. */
export interface RecalledOutcome {
  readonly raw_return: number;
  /** As in the outcome: signed by the direction, and for a neutral decision the size of the move. */
  readonly z: number;
  /** Signed by the price. */
  readonly move_z: number;
  readonly mfe: number | null;
  readonly mae: number;
  readonly market: MarketMove | null;
}

export interface ElsewhereCall
  extends Pick<RecallRow, 'id' | 'market' | 'symbol' | 'direction' | 'submission_origin' | 'anchor_time'> {
  readonly result_bucket: ResultBucket;
  readonly note: Note;
}

/** The counts of rows of one origin. */
export interface RecallCounts {
  readonly open: number;
  readonly closed: number;
  /** Over, and without an outcome that counts. `reasons` is null for a question about an earlier time. */
  readonly ungraded: {
    readonly total: number;
    readonly reasons: readonly { readonly reason: UngradedReason; readonly total: number }[] | null;
  };
  readonly by_direction: Readonly<Record<Direction, Buckets>>;
  /** Those with a confidence by its tenth, the lowest first; a tenth without rows is absent. */
  readonly by_confidence: readonly {
    readonly confidence_from: number;
    readonly confidence_to: number;
    readonly result_distribution: Buckets;
  }[];
  /** Null until the moves of all are known. */
  readonly had_said: HadSaidCounts | null;
  readonly windows: WindowCounts;
}

type Buckets = Readonly<Record<ResultBucket, number>>;

export interface AllCounts extends RecallCounts {
  readonly retroactive: RecallCounts;
  /** When the oldest row that was read was received; null without one. */
  readonly since: Date | null;
  /** Whether these are all rows: otherwise they are the newest RECALL.rows. */
  readonly complete: boolean;
}

/** The reason of rows that may still get an outcome. */
export const AWAITED = 'awaiting_evaluation';

/** The rows of a recall that words and notes have to be read of, and its counts. */
export interface RecallChoice {
  readonly open: readonly RecallRow[];
  readonly closed: readonly KnownRow[];
  readonly counts: AllCounts;
  readonly quarantined: number;
}

type KnownRow = RecallRow & { readonly known_at: Date; readonly result_bucket: ResultBucket };

/**
 * Chooses from the newest rows what a recall shows (docs/recall.md). Whatever became of a row after `as_of` changes
 * nothing, but for a quarantine and for what its names mean.
 * @param newest up to one more than RECALL.rows, the newest first
 */
export function chooseRecall(newest: readonly RecallRow[], question: RecallQuestion): RecallChoice {
  const read = newest.slice(0, RECALL.rows);
  const rows = nearestOfGroups(
    read.filter(({ isQuarantined }) => !isQuarantined),
    question.horizon,
  );
  const { open, closed } = parted(rows, question);
  const isAsked = bandOf(question.horizon);
  const inBand = closed.toSorted(newestFirst).toSorted((a, b) => Number(isAsked(b)) - Number(isAsked(a)));
  const isApart = ({ submission_origin }: RecallRow) => submission_origin === 'retroactive';
  const own = rows.filter((row) => !isApart(row));
  return {
    open: open.toSorted(newestFirst).slice(0, RECALL.open),
    closed: inBand.slice(0, RECALL.closed),
    counts: {
      ...countsOf(own, question),
      retroactive: countsOf(rows.filter(isApart), question),
      since: read.at(-1)?.received_at ?? null,
      complete: newest.length <= RECALL.rows,
    },
    quarantined: read.length - read.filter(({ isQuarantined }) => !isQuarantined).length,
  };
}

/** The chosen rows with their words, and what was noted about other securities. */
export function recalled(
  { open, closed }: RecallChoice,
  { direction, isNow }: RecallQuestion,
  words: ReadonlyMap<string, RecallWords>,
  notes: ReadonlyMap<string, readonly Note[]>,
): { readonly open: readonly OpenCall[]; readonly closed: readonly ClosedCall[] } {
  const callOf = (row: RecallRow): RecalledCall => {
    const { id, submission_origin, horizon_kind, horizon_value, confidence, anchor_time, end_time } = row;
    const call = { id, submission_origin, direction: row.direction, horizon_kind, horizon_value, confidence };
    return { ...call, said: words.get(id)?.said ?? null, anchor_time, end_time };
  };
  return {
    open: open.map((row) => ({
      ...callOf(row),
      opposite: isOpposite(row.direction, direction),
      ungraded: isNow ? row.ungraded : null,
    })),
    closed: closed.map((row) => ({
      ...callOf(row),
      evaluated_at: row.known_at,
      result_bucket: row.result_bucket,
      outcome: outcomeOf(row, words.get(row.id)?.facts ?? null),
      notes: (notes.get(row.id) ?? []).filter(({ text }) => text !== null),
    })),
  };
}

/** The newest notes about other securities: one about each decision, and one of each group. */
export function recalledElsewhere(
  noted: readonly NotedRow[],
  horizon: RecallQuestion['horizon'],
): readonly ElsewhereCall[] {
  const newest = [...groupedBy(noted, ({ row }) => row.id).values()].flatMap(([first]) => first ?? []);
  const rows = nearestOfGroups(
    newest.map(({ row }) => row),
    horizon,
  );
  const shown = newest.flatMap(({ row, note }) => {
    const { id, market, symbol, direction, submission_origin, anchor_time, result_bucket } = row;
    if (!rows.includes(row) || result_bucket === null) return [];
    return [{ id, market, symbol, direction, submission_origin, anchor_time, result_bucket, note }];
  });
  return shown.slice(0, RECALL.elsewhere);
}

/** Of each decision group the horizon that is nearest to the one of the question; without one, the horizon that leads. */
function nearestOfGroups(rows: readonly RecallRow[], horizon: RecallQuestion['horizon']): readonly RecallRow[] {
  const distance = ({ horizon_kind, horizon_value }: RecallRow) =>
    horizon === null || (horizon_kind === horizon.horizon_kind && horizon_value === horizon.horizon_value)
      ? -1
      : Math.abs(horizonDays(horizon_kind, horizon_value) - horizonDays(horizon.horizon_kind, horizon.horizon_value));
  const nearest = (group: readonly RecallRow[]) =>
    group.toSorted((a, b) => distance(a) - distance(b) || (a.group_place ?? 0) - (b.group_place ?? 0))[0];
  const groups = groupedBy(
    rows.filter(({ group_id }) => group_id !== null),
    ({ group_id }) => group_id ?? '',
  );
  const chosen = new Set([...groups.values()].map(nearest));
  return rows.filter((row) => row.group_id === null || chosen.has(row));
}

function parted(rows: readonly RecallRow[], { as_of }: RecallQuestion) {
  const closed = rows.filter((row) => isKnown(row, as_of));
  const others = rows.filter((row) => !isKnown(row, as_of));
  return {
    closed,
    open: others.filter(({ end_time }) => end_time > as_of),
    ungraded: others.filter(({ end_time }) => end_time <= as_of),
  };
}

function isKnown(row: RecallRow, as_of: Date): row is KnownRow {
  return row.known_at !== null && row.known_at <= as_of && row.result_bucket !== null;
}

function bandOf(horizon: RecallQuestion['horizon']): (row: RecallRow) => boolean {
  if (horizon === null) return () => false;
  const asked = horizonBand(horizon.horizon_kind, horizon.horizon_value);
  return ({ horizon_kind, horizon_value }) => horizonBand(horizon_kind, horizon_value) === asked;
}

/** By their windows: agents submit old decisions in any order. */
function newestFirst(a: RecallRow, b: RecallRow): number {
  return (
    b.anchor_time.getTime() - a.anchor_time.getTime() ||
    b.received_at.getTime() - a.received_at.getTime() ||
    (a.id < b.id ? 1 : -1)
  );
}

function isOpposite(direction: Direction, asked: Direction | null): boolean | null {
  if (asked === null || asked === 'neutral' || direction === 'neutral') return null;
  return direction !== asked;
}

function outcomeOf({ direction }: RecallRow, facts: OutcomeFacts | null): RecalledOutcome | null {
  if (facts === null) return null;
  const { raw_return, z, mfe, mae } = facts;
  return {
    ...{ raw_return, z, move_z: moveZ(direction, facts), mfe: mfe?.value ?? null, mae: mae.value },
    market: facts.method === 'eval/3' ? facts.market : null,
  };
}

function countsOf(rows: readonly RecallRow[], question: RecallQuestion): RecallCounts {
  const { open, closed, ungraded } = parted(rows, question);
  const tenths = groupedBy(
    closed.filter(({ confidence }) => confidence !== null),
    ({ confidence }) => confidenceTenth(confidence ?? 0),
  );
  const bands = [...tenths].toSorted(([a], [b]) => a - b);
  return {
    open: open.length,
    closed: closed.length,
    ungraded: { total: ungraded.length, reasons: question.isNow ? reasonsOf(ungraded) : null },
    by_direction: Object.fromEntries(
      DIRECTIONS.map((direction) => [direction, bucketsOf(closed.filter((row) => row.direction === direction))]),
    ) as Record<Direction, Buckets>,
    by_confidence: bands.map(([tenth, same]) => ({
      confidence_from: tenth / 10,
      confidence_to: (tenth + 1) / 10,
      result_distribution: bucketsOf(same),
    })),
    had_said: hadSaidCounts(
      closed.map(({ move }) => movesOfOne(move)),
      closed.length,
    ),
    windows: windowCounts(
      closed.map((row) => ({
        instrument: row,
        anchor_time: row.anchor_time.getTime(),
        end_time: row.end_time.getTime(),
      })),
    ),
  };
}

function bucketsOf(rows: readonly RecallRow[]): Buckets {
  const of = (bucket: ResultBucket) => rows.filter(({ result_bucket }) => result_bucket === bucket).length;
  return Object.fromEntries(RESULT_BUCKETS.map((bucket) => [bucket, of(bucket)])) as Record<ResultBucket, number>;
}

/** The most frequent first, equal ones by name. */
function reasonsOf(rows: readonly RecallRow[]): RecallCounts['ungraded']['reasons'] {
  const totals = [...groupedBy(rows, ({ ungraded }) => ungraded ?? AWAITED)];
  return totals
    .map(([reason, same]) => ({ reason, total: same.length }))
    .toSorted((a, b) => b.total - a.total || (a.reason < b.reason ? -1 : 1));
}
