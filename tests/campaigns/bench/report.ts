import { readFileSync, writeFileSync } from 'node:fs';

const DOCUMENT = new URL('../../../docs/performance.md', import.meta.url);

/** Whether the document has a place for the results of a part. */
export function hasPlace(part: string): boolean {
  return readFileSync(DOCUMENT, 'utf8').includes(`<!-- measured: ${part} -->`);
}

/** Writes the results of a part into docs/performance.md. */
export function writeReport(part: string, measured: string): void {
  const text = readFileSync(DOCUMENT, 'utf8');
  writeFileSync(DOCUMENT, withReport(text, part, measured));
}

/**
 * Returns the text with the lines between the marks of the part replaced; a part without marks comes to the end.
 * @throws Error when one of the two marks is missing
 */
export function withReport(text: string, part: string, measured: string): string {
  const [begin, end] = [`<!-- measured: ${part} -->`, `<!-- end: ${part} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  const lines = `${begin}\n\n\`\`\`\n${measured}\n\`\`\`\n\n${end}`;
  if (from < 0 && to < 0) return `${text}\n${lines}\n`;
  if (from < 0 || to < from) throw new Error(`docs/performance.md lacks a mark of ${part}.`);
  return `${text.slice(0, from)}${lines}${text.slice(to + end.length)}`;
}
