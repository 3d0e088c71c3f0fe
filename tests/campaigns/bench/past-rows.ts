import { formatBars } from '../../../adapters/market/files/bar-csv.ts';
import { instrumentPath } from '../../../adapters/market/files/bar-folder.ts';
import { install } from '../../../adapters/market/files/bar-import.ts';
import type { BacktestCall } from '../../../domain/backtests/backtest.ts';
import { DIRECTIONS } from '../../../domain/decisions/call.ts';
import { type BarSize, lengthOf } from '../../../domain/market/bars.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import type { MarketData } from '../../../domain/market/market-data.ts';
import { referencesOf } from '../../../domain/market/reference.ts';
import { DAY, MINUTE, type Millis, rfc3339 } from '../../../domain/time.ts';
import { walk } from './due-decisions.ts';

/** Instruments of a set. */
const INSTRUMENTS = 8;
/** Days that its windows begin on. */
const DAYS = 180;
/** A window of a row begins this long after that of the row before it on its instrument, so that all of them overlap. */
const EVERY = 97 * MINUTE;
/** Days of prices before the first window, by which its volatility is measured. */
const BEFORE = 60;
const SIZES = ['5m', '1h', '1d'] as const satisfies readonly BarSize[];

/** Names of their own: the instruments of submissions have no prices. */
function instrumentOf(number: number): Instrument {
  const symbol = `PAST${number}`;
  return { market: 'crypto', symbol, venue: 'BINANCE', asset_class: 'spot', quote_currency: 'USDT' };
}

/** The day on which the first window begins: the last one has settled. */
export function firstDay(now: Date): Millis {
  return Math.floor(now.getTime() / DAY) * DAY - (DAYS + 10) * DAY;
}

/** Writes the bars of all instruments as files of the operator, and day bars of the reference of their market. */
export async function addPastPrices(folder: string, day: Millis): Promise<void> {
  const from = day - BEFORE * DAY;
  const bars = (n: number, size: BarSize) => {
    const start = size === '5m' ? day - 2 * DAY : from;
    return formatBars(walk(n, start, lengthOf(size), (day + (DAYS + 8) * DAY - start) / lengthOf(size)));
  };
  const manifest = (sizes: readonly BarSize[]) => {
    const about = { source: 'made for the bench', licence: 'none', time_zone: 'UTC', cadence: 'continuous' };
    return JSON.stringify({ ...about, sizes, history_from: rfc3339(from), delisted_at: null });
  };
  const put = (n: number, instrument: Instrument, sizes: readonly BarSize[]) =>
    install(folder, instrumentPath(instrument), {
      'manifest.json': manifest(sizes),
      ...Object.fromEntries(sizes.map((size) => [`${size}.csv`, bars(n, size)])),
    });
  for (const [n, reference] of referencesOf(instrumentOf(0)).entries()) await put(INSTRUMENTS + n, reference, ['1d']);
  for (let n = 0; n < INSTRUMENTS; n += 1) await put(n, instrumentOf(n), SIZES);
}

/** Reads all bars of the instruments, which the files hold in memory from then on; how many there are. */
export async function readPastBars(files: MarketData): Promise<number> {
  let count = 0;
  for (let n = 0; n < INSTRUMENTS; n += 1)
    for (const size of SIZES) {
      const { bars } = await files.bars(instrumentOf(n), size, 0, Date.now(), Date.now());
      count += bars.length;
    }
  return count;
}

/** The row of a set with that number, as readers of back-tests make it; half of them are graded on 5 minute bars, half on hours. */
function pastRow(n: number, day: Millis): BacktestCall & { readonly external_id: string } {
  const place = Math.floor(n / INSTRUMENTS);
  return {
    external_id: `trade-${n}`,
    ...instrumentOf(n % INSTRUMENTS),
    direction: DIRECTIONS[place % DIRECTIONS.length] ?? 'neutral',
    horizon_kind: 'holding_seconds',
    horizon_value: (place % 2 === 0 ? DAY : 5 * DAY) / 1_000,
    data_cutoff: rfc3339(day + ((place * EVERY) % (DAYS * DAY))),
    key_factors: ['enter_tag: ema_cross', 'exit_reason: trailing_stop_loss'],
    confidence: (n % 10) / 10,
    model: { id: 'a strategy' },
    summary: 'Opened by the strategy at the close of the candle, with its usual stake.',
  };
}

/** The body of a request of so many rows from that number on. */
export function pastRows(first: number, count: number, day: Millis) {
  const rows = Array.from({ length: count }, (_, n) => pastRow(first + n, day));
  return { about: { source: 'the bench', horizon_rule: 'a day, or five, by turns' }, rows };
}
