import { normaliseSymbol } from '../../../domain/market/symbol.ts';
import type { SymbolFile, SymbolFileName } from '../../../domain/market/symbol-store.ts';
import { localToInstant } from '../../../domain/zoned-time.ts';
import { MalformedFile } from '../files/csv.ts';

const HEADERS: Readonly<Record<SymbolFileName, string>> = {
  nasdaqlisted: 'Symbol|Security Name|Market Category|Test Issue|Financial Status|Round Lot Size|ETF|NextShares',
  otherlisted: 'ACT Symbol|Security Name|Exchange|CQS Symbol|ETF|Round Lot Size|Test Issue|NASDAQ Symbol',
};

/** The column with the symbol in the spelling nearest to ours. */
const SYMBOL: Readonly<Record<SymbolFileName, string>> = { nasdaqlisted: 'Symbol', otherlisted: 'CQS Symbol' };

/**
 * The tickers of one of the daily files of US listings: pipes between the cells, one header, and a last line that says
 * when the file was made, which a truncated file lacks. Test issues are left out, and so is
 * what cannot be a ticker here.
 * @throws MalformedFile naming the first line that is not as documented
 */
export function parseSymbolFile(name: SymbolFileName, text: string): SymbolFile {
  const lines = text.split(/\r?\n/);
  while (lines.at(-1) === '') lines.pop();
  const [header = '', ...rows] = lines;
  if (header !== HEADERS[name]) throw new MalformedFile(1, 'the header is another one than documented');
  const created_at = creationTime(rows.pop() ?? '', lines.length);
  const columns = header.split('|');
  const symbols = rows.flatMap((row, index) => tickerIn(row, columns, SYMBOL[name], index + 2));
  if (symbols.length === 0) throw new MalformedFile(2, 'there is no symbol');
  return { name, created_at, symbols: [...new Set(symbols)] };
}

/** Such as `File Creation Time: 0203202518:03|||||||`, by the clocks of New York. */
function creationTime(footer: string, line: number): Date {
  const found = FOOTER.exec(footer);
  const [, month, day, year, time] = found ?? [];
  const local = found ? Date.parse(`${year}-${month}-${day}T${time}:00Z`) : Number.NaN;
  const at = Number.isNaN(local) ? null : localToInstant(local, 'America/New_York');
  if (at === null) throw new MalformedFile(line, 'the last line is no creation time: the file was cut off');
  return new Date(at);
}

const FOOTER = /^File Creation Time: (\d\d)(\d\d)(\d{4})(\d\d:\d\d)\|*$/;

function tickerIn(row: string, columns: readonly string[], column: string, line: number): readonly string[] {
  const cells = row.split('|');
  if (cells.length !== columns.length) {
    throw new MalformedFile(line, `${cells.length} cells instead of ${columns.length}`);
  }
  const test = cells[columns.indexOf('Test Issue')];
  if (test !== 'Y' && test !== 'N') throw new MalformedFile(line, 'Test Issue is neither Y nor N');
  const symbol = test === 'Y' ? null : normaliseSymbol(spelled(cells[columns.indexOf(column)] ?? ''), US_STOCK);
  return symbol === null ? [] : [symbol];
}

const US_STOCK = { market: 'stock', quote_currency: 'USD' } as const;

/** Preferred shares have a small p before their class: `ABRpD` is our `ABR.PRD`. */
function spelled(symbol: string): string {
  return symbol.replace(/^([A-Z]+)p([A-Z]?)/, '$1.PR$2');
}
