import { html } from '../docs/markup.ts';
import { DOCUMENT_HEADERS } from '../kit/reply/headers.ts';
import type { PageContent } from '../kit/served-page.ts';
import { assetAddress, styleSheet, wholeDocument } from './document.ts';
import { mainNavigation } from './main-navigation.ts';

/** Nothing runs in it; only the page's own style and icon load. */
const MISSING_HEADERS: readonly string[] = [
  ...DOCUMENT_HEADERS,
  ...['cache-control', 'no-store', 'vary', 'accept, origin'],
  'content-security-policy',
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
];

const LONGEST_SHOWN = 100;

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
