import type { Endpoint } from '../../../adapters/http/kit/endpoint.ts';
import { ACCOUNTS } from './accounts.ts';
import { ADMIN } from './admin.ts';
import { DECISIONS } from './decisions.ts';
import type { Operation } from './operation.ts';
import { OWNER } from './owner.ts';

/** Every operation of interface.md 4.1 to 4.5 and of the additions, once: method, path, who may, success, request. */
export const OPERATIONS: readonly Operation[] = [...ADMIN, ...DECISIONS, ...OWNER, ...ACCOUNTS];

/** The operation of an endpoint. */
export function nameOf({ method, path }: Pick<Endpoint, 'method' | 'path'>): string {
  return `${method} ${path.replace('/api/v1', '')}`;
}

/** A sentence for each served operation that has no value here, and for each value that is not served. */
export function differencesFrom(served: readonly string[], operations: readonly Operation[] = OPERATIONS): string[] {
  const names = operations.map(({ name }) => name);
  return [
    ...served
      .filter((name) => !names.includes(name))
      .map(
        (name) => `${name} is served and has no value: add who may call it, and a request, to tests/http/operations.`,
      ),
    ...names
      .filter((name) => !served.includes(name))
      .map((name) => `${name} has a value in tests/http/operations and is not served: remove one or the other.`),
    ...names
      .filter((name, index) => names.indexOf(name) !== index)
      .map((name) => `${name} has two values in tests/http/operations: keep one.`),
  ];
}
