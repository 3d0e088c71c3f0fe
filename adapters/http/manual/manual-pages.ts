import { posix } from 'node:path';
import type { Request } from 'express';
import { sha256 } from '../../../application/sha256.ts';
import { BASE_STYLE } from '../docs/docs-page.ts';
import { html, Markup } from '../docs/markup.ts';
import { ownOrigin } from '../kit/caller/credentials.ts';
import { DOCUMENT_HEADERS } from '../kit/reply/headers.ts';
import { type StaticText, staticReply, staticText, TEXT_HEADERS } from '../kit/reply/static-reply.ts';
import type { PageContent, ServedPage } from '../kit/unmatched.ts';
import { inlineStyle, missingPage, wholeDocument } from '../page/document.ts';
import { exampleQuestion, type Found, openSearch, type SearchedPage, searchedPages } from './manual-search.ts';
import {
  type Heading,
  linkTarget,
  type ManualFile,
  manualAddress,
  manualFiles,
  type RenderedPage,
  renderMarkdown,
} from './markdown.ts';

/** The whole style of the guide; its hash is in the policy of its pages. */
const MANUAL_STYLE = `${BASE_STYLE}
body { display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
body > nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1rem; border-right: 1px solid var(--line); }
nav p { margin: 1rem 0 .25rem; color: var(--soft); font-weight: 600; }
nav [aria-current] { font-weight: 600; color: var(--text); }
main { padding: 1.5rem 2.5rem 6rem; max-width: 56rem; overflow-wrap: break-word; }
form { display: flex; gap: .375rem; margin: .75rem 0; }
form input { min-width: 0; flex: 1; }
.parts { background: var(--block); border-radius: .375rem; padding: .625rem 1rem; font-size: .875rem; }
.parts ul { margin: .375rem 0 0; padding-left: 1.125rem; }
.wide { overflow-x: auto; }
img { max-width: 100%; height: auto; background: #fff; }
.elsewhere { border-bottom: 1px dotted var(--soft); }
.found { list-style: none; padding: 0; }
.found li { margin: 0 0 1.25rem; }
.found p { margin: 0; }
.soft, .found small { color: var(--soft); }
mark { background: light-dark(#fff3b0, #5c4d00); color: inherit; }
@media (min-width: 55rem) { body > nav summary { display: none; }
  body > nav details::details-content { content-visibility: visible; block-size: auto; } }
@media (max-width: 55rem) { body { display: block; } main { padding: 1rem; }
  body > nav { position: static; height: auto; border: 0; border-bottom: 1px solid var(--line); } }
`;

/** Only the page's own style and the pictures of the documents load; the form of the search is sent to this service. */
const MANUAL_HEADERS: readonly string[] = [
  ...DOCUMENT_HEADERS,
  ...['cache-control', 'no-cache'],
  'content-security-policy',
  `default-src 'none'; style-src 'sha256-${sha256(MANUAL_STYLE).toString('base64')}'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
];

const HTML = 'text/html; charset=utf-8';

/**
 * The documents of the project at `/guide/`, with a search. Each is made at its first request.
 * @param publicOrigin of the service, where it has one
 */
export function manualPages(publicOrigin?: string): readonly ServedPage[] {
  let manual: Manual | undefined;
  const show = (path: (params: Request['params']) => string) => async (request: Request) => {
    manual ??= openManual();
    return pageAt(manual, path(request.params), request, ownOrigin(request, { publicOrigin }));
  };
  return [
    { path: '/guide', render: async () => ({ status: 308, headers: [...DOCUMENT_HEADERS, 'location', '/guide/'] }) },
    { path: '/guide/', render: show(() => 'README') },
    { path: '/guide/{page}', render: show(({ page }) => `${page}`) },
    { path: '/guide/{folder}/', render: show(({ folder }) => `${folder}/`) },
    { path: '/guide/{folder}/{page}', render: show(({ folder, page }) => `${folder}/${page}`) },
  ];
}

interface Manual {
  readonly files: ReadonlyMap<string, ManualFile>;
  readonly groups: readonly ManualGroup[];
  readonly searched: readonly SearchedPage[];
  readonly search: ReturnType<typeof openSearch>;
  /** What was made so far, by the origin that its commands name, and path. */
  readonly made: Map<string, StaticText>;
}

function openManual(): Manual {
  const files = manualFiles();
  const searched = searchedPages(files);
  return { files, searched, search: openSearch(searched), groups: groupsOf(files, searched), made: new Map() };
}

/** The navigation: the lists of the index, by the headings that they are below. */
function groupsOf(files: Manual['files'], searched: readonly SearchedPage[]): readonly ManualGroup[] {
  const index = files.get('README.md')?.read().toString() ?? '';
  return index
    .split(/^#{2,3} /m)
    .slice(1)
    .map((part) => {
      const links = [...part.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, path = '']) => manualAddress(path));
      const pages = links.flatMap((address) => searched.filter((page) => page.address === address));
      return { name: part.split('\n')[0] ?? '', pages };
    })
    .filter(({ pages }) => pages.length > 0);
}

function pageAt(manual: Manual, path: string, request: Request, origin: string): PageContent {
  const sought = path === 'README' ? soughtBy(request) : '';
  if (sought !== '') return foundPage(manual, sought);
  const other = manual.files.get(path);
  if (other && other.type !== null) return fileReply(manual, other, request);
  const key = `${origin} ${path}`;
  const text = manual.made.get(key) ?? madePage(manual, path, origin);
  if (!text) return missingPage(request.path, '/guide/');
  manual.made.set(key, text);
  return staticReply(text, request, MANUAL_HEADERS);
}

function soughtBy(request: Request): string {
  return (new URL(request.url, 'http://guide').searchParams.get('q') ?? '').trim().slice(0, 100);
}

function foundPage({ groups, search }: Manual, sought: string): PageContent {
  const shell = { title: `Search: ${sought}`, address: '', groups, sought };
  const body = manualPage(shell, foundContent(sought, search(sought)));
  return { status: 200, type: HTML, body, headers: MANUAL_HEADERS };
}

/** A page of Markdown, or the list of a folder. */
function madePage({ files, groups, searched }: Manual, path: string, origin: string): StaticText | undefined {
  const address = manualAddress(path === 'README' ? 'README.md' : path);
  const shell = { address, groups, sought: '' };
  const file = files.get(`${path}.md`);
  if (file) {
    const page = renderMarkdown(file.read().toString(), (href) => linkTarget(files, file.path, href), origin);
    return staticText(HTML, manualPage({ ...shell, title: page.title }, documentContent(page)));
  }
  const members = [...files.keys()].filter((each) => path.endsWith('/') && posix.dirname(each) === path.slice(0, -1));
  if (members.length === 0) return undefined;
  const listed = members.sort().map((each) => {
    const own = manualAddress(each);
    return { address: own, title: searched.find((page) => page.address === own)?.title ?? posix.basename(each) };
  });
  return staticText(HTML, manualPage({ ...shell, title: path }, folderContent(path.slice(0, -1), listed)));
}

/** A file that a document refers to, as text or as a picture. Opened as a page it runs nothing. */
function fileReply(manual: Manual, { path, type, read }: ManualFile, request: Request): PageContent {
  if (type?.startsWith('image/')) return { status: 200, type, body: read(), headers: [...TEXT_HEADERS] };
  const text = manual.made.get(path) ?? staticText(type ?? 'text/plain', read().toString());
  manual.made.set(path, text);
  return staticReply(text, request, TEXT_HEADERS);
}

/** A group of the navigation. */
interface ManualGroup {
  readonly name: string;
  readonly pages: readonly { readonly address: string; readonly title: string }[];
}

interface ManualShell {
  readonly title: string;
  /** Its address, which the navigation marks. */
  readonly address: string;
  readonly groups: readonly ManualGroup[];
  /** What was searched; empty without a search. */
  readonly sought: string;
}

/** A whole page around its content. It has no script: the search is a form. */
function manualPage({ title, address, groups, sought }: ManualShell, content: Markup): string {
  const body = html`<nav aria-label="Guide">
<a class="skip" href="#content">Skip to the content</a>
<a href="/"><b>Stancebook</b></a> \u00b7 <a href="/guide/">Guide</a> \u00b7 <a href="/docs">Reference</a>
<form role="search" action="/guide/" method="get"><input type="search" name="q" value="${sought}" maxlength="100" aria-label="Search the guide" placeholder="${exampleQuestion(address)}"><button type="submit">Search</button></form>
<details${new Markup(sought === '' && address === '/guide/' ? ' open' : '')}><summary>All pages</summary>
${groups.map(
  ({ name, pages }) =>
    html`<p>${name}</p><ul>${pages.map(
      (page) =>
        html`<li><a href="${page.address}"${new Markup(page.address === address ? ' aria-current="page"' : '')}>${page.title}</a></li>`,
    )}</ul>`,
)}
</details>
</nav>
<main id="content">
${content}
</main>`;
  return wholeDocument({ title: `${title} \u2013 Stancebook`, loads: [inlineStyle(MANUAL_STYLE)] }, body);
}

/** A document, with its parts named at the top if it is long. */
function documentContent({ content, headings }: RenderedPage): Markup {
  const parts = headings.filter(({ depth }) => depth === 2);
  const [head = '', rest] = content.text.split(/(?<=<\/h1>)/, 2);
  if (parts.length < 4 || rest === undefined) return content;
  return html`${new Markup(head)}${partList(parts)}${new Markup(content.text.slice(head.length))}`;
}

function partList(parts: readonly Heading[]): Markup {
  return html`<details class="parts"><summary>On this page: ${parts.length} parts</summary><ul>${parts.map(
    ({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`,
  )}</ul></details>`;
}

/** The results of a search. */
function foundContent(sought: string, found: readonly Found[]): Markup {
  const words = found.length === 0 ? 'Nothing contains any of these words. Try others, or look at all pages.' : '';
  return html`<h1>Search: ${sought}</h1>
${words !== '' && html`<p class="soft">${words}</p>`}
<ul class="found">${found.map(
    ({ address, title, heading, extract }) =>
      html`<li><p><a href="${address}">${heading}</a> <small>${title}</small></p><p>${markedExtract(extract)}</p></li>`,
  )}</ul>`;
}

function markedExtract(extract: string): Markup {
  return html`${extract.split('\u0000').map((part, index) => (index % 2 === 1 ? html`<mark>${part}</mark>` : part))}`;
}

/** The files of a folder. */
function folderContent(name: string, files: readonly { readonly address: string; readonly title: string }[]): Markup {
  return html`<h1>${name}</h1><ul>${files.map(
    ({ address, title }) => html`<li><a href="${address}">${title}</a></li>`,
  )}</ul>`;
}
