import type { Regime } from '../../../domain/grading/paths/regime.ts';
import type { Bar } from '../../../domain/market/bars.ts';
import { type Instrument, instrumentKey } from '../../../domain/market/instrument.ts';
import type { Listing } from '../../../domain/market/market-data.ts';
import { type Millis, rfc3339 } from '../../../domain/time.ts';
import { priceChart, priceText } from '../text/price-chart.ts';
import { table } from '../text/text-table.ts';

interface ShownBars {
  /** At the end of the last bar; null where too few daily bars precede it. */
  readonly regime: Regime | null;
  /** Rows of the source with impossible prices. */
  readonly dropped: number;
}

/** The bars as text: the regime, a table of the newest 20 (or of all), a chart of all. */
export function barLines(
  bars: readonly Bar[],
  { regime, dropped, all }: ShownBars & { readonly all: boolean },
): readonly string[] {
  const shown = all ? bars : bars.slice(-LINES);
  const last = bars.at(-1);
  const chart = priceChart(bars);
  return [
    ...(last ? [regimeText(regime, last.end), table(HEADERS, shown.map(cellsOf))] : []),
    ...(shown.length < bars.length
      ? [`... and ${bars.length - shown.length} before them (--all shows every one)`]
      : []),
    ...(dropped > 0 ? [`${dropped} rows of the source have impossible prices and count as missing`] : []),
    ...(chart ? [`\n${chart}`] : []),
  ];
}

/** The members that `bars --json` prints. */
export function barReport(
  instrument: string,
  { source, sizes, cadence, history_from, delisted_at }: Listing,
  { regime, dropped, bars }: ShownBars & { readonly bars: readonly Bar[] },
) {
  const period = {
    history_from: rfc3339(history_from),
    delisted_at: delisted_at === null ? null : rfc3339(delisted_at),
  };
  const rows = bars.map((bar) => ({ ...bar, start: rfc3339(bar.start), end: rfc3339(bar.end) }));
  return { instrument, fault: null, source, sizes, cadence, ...period, regime, dropped, bars: rows };
}

/** One line: which source serves the instrument, with which bars, since when. */
export function listingText(
  instrument: Instrument,
  { source, sizes, cadence, history_from, delisted_at }: Listing,
): string {
  const until = delisted_at === null ? '' : `, delisted ${rfc3339(delisted_at)}`;
  const since = `since ${rfc3339(history_from).slice(0, 10)}`;
  return `${instrumentKey(instrument)} from ${source}: ${sizes.join(', ')}; ${cadence}, ${since}${until}`;
}

function regimeText(regime: Regime | null, at: Millis): string {
  if (!regime) return `Its regime at ${minute(at)} is unknown: it needs 80 daily closes before that time.`;
  return `Its regime at ${minute(at)} is ${regime.label}: volatility ${regime.vol.toFixed(2)}, trend ${regime.trend.toFixed(2)}, of 0 to 1`;
}

function cellsOf({ start, end, open, high, low, close, volume, split, total }: Bar): readonly string[] {
  const prices = [open, high, low, close].map(priceText);
  const factors = [split, total].map((factor) => String(Number(factor.toPrecision(6))));
  return [minute(start), minute(end), ...prices, volume === null ? '' : String(volume), ...factors];
}

/** Such as `2003-02-13 14:30Z`. */
function minute(at: Millis): string {
  return `${rfc3339(at).slice(0, 16).replace('T', ' ')}Z`;
}

const LINES = 20;
const HEADERS = ['start', 'end', 'open', 'high', 'low', 'close', 'volume', 'split', 'total'];
