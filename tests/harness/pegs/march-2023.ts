import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOUR, MINUTE, type Millis } from '../../../domain/time.ts';

/** The hours from the beginning of USDC's fall to four days later, from Kraken's trades. */
export interface PlayedDays {
  readonly from: Millis;
  readonly minutes: number;
  /** In USD, in steps of a thousandth of a cent. */
  priceAt(time: Millis): number;
}

interface TradedHour {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/**
 * The hours of the fixture, minute by minute. Between what is published it goes in straight lines, from the first trade of an
 * hour by its extremes (after a third and two thirds, the one first that lies away from the close) to the last: nobody
 * published the minutes, so these are made; every published price is met.
 */
export function march2023(): PlayedDays {
  const path = join(import.meta.dirname, '../../fixtures/pegs/usdc-usd-2023-03.csv');
  const rows = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => /^\d/.test(line))
    .map((line) => line.split(','));
  const from = Date.parse(rows[0]?.[0] ?? '');
  const hours = rows.map(([at = '', ...prices], index) => {
    if (Date.parse(at) !== from + index * HOUR) throw new Error(`An hour is missing before ${at}.`);
    const [open = 0, high = 0, low = 0, close = 0] = prices.map(Number);
    return { open, high, low, close };
  });
  return {
    from,
    minutes: hours.length * 60,
    priceAt(time) {
      const hour = hours[Math.floor((time - from) / HOUR)];
      if (!hour) throw new RangeError('beyond the hours that are played');
      return withinHour(hour, ((time - from) % HOUR) / HOUR);
    },
  };
}

function withinHour({ open, high, low, close }: TradedHour, part: number): number {
  const points = close < open ? [open, high, low, close] : [open, low, high, close];
  const step = Math.floor(part * 3);
  const [before = open, after = close] = points.slice(step, step + 2);
  const price = before + (after - before) * (part * 3 - step);
  return Math.round(price * 100_000) / 100_000;
}

/** The minutes of the days, in their order. */
export function* minutesOf({ from, minutes }: PlayedDays): Generator<Millis> {
  for (let minute = 0; minute < minutes; minute++) yield from + minute * MINUTE;
}
