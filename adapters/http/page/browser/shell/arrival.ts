/** How the reader came to a view: by opening the page, by a link or a button, or by back and forward. */
export type Way = 'opened' | 'followed' | 'returned';

const positions = new Map<string, number>();
let current = location.hash;
let position = 0;
let isFollowing = false;

/** The next change of the address is the reader's own, by a link, a button or a form. */
export function follow(): void {
  isFollowing = true;
}

/** Moves to the address as if the reader had followed a link to it. */
export function goTo(address: string): void {
  follow();
  location.hash = address;
}

/** Notes scroll positions and how the reader moves; calls back with each new address, also with the current one. */
export function watchArrivals(arrived: (way: Way) => void): void {
  addEventListener('scroll', () => positions.set(current, scrollY), { passive: true });
  addEventListener('click', ({ target }) => {
    const link = target instanceof Element ? target.closest('a, button, canvas') : null;
    isFollowing = link !== null;
    // A link to the current address triggers no hashchange.
    if (!(link instanceof HTMLAnchorElement) || link.href !== location.href) return;
    isFollowing = false;
    arrived('followed');
  });
  addEventListener('hashchange', () => {
    current = location.hash;
    // Read before the old view is removed, because that scrolls.
    position = positions.get(current) ?? 0;
    const way = isFollowing ? 'followed' : 'returned';
    isFollowing = false;
    arrived(way);
  });
}

/** The address was replaced without a new view. */
export function noteReplaced(): void {
  current = location.hash;
  positions.set(current, scrollY);
}

/** Replaces the current address, also in the history, without a new view. */
export function replaceAddress(address: string): void {
  positions.delete(current);
  history.replaceState(null, '', address);
  noteReplaced();
}

/** Back and forward restore the scroll position. */
export function restorePosition(): void {
  scrollTo(0, position);
}
