import { distance } from 'fastest-levenshtein';

/** The candidate that needs the fewest edits to become `word`, if they are few enough for a typing error. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const allowed = Math.max(2, Math.floor(word.length / 3));
  let best: string | undefined;
  let fewest = allowed + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= fewest) continue;
    const needed = distance(word, candidate);
    if (needed < fewest) [best, fewest] = [candidate, needed];
  }
  return best;
}
