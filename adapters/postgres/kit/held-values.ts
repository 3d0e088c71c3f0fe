export interface HeldValues<T> {
  find(name: string): T | null;
  keep(name: string, value: T): void;
}

/**
 * Holds values in memory. The first ones go, except those that were read since: these are held once more, so that a read
 * moves nothing. The database says whether a value still counts.
 * @param most of all sizes together
 */
export function heldValues<T>(most: number, sizeOf: (value: T) => number): HeldValues<T> {
  const held = new Map<string, { readonly value: T; isRead: boolean }>();
  let size = 0;
  function makeRoom(): void {
    for (const [name, { value, isRead }] of held) {
      if (size <= most) return;
      held.delete(name);
      if (isRead) held.set(name, { value, isRead: false });
      else size -= sizeOf(value);
    }
  }
  return {
    find(name) {
      const found = held.get(name);
      if (!found) return null;
      found.isRead = true;
      return found.value;
    },
    keep(name, value) {
      const before = held.get(name);
      size += sizeOf(value) - (before ? sizeOf(before.value) : 0);
      held.delete(name);
      held.set(name, { value, isRead: false });
      makeRoom();
    },
  };
}
