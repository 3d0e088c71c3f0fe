import type { Bar } from './bars.ts';

type TradedPrices = Pick<Bar, 'volume' | 'open' | 'high' | 'low' | 'close'>;

/** Whether nothing traded in a bar: its volume is 0, and it has one price (evaluation-2.md section 1). */
export function isUntraded({ volume, open, high, low, close }: TradedPrices): boolean {
  return volume === 0 && open === high && low === close && high === low;
}

/** Whether the source knows the volume of an instrument: one of its daily bars has some. */
export function hasVolume(daily: readonly Pick<Bar, 'volume'>[]): boolean {
  return daily.some(({ volume }) => volume !== null && volume > 0);
}

/** The bars whose prices are trades. Where the volume is unknown, every bar counts as traded. */
export function tradedBars<B extends TradedPrices>(bars: readonly B[], volumeIsKnown: boolean): readonly B[] {
  return volumeIsKnown ? bars.filter((bar) => !isUntraded(bar)) : bars;
}

/** Whether a bar opens at the close of an earlier one, splits aside: some sources carry prices through a silence. */
export function repeatsClose(bar: Bar, before: Bar): boolean {
  return bar.open * bar.split === before.close * before.split;
}
