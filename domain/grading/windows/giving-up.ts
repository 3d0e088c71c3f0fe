import type { BarSeries } from '../../market/market-data.ts';
import type { Millis } from '../../time.ts';
import { type Deferred, deferred, type EvidenceListing, type Unavailable, unavailable } from '../evaluation.ts';

/**
 * What a deferral without a further try ends as (evaluation-2.md section 6).
 * @param leftList whether the instrument left the list of its exchange after it was verified
 */
export function givenUp(result: Deferred, leftList: boolean): Deferred | Unavailable {
  if (!leftList) return result;
  return unavailable('delisted', `The instrument is no longer listed, and its bars did not come. ${result.detail}`);
}

/** A source may drop the bars of an instrument that has left: then neither their number nor its history says anything. */
export function leftWithoutBars(
  { leftList = false }: EvidenceListing,
  { bars }: Pick<BarSeries, 'bars'>,
  anchor: Millis,
): Deferred | null {
  if (!leftList || bars.some(({ start }) => start >= anchor)) return null;
  return deferred('out_of_reach', 'The source has no bars of the window.');
}
