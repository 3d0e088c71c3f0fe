import { kindsTakenBy } from '../operations/operation.ts';
import type { Row } from './rows.ts';

interface Operation {
  readonly security?: readonly Readonly<Record<string, unknown>>[];
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const PREFIX = '/api/v1';

/** The operations of the document, as the matrix names them. */
export function operationsOf(document: OpenApi): readonly string[] {
  return [...securityIn(document).keys()];
}

/** The credentials that the document declares, by the name of the operation. */
export function securityIn({ paths }: OpenApi): ReadonlyMap<string, readonly string[]> {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security = [] }]) => {
      const taken = security.map((scheme) => Object.keys(scheme).join() || 'none');
      return [`${method.toUpperCase()} ${path.replace(PREFIX, '')}`, taken.toSorted()] as const;
    }),
  );
  return new Map(operations);
}

/** The rows that the document contradicts. */
export function contradictions(rows: readonly Row[], security: ReadonlyMap<string, readonly string[]>): string[] {
  return rows.flatMap((row) => {
    const [documented, expected] = [security.get(row.operation) ?? [], takenBy(row)];
    return documented.join() === expected.join()
      ? []
      : [`${row.operation}: ${documented.join()} in place of ${expected.join()}`];
  });
}

/** Empty where invalid credentials are ignored; contains `none`, too, where credentials are optional. */
export function takenBy({ cells }: Row): readonly string[] {
  const kinds = kindsTakenBy(cells);
  return [...kinds, ...(kinds.length === 0 || cells['-'] === cells.bad ? [] : ['none'])].toSorted();
}
