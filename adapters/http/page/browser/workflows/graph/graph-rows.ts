/** A line from one box to another, by their places. */
export interface BoxLink {
  readonly from: number;
  readonly to: number;
}

/**
 * The row of each box: one more than the last of those that lead to it, 0 without any. Links that close a circle do
 * not count, so that every other link leads downwards.
 */
export function rowsOf(boxes: number, links: readonly BoxLink[]): readonly number[] {
  const next = Array.from({ length: boxes }, (_, from) =>
    links.filter((link) => link.from === from && link.to !== from).map(({ to }) => to),
  );
  const rows = Array.from({ length: boxes }, () => 0);
  for (const from of inOrder(next)) {
    for (const to of next[from] ?? []) rows[to] = Math.max(rows[to] ?? 0, (rows[from] ?? 0) + 1);
  }
  return rows;
}

/** The boxes so that each comes before those that it leads to; removes the links that close a circle from `next`. */
function inOrder(next: number[][]): readonly number[] {
  const state = next.map((): 'new' | 'open' | 'done' => 'new');
  const order: number[] = [];
  const visit = (box: number) => {
    state[box] = 'open';
    next[box] = (next[box] ?? []).filter((to) => {
      if (state[to] === 'open') return false;
      if (state[to] === 'new') visit(to);
      return true;
    });
    state[box] = 'done';
    order.unshift(box);
  };
  for (const box of next.keys()) if (state[box] === 'new') visit(box);
  return order;
}
