/** A difference between two documents. */
export interface Difference {
  /** Such as `facts.entry.price`. */
  readonly path: string;
  /** As JSON; empty where there is none. */
  readonly kept: string;
  readonly computed: string;
}

/** Every leaf at which two values differ as JSON, in the order of their paths. */
export function differences(kept: unknown, computed: unknown, path = ''): Difference[] {
  if (isBranch(kept) && isBranch(computed)) {
    const names = [...new Set([...Object.keys(kept), ...Object.keys(computed)])];
    return names.toSorted().flatMap((name) => differences(kept[name], computed[name], path ? `${path}.${name}` : name));
  }
  const [left, right] = [JSON.stringify(kept) ?? '', JSON.stringify(computed) ?? ''];
  return left === right ? [] : [{ path, kept: left, computed: right }];
}

function isBranch(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
