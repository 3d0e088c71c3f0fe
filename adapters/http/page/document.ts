import { html, Markup } from '../docs/markup.ts';
import { DOCUMENT_HEADERS } from '../kit/reply/headers.ts';
import type { PageContent } from '../kit/unmatched.ts';
import { currentAssets } from './assets.ts';

const PLACES: readonly (readonly [address: string, name: string])[] = [
  ['/#/atlas', 'Atlas'],
  ['/#/entries', 'Records'],
  ['/#/cohorts', 'Cohorts'],
  ['/verify', 'Verify'],
  ['/guide/', 'Guide'],
  ['/docs', 'Reference'],
];

/** Nothing runs in it; only the page's own style and icon load. */
const MISSING_HEADERS: readonly string[] = [
  ...DOCUMENT_HEADERS,
  ...['cache-control', 'no-store', 'vary', 'accept, origin'],
  'content-security-policy',
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
];

const LONGEST_SHOWN = 100;

/** What the documents of this service differ in. */
export interface DocumentHead {
  readonly title: string;
  /** `meta` elements by their names, such as `description`. */
  readonly meta?: Readonly<Record<string, string>>;
  /** Style sheets, preloads and scripts, in this order. */
  readonly loads: readonly Markup[];
}

/** A whole document: all have one language, encoding, icon, and both colour schemes. */
export function wholeDocument({ title, meta = {}, loads }: DocumentHead, body: Markup): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${Object.entries(meta).map(([name, content]) => html`<meta name="${name}" content="${content}">\n`)}<title>${title}</title>
<link rel="icon" href="${assetAddress('icon.svg')}" type="image/svg+xml">
${loads.map((each) => html`${each}\n`)}</head>
<body>
${body}
</body>
</html>
`.text;
}

/** @param id of the element, where a script looks for it */
export function styleSheet(name: string): Markup {
  return html`<link rel="stylesheet" href="${assetAddress(name)}">`;
}

/** A style within the document. @param style goes in as it is, so that the policy of the document can have its hash */
export function inlineStyle(style: string): Markup {
  return html`<style>${new Markup(style)}</style>`;
}

export function moduleScript(name: string): Markup {
  return html`<script type="module" src="${assetAddress(name)}"></script>`;
}

export function preloaded(address: string): Markup {
  return html`<link rel="modulepreload" href="${address}">`;
}

/** The address of a file of the page in this version. */
export function assetAddress(name: string): string {
  return `/page/${currentAssets().version}/${name}`;
}

/**
 * The reply to a browser at a path that is not served.
 * @param path as it was sent @param near the path of a page that the reader may have meant
 */
export function missingPage(path: string, near: string | undefined): PageContent {
  const shown = path.length > LONGEST_SHOWN ? `${path.slice(0, LONGEST_SHOWN)}\u2026` : path;
  const content = html`<header>
<div class="bar">
<a class="brand" href="/"><img src="${assetAddress('icon.svg')}" alt="" width="28" height="28">Stancebook</a>
${mainNavigation()}
<div class="account"><a href="/#/overview">Your account</a></div>
</div>
</header>
<main>
<div id="other">
<h1>There is no page at this address</h1>
<p class="lead">This service has nothing at <code>${shown}</code>.${near !== undefined && html` Did you mean <a href="${near}">${near}</a>?`}</p>
<ul class="links">
<li><a href="/">/</a> the home: the atlas, public records, stablecoins</li>
<li><a href="/guide/">/guide/</a> what you can do, and how, with a search</li>
<li><a href="/docs">/docs</a> the reference of every endpoint, whose paths begin with /api/v1</li>
<li><a href="/llms.txt">/llms.txt</a> a guide for language models</li>
</ul>
</div>
</main>`;
  const head = {
    title: 'No page here \u2013 Stancebook',
    meta: { robots: 'noindex' },
    loads: [styleSheet('style.css')],
  };
  const body = wholeDocument(head, content);
  return { status: 404, type: 'text/html; charset=utf-8', body, headers: MISSING_HEADERS };
}

/**
 * The links in the header of each page for people.
 * @param current the address of the page itself, which is marked
 */
export function mainNavigation(current?: string): Markup {
  const mark = (address: string) => new Markup(address === current ? ' aria-current="page"' : '');
  return html`<nav aria-label="Main">
${PLACES.map(([address, name]) => html`<a href="${address}"${mark(address)}>${name}</a>\n`)}</nav>`;
}
