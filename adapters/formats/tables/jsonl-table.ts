import type { Cell, ColumnKind, TableColumn } from '../../../domain/table.ts';

/** See `WriteTable`: an object a line with a member for each column, missing values as null, JSON texts as their values. */
export async function* jsonlTable<Row>(
  columns: readonly TableColumn<Row>[],
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string> {
  const names = columns.map(({ name }) => JSON.stringify(name));
  for await (const page of pages) {
    const lines = page.map((row) => {
      const members = columns.map(({ kind, of }, n) => `${names[n]}:${written(kind, of(row))}`);
      return `{${members.join(',')}}\n`;
    });
    if (lines.length > 0) yield lines.join('');
  }
}

function written(kind: ColumnKind, cell: Cell): string {
  return kind === 'json' && typeof cell === 'string' ? cell : JSON.stringify(cell);
}
