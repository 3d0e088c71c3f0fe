/** A table for a terminal: columns as wide as their widest cell, those of numbers at the right. */
export function table(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = headers.map((header, index) => [header, ...rows.map((row) => row[index] ?? '')]);
  const widths = columns.map((cells) => Math.max(...cells.map(({ length }) => length)));
  const right = columns.map(([, ...cells]) => cells.length > 0 && cells.every((cell) => /^[-+\d.,]*$/.test(cell)));
  const line = (cells: readonly string[]) =>
    widths
      .map((width, index) => (right[index] ? (cells[index] ?? '').padStart(width) : (cells[index] ?? '').padEnd(width)))
      .join('  ')
      .trimEnd();
  return [line(headers), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}
