import { readFileSync, writeFileSync } from 'node:fs';

const DOCUMENT = new URL('../../../docs/performance.md', import.meta.url);

/** Writes the results between the marks of the part in docs/performance.md. @throws Error when these are missing */
export function writeReport(part: string, measured: string): void {
  const text = readFileSync(DOCUMENT, 'utf8');
  writeFileSync(DOCUMENT, withReport(text, part, measured));
}

/** Returns the text with the lines between the marks of the part replaced. */
export function withReport(text: string, part: string, measured: string): string {
  const [begin, end] = [`<!-- measured: ${part} -->`, `<!-- end: ${part} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/performance.md has no marks for ${part}.`);
  return `${text.slice(0, from + begin.length)}\n\n\`\`\`\n${measured}\n\`\`\`\n\n${text.slice(to)}`;
}
