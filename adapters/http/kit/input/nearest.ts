/** The candidate that needs the fewest edits to become `word`, if they are few enough for a slip of the pen. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const allowed = Math.max(2, Math.floor(word.length / 3));
  let best: string | undefined;
  let fewest = allowed + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= fewest) continue;
    const needed = edits(word, candidate);
    if (needed < fewest) [best, fewest] = [candidate, needed];
  }
  return best;
}

/** Levenshtein's distance, one row at a time. */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
