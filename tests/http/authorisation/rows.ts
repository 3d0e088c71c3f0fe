import { type Cells, type Column, isServed, type Operation } from '../operations/operation.ts';
import { OPERATIONS } from '../operations/operations.ts';
import type { Cast } from './cast.ts';
import type { Prepared } from './requests.ts';

/** The columns whose callers are the owner of the data in the row. */
export const OWN: readonly Column[] = ['rw', 'ro', 'ub', 'B', 'S', 'S!'];

/** An operation on one kind of thing of the owner's. */
export interface Row {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  /** The owner's data that the request names. */
  readonly of: string;
  /** The status of success; null where every caller is refused. */
  readonly ok: number | null;
  readonly cells: Cells;
  readonly request: Operation['request'];
}

export const ROWS: readonly Row[] = rowsIn(OPERATIONS);

export function rowsIn(operations: readonly Operation[]): readonly Row[] {
  return operations.flatMap(({ name, ok, who, request }) => {
    const [method = '', path = ''] = name.split(' ');
    return [...who].map(([of, cells]) => {
      return { operation: name, method, path, of, ok: isServed(cells) ? ok : null, cells, request };
    });
  });
}

/** The request of a row; a new one each time where success uses it up. */
export async function requestOf(cast: Cast, { method, path, of, request }: Row): Promise<Prepared> {
  const made = await request(cast, of);
  const id = made.names?.id ?? '';
  const filled = path.replace(
    /\{(record_id|agent_id|plan_id|key_prefix|session_id|webhook_id|passkey_id|id|hash)\}/,
    id,
  );
  return { method, path: `/api/v1${filled}${made.query ?? ''}`, ...made };
}
