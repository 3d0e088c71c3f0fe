import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { Marked, type RendererObject } from 'marked';
import { html, Markup } from '../docs/markup.ts';

/** The documents of the project; the image contains them. */
const DOCS = join(import.meta.dirname, '../../../docs');

const TYPES: Readonly<Record<string, string>> = { '.png': 'image/png', '.svg': 'image/svg+xml' };

export interface Heading {
  readonly depth: number;
  readonly text: string;
  /** As GitHub makes them, so that links work in both places. */
  readonly id: string;
}

export interface RenderedPage {
  readonly title: string;
  readonly content: Markup;
  readonly headings: readonly Heading[];
}

const isComment = (source: string) => source.startsWith('<!--') && source.indexOf('-->') === source.length - 3;

/**
 * A document as HTML. Markup in it is shown as text: only what Markdown has becomes elements.
 * @param leads where a link leads; null for one that is not served, whose text stays
 * @param origin of this service, which its commands name
 */
export function renderMarkdown(text: string, leads: (href: string) => string | null, origin = ''): RenderedPage {
  const headings: Heading[] = [];
  const ids = idMaker();
  const renderer: RendererObject = {
    heading({ tokens, depth, text: source }) {
      const heading = { depth, text: plain(source), id: ids(source) };
      headings.push(heading);
      const link = html`<a href="#${heading.id}">${new Markup(this.parser.parseInline(tokens))}</a>`;
      return `<h${depth} id="${heading.id}">${link.text}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      const words = new Markup(this.parser.parseInline(tokens));
      const target = leads(href);
      if (target === null) return html`<span class="elsewhere" title="In the repository: ${href}">${words}</span>`.text;
      return html`<a href="${target}">${words}</a>`.text;
    },
    image({ href, text: words }) {
      return html`<img src="${leads(href) ?? ''}" alt="${words}">`.text;
    },
    code({ text: code }) {
      return html`<pre tabindex="0"><code>${withOrigin(code, origin)}</code></pre>\n`.text;
    },
    html({ text: source }) {
      return isComment(source.trim()) ? '' : html`${source}`.text;
    },
    table({ header, rows }) {
      const cells = (tag: string, row: typeof header) =>
        row.map(({ tokens, text: words }) => {
          const name = words === '' ? 'td' : tag;
          return `<${name}>${this.parser.parseInline(tokens)}</${name}>`;
        });
      const body = rows.map((row) => `<tr>${cells('td', row).join('')}</tr>`).join('\n');
      const hasHead = header.some(({ text: words }) => words !== '');
      const head = hasHead ? `<thead><tr>${cells('th', header).join('')}</tr></thead>` : '';
      return `<div class="wide" tabindex="0"><table>${head}<tbody>${body}</tbody></table></div>\n`;
    },
  };
  // An address that is not marked as a link is an example, such as http://HOST:PORT.
  const tokenizer = { url: () => undefined };
  const content = new Markup(new Marked({ renderer, tokenizer, async: false }).parse(text) as string);
  return { title: headings[0]?.text ?? '', content, headings };
}

/** The addresses of a service in the examples of the documents. */
const EXAMPLE_ORIGINS = /https?:\/\/(?:127\.0\.0\.1:3000|stancebook\.example)(?![\w.])/g;

/** Commands with the address of this service; those that start one of the reader's own stay as they are. */
function withOrigin(code: string, origin: string): string {
  return origin === '' || /\bnpm\b|\bdocker\b/.test(code) ? code : code.replaceAll(EXAMPLE_ORIGINS, () => origin);
}

/** A part of a document below one heading, for the search. */
export interface Section {
  readonly heading: string;
  readonly id: string;
  readonly text: string;
}

/** The parts of a document, without rendering it: from each heading up to the next. */
export function sectionsOf(markdown: string): readonly Section[] {
  const ids = idMaker();
  const outsideCode = markdown.split(/^(```[\s\S]*?^```)/m);
  const marked = outsideCode.map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/^#+ /gm, '\u0000')));
  return marked
    .join('')
    .split('\u0000')
    .slice(1)
    .map((part) => {
      const [heading = '', ...lines] = part.split('\n');
      return { heading: plain(heading), id: ids(heading), text: plain(lines.join(' ')) };
    });
}

/** Words without the signs of Markdown. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*|]|^#+ /g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** A second heading of the same words gets a number. */
function idMaker(): (heading: string) => string {
  const seen = new Map<string, number>();
  return (heading) => {
    const words = plain(heading).toLowerCase();
    const id = words.replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-');
    const count = seen.get(id) ?? 0;
    seen.set(id, count + 1);
    return count === 0 ? id : `${id}-${count}`;
  };
}

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
