/** How a page that was read again differs from its rows that are shown, by their keys. */
export interface LiveChange {
  /** Those before the first one that is shown: others left another page, and belong where the reader is not. */
  readonly newer: readonly string[];
  /** Shown, and within the range of the page, but not in it any more. */
  readonly gone: readonly string[];
  /** Shown, and older than the page is now. */
  readonly behind: readonly string[];
  /** There may be others between what is shown and what was read. */
  readonly isApart: boolean;
}

/**
 * Compares the keys of a page with those that are shown, both in the order of the page.
 * @param isLast whether no page follows the one that was read
 */
export function changeOf(shown: readonly string[], read: readonly string[], isLast: boolean): LiveChange {
  const [isShown, isRead] = [new Set(shown), new Set(read)];
  const first = read.findIndex((key) => isShown.has(key));
  const last = shown.findLastIndex((key) => isRead.has(key));
  return {
    newer: first === -1 ? read : read.slice(0, first),
    gone: shown.filter((key, at) => !isRead.has(key) && (isLast || at < last)),
    behind: isLast ? [] : shown.slice(last + 1),
    isApart: first === -1 && shown.length > 0 && !(isLast && read.length > 0),
  };
}
