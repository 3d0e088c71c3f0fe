import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { nearestSymbols } from '../../../domain/market/symbol-directory.ts';

const tickers = ['MSFT', 'MSTR', 'MTF', 'AAPL', 'APP', 'APPS', 'APLE', 'BRK.A', 'BRK.B', 'F', 'TXN', 'GOOG', 'GOOGL'];

test.each([
  ['MSTF', 'MSFT'],
  ['APPL', 'AAPL'],
  ['GOGL', 'GOOGL'],
  ['BRKB', 'BRK.B'],
  ['TNX', 'TXN'],
])('%s suggests %s first', (slip, meant) => {
  expect(nearestSymbols(slip, tickers, 3)[0]).toBe(meant);
});

test('no ticker more than two edits away, nor as many edits as the text has letters', () => {
  expect(nearestSymbols('QQQQQ', tickers, 3)).toEqual([]);
  expect(nearestSymbols('Q', tickers, 3)).toEqual([]);
  expect(nearestSymbols('', tickers, 3)).toEqual([]);
  expect(nearestSymbols('X'.repeat(10_000), tickers, 3)).toEqual([]);
});

test('at most the requested number', () => {
  expect(nearestSymbols('APPL', tickers, 2)).toHaveLength(2);
  expect(nearestSymbols('APPL', tickers, 0)).toEqual([]);
});

test('a ticker with one typing error is always among the suggestions', () => {
  const letter = fc.constantFrom(...'ABCXYZ');
  fc.assert(
    fc.property(fc.string({ unit: letter, minLength: 3, maxLength: 6 }), fc.nat(), letter, (ticker, place, typed) => {
      const at = place % (ticker.length - 1);
      const [before, one, two, after] = [ticker.slice(0, at), ticker[at], ticker[at + 1], ticker.slice(at + 2)];
      const slips = [
        `${before}${two}${one}${after}`,
        `${before}${two}${after}`,
        `${before}${typed}${two}${after}`,
        `${before}${typed}${one}${two}${after}`,
      ];
      for (const slip of slips) expect(nearestSymbols(slip, ['QQQQQQ', ticker], 3)).toEqual([ticker]);
    }),
  );
});

test('the order of the candidates does not matter', () => {
  const backwards = [...tickers].reverse();
  for (const text of ['MSTF', 'APPL', 'GOO'])
    expect(nearestSymbols(text, backwards, 5)).toEqual(nearestSymbols(text, tickers, 5));
});
