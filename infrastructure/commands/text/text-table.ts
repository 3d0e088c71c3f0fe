/**
 * A table for a terminal: columns as wide as their widest cell, those of numbers at the right. Whatever somebody wrote into
 * a cell stays in it.
 */
export function table(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  const shown = rows.map((row) => row.map(printable));
  const columns = headers.map((header, index) => [header, ...shown.map((row) => row[index] ?? '')]);
  const widths = columns.map((cells) => Math.max(...cells.map(({ length }) => length)));
  const right = columns.map(([, ...cells]) => cells.length > 0 && cells.every((cell) => /^[-+\d.,]*$/.test(cell)));
  const line = (cells: readonly string[]) =>
    widths
      .map((width, index) => (right[index] ? (cells[index] ?? '').padStart(width) : (cells[index] ?? '').padEnd(width)))
      .join('  ')
      .trimEnd();
  return [line(headers), widths.map((width) => '-'.repeat(width)).join('  '), ...shown.map(line)].join('\n');
}

/** What could move the cursor, begin a line or turn the writing round is shown as its code. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`);
}
