import { posix } from 'node:path';
import type { Request } from 'express';
import { sha256 } from '../../../application/sha256.ts';
import { DOCUMENT_HEADERS } from '../kit/reply/headers.ts';
import { type StaticText, staticReply, staticText, TEXT_HEADERS } from '../kit/reply/static-text.ts';
import type { PageContent, ServedPage } from '../kit/served-page.ts';
import { missingPage } from '../page/missing-page.ts';
import { linkTarget, type ManualFile, manualAddress, manualFiles } from './manual-files.ts';
import { documentContent, folderContent, foundContent, type ManualGroup, manualPage } from './manual-page.ts';
import { openSearch, type SearchedPage, searchedPages } from './manual-search.ts';
import { MANUAL_STYLE } from './manual-style.ts';
import { renderMarkdown } from './markdown.ts';

/** Only the page's own style and the pictures of the documents load; the form of the search is sent to this service. */
const MANUAL_HEADERS: readonly string[] = [
  ...DOCUMENT_HEADERS,
  ...['cache-control', 'no-cache'],
  'content-security-policy',
  `default-src 'none'; style-src 'sha256-${sha256(MANUAL_STYLE).toString('base64')}'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
];

const HTML = 'text/html; charset=utf-8';

/** The documents of the project at `/guide/`, with a search. Each is made at its first request. */
export function manualPages(): readonly ServedPage[] {
  let manual: Manual | undefined;
  const show = (path: (params: Request['params']) => string) => async (request: Request) => {
    manual ??= openManual();
    return pageAt(manual, path(request.params), request);
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
  /** What was made so far, by path. */
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

function pageAt(manual: Manual, path: string, request: Request): PageContent {
  const sought = path === 'README' ? soughtBy(request) : '';
  if (sought !== '') return foundPage(manual, sought);
  const other = manual.files.get(path);
  if (other && other.type !== null) return fileReply(manual, other, request);
  const text = manual.made.get(path) ?? madePage(manual, path);
  if (!text) return missingPage(request.path, '/guide/');
  manual.made.set(path, text);
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
function madePage({ files, groups, searched }: Manual, path: string): StaticText | undefined {
  const address = manualAddress(path === 'README' ? 'README.md' : path);
  const shell = { address, groups, sought: '' };
  const file = files.get(`${path}.md`);
  if (file) {
    const page = renderMarkdown(file.read().toString(), (href) => linkTarget(files, file.path, href));
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
