import { type Millis, utcDate } from '../time.ts';
import { type CorporateAction, factorsOf } from './adjustment.ts';
import type { RawBar } from './bars.ts';
import type { Calendar } from './calendar.ts';

/** The bounds of what an action may be, and of what a night may do without one (evaluation-3.md sections 3 and 4). */
const BOUNDS = { ratio: 5_000, dividend: 0.9, tested: 1.2, leap: { sessions: 1.4, continuous: 7 } };

/** What is wrong with an action, and what to send instead. */
export interface ActionFault {
  readonly at: Millis;
  readonly fault: string;
}

export interface JudgedActions {
  /** Ascending; equal ones once, dividends of a session added up, each where the prices show its effect. */
  readonly actions: readonly CorporateAction[];
  readonly faults: readonly ActionFault[];
  /** Those whose effect the prices show one session beside: from their date to that of the effect. */
  readonly moved: readonly { readonly from: Millis; readonly to: Millis }[];
  /** Dividends that adjusted prices already have in them, and that are left out. */
  readonly in_prices: number;
}

/**
 * Holds corporate actions against the prices of their nights: they are believed as little as prices
 * (evaluation-3.md section 4).
 * @param bars raw and ascending, of any size
 * @param paid whether the prices are adjusted for dividends, which are left out then
 */
export function judgeActions(
  calendar: Calendar,
  bars: readonly RawBar[],
  stated: readonly CorporateAction[],
  paid: boolean,
): JudgedActions {
  const merged = mergedActions(stated);
  const judged = merged.map((action) => ({ action, verdict: verdictOn(calendar, bars, action) }));
  const isInPrices = ({ action, verdict }: (typeof judged)[number]) =>
    paid && action.kind === 'dividend' && (verdict === 'contradicts' || verdict === 'untested');
  const kept = judged.filter((each) => !isInPrices(each));
  return {
    actions: kept.map(({ action, verdict }) => (typeof verdict === 'number' ? { ...action, at: verdict } : action)),
    faults: [...repeatedSplits(merged), ...kept.flatMap(({ action, verdict }) => faultOf(action, verdict))],
    moved: kept.flatMap(({ action: { at }, verdict }) =>
      typeof verdict === 'number' ? [{ from: at, to: verdict }] : [],
    ),
    in_prices: judged.length - kept.length,
  };
}

/** Prices as they were traded, from those that are adjusted for splits. */
export function asTraded(rows: readonly RawBar[], actions: readonly CorporateAction[]): readonly RawBar[] {
  const factors = factorsOf([], actions);
  return rows.map((row) => {
    const { split } = factors(row.start);
    const [open, high, low, close] = [row.open / split, row.high / split, row.low / split, row.close / split];
    return { ...row, open, high, low, close, volume: row.volume === null ? null : row.volume * split };
  });
}

/** `fits`, an instant: the session beside in which it takes effect. */
type Verdict = 'fits' | 'untested' | 'contradicts' | { readonly impossible: string } | Millis;

function mergedActions(stated: readonly CorporateAction[]): readonly CorporateAction[] {
  const once = new Map(stated.map((action) => [`${action.at} ${action.kind} ${action.value}`, action]));
  const merged: CorporateAction[] = [];
  for (const action of [...once.values()].sort((a, b) => a.at - b.at)) {
    const same = merged.findIndex(
      ({ at, kind }) => at === action.at && kind === 'dividend' && action.kind === 'dividend',
    );
    const known = merged[same];
    if (known) merged[same] = { ...known, value: known.value + action.value };
    else merged.push(action);
  }
  return merged;
}

function repeatedSplits(actions: readonly CorporateAction[]): ActionFault[] {
  const splits = actions.filter(({ kind }) => kind === 'split');
  return splits.flatMap(({ at }, index) =>
    splits[index - 1]?.at === at ? [{ at, fault: 'two splits of one date; send one row with their product' }] : [],
  );
}

function verdictOn(calendar: Calendar, bars: readonly RawBar[], action: CorporateAction): Verdict {
  const night = nightOf(bars, action.at);
  const impossible = impossibility(action, night);
  if (impossible) return { impossible };
  if (!night) return 'untested';
  const factor = factorOf(action, night);
  if (apart(factor) <= BOUNDS.tested) return 'untested';
  if (isNearer(night, factor)) return 'fits';
  const beside = [calendar.nthBefore(action.at, 1).open, calendar.nthFrom(action.at + 1, 1).open];
  const effect = beside.find((open) => {
    const other = nightOf(bars, open);
    return other && apart(other.before.close / other.after.open) > BOUNDS.leap.sessions && isNearer(other, factor);
  });
  return effect ?? 'contradicts';
}

interface Night {
  readonly before: RawBar;
  readonly after: RawBar;
}

/** The last bar before a session, and the first of it or after it. */
function nightOf(bars: readonly RawBar[], open: Millis): Night | null {
  const index = bars.findIndex(({ start }) => start >= open);
  const [before, after] = [bars[index - 1], bars[index]];
  return before && after ? { before, after } : null;
}

function impossibility({ kind, value }: CorporateAction, night: Night | null): string | null {
  if (kind === 'split') {
    const possible = value !== 1 && value <= BOUNDS.ratio && value >= 1 / BOUNDS.ratio;
    return possible ? null : `a split of ${value}; send new shares for each old one, such as 2 or 0.1`;
  }
  const close = night?.before.close ?? Number.POSITIVE_INFINITY;
  if (value < BOUNDS.dividend * close) return null;
  return `a dividend of ${value} with a close of ${close} before it; send the amount in the currency of the prices (pence are a hundredth)`;
}

/** The price before over the price after, as the action alone makes it. */
function factorOf({ kind, value }: CorporateAction, { before }: Night): number {
  return kind === 'split' ? value : before.close / (before.close - value);
}

function isNearer({ before, after }: Night, factor: number): boolean {
  const leap = before.close / after.open;
  return Math.abs(Math.log(leap / factor)) < Math.abs(Math.log(leap));
}

function apart(ratio: number): number {
  return Math.max(ratio, 1 / ratio);
}

function faultOf({ at, kind, value }: CorporateAction, verdict: Verdict): ActionFault[] {
  if (typeof verdict === 'object') return [{ at, fault: verdict.impossible }];
  if (verdict !== 'contradicts') return [];
  const send = 'send --already-adjusted if the prices have it in them, another date or amount, or no row';
  return [{ at, fault: `the prices of its night show no ${kind} of ${value}; ${send}` }];
}

/** A night in which the price leaps and that nothing explains (evaluation-3.md section 3). */
export interface UnexplainedLeap {
  /** The date of the session after it. */
  readonly date: string;
  /** The new price over the old one. */
  readonly ratio: number;
  readonly in_adj_close: boolean;
}

/** The night leaps without an action, a lasting step of adjusted closes, or a row that says that there is none. */
export function unexplainedLeaps(
  calendar: Calendar,
  bars: readonly RawBar[],
  actions: readonly CorporateAction[],
  none: readonly Millis[],
): readonly UnexplainedLeap[] {
  const most = calendar.continuous ? BOUNDS.leap.continuous : BOUNDS.leap.sessions;
  return bars.flatMap((after, index) => {
    const before = bars[index - 1];
    if (!before || apart(after.open / before.close) <= most) return [];
    if (!calendar.continuous && utcDate(before.start) === utcDate(after.start)) return [];
    const within = (at: Millis) => at > before.start && at <= after.start;
    const factor = actions
      .filter(({ at }) => within(at))
      .reduce((product, action) => product * factorOf(action, { before, after }), 1);
    const ratio = after.open / before.close;
    if (apart(ratio * factor) <= most || none.some(within)) return [];
    const step = adjusted(after) / adjusted(before);
    return [{ date: utcDate(after.start), ratio, in_adj_close: apart(ratio * step) <= most && step !== 1 }];
  });
}

function adjusted({ adj_close, close }: RawBar): number {
  return adj_close === null ? 1 : adj_close / close;
}
