import type { Cell, TableColumn } from '../../../domain/table.ts';

/**
 * See `WriteTable`. RFC 4180: a line of names, lines that end with CRLF, quotes doubled within quotes. Texts are always in
 * quotes and nothing else is, so that an empty text (`""`) and a missing value (nothing) differ.
 */
export async function* csvTable<Row>(
  columns: readonly TableColumn<Row>[],
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string> {
  yield `${columns.map(({ name }) => name).join(',')}\r\n`;
  for await (const page of pages) {
    const lines = page.map((row) => `${columns.map(({ of }) => written(of(row))).join(',')}\r\n`);
    if (lines.length > 0) yield lines.join('');
  }
}

function written(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'string') return `"${asText(cell).replaceAll('"', '""')}"`;
  return cell instanceof Date ? cell.toISOString() : String(cell);
}

/** What makes a spreadsheet compute a cell, by OWASP's page on CSV injection, and the mark itself. */
const COMPUTED = /^['=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/**
 * A text that a spreadsheet would compute begins with an apostrophe, by which spreadsheets know a text. So does a text
 * that begins with an apostrophe: a reader who removes one from the start of each text has what was written.
 */
function asText(text: string): string {
  return COMPUTED.test(text) ? `'${text}` : text;
}
