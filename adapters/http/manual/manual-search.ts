import type { Section } from './markdown.ts';

export interface SearchedPage {
  /** Its address. */
  readonly address: string;
  readonly title: string;
  readonly sections: readonly Section[];
}

export interface Found {
  readonly address: string;
  readonly title: string;
  readonly heading: string;
  /** The words around the first place; the words that were searched are between NUL characters. */
  readonly extract: string;
}

/** More words, and more letters of a word, are not searched. */
const MOST = { words: 6, letters: 40, results: 30 };
const AROUND = 90;

/**
 * The sections that contain every word, those first that have them in a heading or often.
 * @param words what a reader typed
 */
export function searchManual(pages: readonly SearchedPage[], words: string): readonly Found[] {
  const sought = wordsOf(words);
  if (sought.length === 0) return [];
  return pages
    .flatMap((page) => page.sections.map((section) => ({ page, section, score: scoreOf(page, section, sought) })))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MOST.results)
    .map(({ page: { address, title }, section: { heading, id, text } }) => ({
      address: `${address}#${id}`,
      title,
      heading,
      extract: extractOf(text, sought),
    }));
}

function wordsOf(words: string): readonly string[] {
  const found = words.toLowerCase().match(/[\p{L}\p{N}_./-]+/gu) ?? [];
  return [...new Set(found.map((word) => word.slice(0, MOST.letters)))].slice(0, MOST.words);
}

/** 0 when a word is missing. */
function scoreOf({ title }: SearchedPage, { heading, text }: Section, sought: readonly string[]): number {
  const [page, own, body] = [title, heading, text].map((each) => each.toLowerCase());
  const scores = sought.map(
    (word) =>
      (page?.includes(word) ? 5 : 0) + (own?.includes(word) ? 8 : 0) + Math.min(5, (body?.split(word).length ?? 1) - 1),
  );
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0);
}

function extractOf(text: string, sought: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = sought.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const first = places.length === 0 ? 0 : Math.min(...places);
  const [from, to] = [Math.max(0, first - AROUND), first + AROUND * 2];
  const words = `${from > 0 ? '\u2026' : ''}${text.slice(from, to)}${to < text.length ? '\u2026' : ''}`;
  const pattern = sought.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&')).join('|');
  return words.replaceAll(new RegExp(pattern, 'giu'), (word) => `\u0000${word}\u0000`);
}
