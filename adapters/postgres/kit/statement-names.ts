import { sha256Hex } from '../../../application/sha256.ts';

/** Of each kind of statement: a connection keeps the plan of each. */
const MOST = 40;

/**
 * Names for statements whose text is put together, so that those which are sent often are planned once for a connection.
 * Only the first texts get one. A text has the same name in every process: behind a pooler they share connections.
 */
export function statementNames(kind: string): (text: string) => string | undefined {
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.size === MOST) return known;
    const name = `${kind}-${sha256Hex(text).slice(0, 16)}`;
    names.set(text, name);
    return name;
  };
}
