import type { Schemas } from '../client/wire.ts';

/** A decision with its instrument and its window: a record as `decision` returns it, for example. */
export interface WindowedDecision
  extends Pick<Schemas['PublicDecisionRecord'], 'market' | 'symbol' | 'venue' | 'asset_class' | 'quote_currency'> {
  readonly window: { readonly anchor_time: string; readonly end_time: string };
}

/** A window in milliseconds: the start is part of it, the end is not, so windows that touch do not overlap. */
interface Span {
  readonly place: number;
  readonly start: number;
  readonly end: number;
}

/**
 * How much of its window each decision has for itself: 1 where no other window of its security overlaps it, 1/n where n
 * windows are the same. It is the time average of 1 / (windows that are open): M. Lopez de Prado, "Advances in Financial
 * Machine Learning" (2018), sections 4.3 and 4.4, in time instead of bars. The sum counts observations of which none is
 * repeated, in the order of what was given.
 * @throws RangeError for a window that does not end after it starts
 */
export function averageUniqueness(decisions: readonly WindowedDecision[]): readonly number[] {
  const each = decisions.map(() => 0);
  for (const spans of bySecurity(decisions)) {
    for (const { place, share } of sharesOf(spans)) each[place] = share;
  }
  return each;
}

/**
 * The most decisions of which no two windows of one security overlap, as `windows.disjoint` of an overview counts them,
 * in the order in which they were given: by the earliest end (J. Kleinberg, E. Tardos, "Algorithm Design" (2006), section
 * 4.1), so no outcome decides which ones are chosen.
 * @throws RangeError for a window that does not end after it starts
 */
export function disjointWindows<Decision extends WindowedDecision>(
  decisions: readonly Decision[],
): readonly Decision[] {
  const places = new Set<number>();
  for (const spans of bySecurity(decisions)) {
    let free = Number.NEGATIVE_INFINITY;
    for (const { place, start, end } of spans.toSorted((a, b) => a.end - b.end || a.place - b.place)) {
      if (start < free) continue;
      places.add(place);
      free = end;
    }
  }
  return decisions.filter((_, place) => places.has(place));
}

/** One security at several venues, in several quotes, as spot and as a perpetual is one. */
function bySecurity(decisions: readonly WindowedDecision[]): readonly (readonly Span[])[] {
  const groups = new Map<string, Span[]>();
  for (const [place, { window, ...of }] of decisions.entries()) {
    const [start, end] = [Date.parse(window.anchor_time), Date.parse(window.end_time)];
    if (!(start < end)) throw new RangeError(`The window from ${window.anchor_time} to ${window.end_time} is none.`);
    const security = JSON.stringify([of.market, of.symbol]);
    groups.set(security, [...(groups.get(security) ?? []), { place, start, end }]);
  }
  return [...groups.values()];
}

function sharesOf(spans: readonly Span[]): readonly { readonly place: number; readonly share: number }[] {
  const edges = [...new Set(spans.flatMap(({ start, end }) => [start, end]))].toSorted((a, b) => a - b);
  const open = edges.map((edge) => spans.filter(({ start, end }) => start <= edge && edge < end).length);
  return spans.map(({ place, start, end }) => {
    let own = 0;
    for (let at = edges.indexOf(start); (edges[at] ?? end) < end; at += 1) {
      own += ((edges[at + 1] ?? end) - (edges[at] ?? end)) / (open[at] ?? 1);
    }
    return { place, share: own / (end - start) };
  });
}
