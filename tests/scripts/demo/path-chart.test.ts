import { expect, test } from '@jest/globals';
import { pathChart } from '../../../scripts/demo/featured-decision.ts';

const bar = (n: number, low: number, close: number, high: number, split = 1) => ({
  start: `2003-02-0${n}T14:30:00.000Z`,
  end: `2003-02-0${n}T21:00:00.000Z`,
  open: close,
  low,
  close,
  high,
  volume: null,
  split,
  total: split,
});
const point = (n: number, price: number) => ({ time: `2003-02-0${n}T21:00:00.000Z`, price, adjusted_price: price });
const excursion = (n: number, value: number) => ({ time: `2003-02-0${n}T21:00:00.000Z`, value });

test('draws the path, its levels and where it was best and worst', () => {
  const chart = pathChart(
    {
      bars: [bar(1, 90, 100, 100), bar(2, 100, 110, 110)],
      entry: point(1, 100),
      exit: point(2, 110),
      mfe: excursion(2, 0.1),
      mae: excursion(1, -0.1),
    },
    { targets: [{ price: 118 }] },
  );
  expect(chart.split('\n').filter((line) => line !== '')).toEqual([
    '  ┄┄┄┄  ◂ target 1 118.00',
    '  ┄┄●┄  ◂ exit 110.00',
    '    │',
    '    │',
    '    │',
    '    │',
    '  ●┄│┄  ◂ entry 100.00',
    '  │',
    '  │',
    '  │',
    '  │',
    '  │',
    '    ▲ largest favourable move (MFE)',
    '  ▲ largest adverse move (MAE)',
  ]);
});

test('keeps to the units of the first bar across a split', () => {
  const chart = pathChart(
    {
      bars: [bar(1, 90, 100, 110, 0.5), bar(2, 45, 50, 55, 1)],
      entry: point(1, 100),
      exit: point(2, 50),
      mfe: null,
      mae: excursion(2, 0),
    },
    {},
  );
  expect(chart).toContain('●┄●┄  ◂ entry 100.00, exit 100.00');
});
