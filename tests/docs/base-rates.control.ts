import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { barFiles } from '../../adapters/market/files/bar-files.ts';
import { DIRECTIONS } from '../../domain/decisions/call.ts';
import { baseRates } from '../../domain/grading/base-rates.ts';
import { RESULT_BUCKETS } from '../../domain/grading/outcome.ts';
import type { Horizon } from '../../domain/grading/windows/window.ts';
import type { Instrument } from '../../domain/market/instrument.ts';
import { BTC, MSFT, PUFA } from '../domain/market/real-bars.ts';
import { packagedBars } from '../harness/packaged-bars.ts';

const INSTRUMENTS: Readonly<Record<string, Instrument>> = { MSFT, BTC, 600000: PUFA };
const SECONDS: Readonly<Record<string, number>> = { minutes: 60, hour: 3_600, hours: 3_600 };
const now = Date.parse('2026-01-02T12:00:00.000Z');

const text = readFileSync(join(import.meta.dirname, '../../docs/base-rates.md'), 'utf8');
const rows = [...text.matchAll(/^\| (MSFT|BTC|600000), (\d+) (\w+) \| ([\d,]+) of ([\d,]+) \|(.*)\|$/gm)];

let store: string;
beforeAll(async () => {
  store = await packagedBars();
});

test('the table has three horizons of MSFT and of BTC and four of 600000', () => {
  expect(rows.map(([, symbol]) => symbol).join(' ')).toBe('MSFT MSFT MSFT BTC BTC BTC 600000 600000 600000 600000');
});

test.each(rows.map(([row, ...cells]) => [row, cells] as const))(
  '%s',
  async (_, [symbol = '', count, unit = '', graded, starts, shares = '']) => {
    const horizon: Horizon = SECONDS[unit]
      ? { horizon_kind: 'holding_seconds', horizon_value: Number(count) * SECONDS[unit] }
      : { horizon_kind: 'trading_days', horizon_value: Number(count) };
    const rates = await ratesOf(INSTRUMENTS[symbol] ?? MSFT, horizon);
    expect([rates.graded, rates.starts].map((each) => each.toLocaleString('en-GB'))).toEqual([graded, starts]);
    if (rates.graded === 0) {
      const { coarse_prices = 0, no_trade = 0, ...others } = rates.ungraded;
      const words = `${coarse_prices.toLocaleString('en-GB')} too coarse, ${no_trade} without enough trades`;
      expect([shares.replaceAll('|', '').trim(), others]).toEqual([words, {}]);
      return;
    }
    const shown = DIRECTIONS.map((direction) =>
      RESULT_BUCKETS.map((bucket) => ((100 * rates.counts[direction][bucket]) / rates.graded).toFixed(1)).join(' / '),
    );
    expect(shares.trim()).toBe(shown.join(' | '));
  },
);

async function ratesOf(instrument: Instrument, horizon: Horizon) {
  const bars = (size: '1m' | '1d') => barFiles(store).bars(instrument, size, 0, now, now);
  const daily = await bars('1d');
  const path = horizon.horizon_kind === 'holding_seconds' ? await bars('1m') : daily;
  return baseRates({ instrument, path, daily }, horizon, now);
}
