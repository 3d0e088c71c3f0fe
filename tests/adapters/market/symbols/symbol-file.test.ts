import { describe, expect, test } from '@jest/globals';
import { parseSymbolFile } from '../../../../adapters/market/symbols/current-symbols.ts';
import { NASDAQ, NASDAQ_HEADER, OTHER } from '../symbol-files.ts';

test('the tickers of the first file: test issues left out, funds included, by its own creation time', () => {
  expect(parseSymbolFile('nasdaqlisted', NASDAQ)).toEqual({
    name: 'nasdaqlisted',
    created_at: new Date('2026-02-03T23:03:00Z'),
    symbols: ['AAPL', 'MSFT', 'QQQ', 'NEWCO'],
  });
});

test('the tickers of the second file in our spelling: class and preferred shares, warrants, units and rights', () => {
  const { symbols } = parseSymbolFile('otherlisted', OTHER);
  expect(symbols).toEqual(['IBM', 'BRK.B', 'ABR.PRD', 'BAC.PR', 'AAC.WS', 'AAC.U', 'AIIA.RT', 'SPY']);
});

test('line ends of either kind, and a last one or none', () => {
  const expected = parseSymbolFile('nasdaqlisted', NASDAQ);
  expect(parseSymbolFile('nasdaqlisted', NASDAQ.replaceAll('\r\n', '\n'))).toEqual(expected);
  expect(parseSymbolFile('nasdaqlisted', NASDAQ.trimEnd())).toEqual(expected);
});

test('a summer file was made in summer time', () => {
  const text = NASDAQ.replace('0203202618:03', '0703202618:03');
  expect(parseSymbolFile('nasdaqlisted', text).created_at).toEqual(new Date('2026-07-03T22:03:00Z'));
});

describe('refuses', () => {
  const lines = NASDAQ.split('\r\n');
  const cases: [string, string, string][] = [
    ['an empty answer', '', 'line 1'],
    ['a page', '<html><body>Not now</body></html>', 'line 1'],
    ['the other file', OTHER, 'line 1'],
    ['another header', NASDAQ.replace('NextShares', 'NextShares|More'), 'line 1'],
    ['a file that was cut off between lines', lines.slice(0, 3).join('\r\n'), 'line 3: the last line'],
    ['a file that was cut off within a line', NASDAQ.slice(0, NASDAQ.indexOf('QQQ') + 5), 'line 4: the last line'],
    ['a file that was cut off within its last line', NASDAQ.slice(0, NASDAQ.indexOf('202618')), 'the last line'],
    ['a creation time that cannot be', NASDAQ.replace('0203202618:03', '1303202618:03'), 'the last line'],
    ['a row with a cell too few', NASDAQ.replace('|100|Y|', '|100|Y'), 'line 4: 7 cells instead of 8'],
    ['a test mark that is none', NASDAQ.replace('|Q|N|', '|Q|?|'), 'Test Issue'],
    ['a file without symbols', [NASDAQ_HEADER, lines.at(-2)].join('\r\n'), 'no symbol'],
    [
      'a second last line before the end',
      NASDAQ.replace('\r\nMSFT', '\r\nFile Creation Time: 0203202618:03|||||||\r\nMSFT'),
      'Test Issue',
    ],
  ];
  test.each(cases)('%s', (_, text, fault) => {
    expect(() => parseSymbolFile('nasdaqlisted', text)).toThrow(fault);
  });
});
