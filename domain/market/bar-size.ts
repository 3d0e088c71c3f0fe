import { DAY, HOUR, MINUTE, type Millis } from '../time.ts';
import { BAR_SIZES, type BarSize } from './bars.ts';

const LENGTHS: Readonly<Record<BarSize, Millis>> = { '1m': MINUTE, '5m': 5 * MINUTE, '1h': HOUR, '1d': DAY };

/** The nominal length of a bar; sessions shorten it, down to the session itself for a stock's daily bar. */
export function lengthOf(size: BarSize): Millis {
  return LENGTHS[size];
}

/** The sizes that a source has in the order of preference: the wanted one, coarser ones, then finer ones. */
export function sizesInOrder(wanted: BarSize, available: readonly BarSize[]): readonly BarSize[] {
  const at = BAR_SIZES.indexOf(wanted);
  const order = [...BAR_SIZES.slice(at), ...BAR_SIZES.slice(0, at).reverse()];
  return order.filter((size) => available.includes(size));
}
