import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY, HOUR, MINUTE } from '../../../domain/time.ts';
import { randomFrom } from '../../../scripts/random.ts';

/** What the campaign submits on: made up, with bars from long before it until long after it. */
export const SYMBOLS = ['CHA', 'CHB', 'CHC', 'CHD'] as const;

const SIZES = [
  { size: '1m', length: MINUTE, from: -DAY, until: 3 * DAY },
  { size: '1h', length: HOUR, from: -120 * DAY, until: 4 * DAY },
  { size: '1d', length: DAY, from: -240 * DAY, until: 5 * DAY },
] as const;

/** Bar files in the form of docs/bar-files.md for each of the symbols, as BINANCE spot in USDT. */
export function writePrices(store: string, now: Date): void {
  const today = Math.floor(now.getTime() / DAY) * DAY;
  for (const symbol of SYMBOLS) {
    const folder = join(store, 'crypto', 'BINANCE', 'spot', `${symbol}-USDT`);
    mkdirSync(folder, { recursive: true });
    for (const { size, length, from, until } of SIZES) {
      writeFileSync(join(folder, `${size}.csv`), barsOf(`${symbol} ${size}`, today + from, today + until, length));
    }
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ...MANIFEST, history_from: iso(today - 240 * DAY) }));
  }
}

const MANIFEST = {
  source: 'made up for faults',
  licence: 'none',
  time_zone: 'UTC',
  sizes: SIZES.map(({ size }) => size),
  cadence: 'continuous',
  delisted_at: null,
};

/** A random walk whose steps grow with the root of the bar's length. */
function barsOf(seed: string, from: number, until: number, length: number): string {
  const random = randomFrom(seed);
  const step = 0.03 * Math.sqrt(length / DAY);
  const rows = ['start,end,open,high,low,close,volume'];
  let open = 100;
  for (let start = from; start < until; start += length) {
    const close = Number((open * Math.exp(step * (2 * random.fraction() - 1))).toFixed(4));
    const [high, low] = [Math.max(open, close) * 1.001, Math.min(open, close) * 0.999];
    rows.push([iso(start), iso(start + length), open, high.toFixed(4), low.toFixed(4), close, 10].join());
    open = close;
  }
  return `${rows.join('\n')}\n`;
}

function iso(at: number): string {
  return new Date(at).toISOString().replace('.000', '');
}
