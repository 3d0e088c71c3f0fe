import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/** The documents of the project; the image contains them. */
const DOCS = join(import.meta.dirname, '../../../docs');

const TYPES: Readonly<Record<string, string>> = { '.png': 'image/png', '.svg': 'image/svg+xml' };

/** A file of `docs/`. */
export interface ManualFile {
  /** Below `docs/`, with slashes. */
  readonly path: string;
  /** Its content type; null for a page of Markdown. */
  readonly type: string | null;
  read(): Buffer;
}

/** All files of the documents by their path. No request reads a name that is not among them. */
export function manualFiles(): ReadonlyMap<string, ManualFile> {
  const files = readdirSync(DOCS, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map((entry) => {
      const full = join(entry.parentPath, entry.name);
      const path = full.slice(DOCS.length + 1).replaceAll('\\', '/');
      const type = path.endsWith('.md') ? null : (TYPES[posix.extname(path)] ?? 'text/plain; charset=utf-8');
      return [path, { path, type, read: () => readFileSync(full) }];
    }),
  );
}

/** The address of a file or a folder of `docs/`. */
export function manualAddress(path: string): string {
  if (path === 'README.md' || path === '.') return '/guide/';
  return `/guide/${path.replace(/\.md$/, '')}`;
}

/**
 * Where a link of a document leads in the service; null for a file outside of the documents, which is not served.
 * @param from the path of the document
 */
export function linkTarget(files: ReadonlyMap<string, ManualFile>, from: string, href: string): string | null {
  if (/^[a-z]+:|^#/.test(href)) return href;
  const [target = '', anchor] = href.split('#');
  const path = posix.join(posix.dirname(from), target).replace(/\/$/, '');
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (files.has(path)) return manualAddress(path) + hash;
  return [...files.keys()].some((file) => dirname(file) === path) ? `${manualAddress(path)}/` : null;
}
