import { html, Markup } from '../docs/markup.ts';
import { inlineStyle, wholeDocument } from '../page/document.ts';
import type { Found } from './manual-search.ts';
import { MANUAL_STYLE } from './manual-style.ts';
import type { Heading, RenderedPage } from './markdown.ts';

/** A group of the navigation. */
export interface ManualGroup {
  readonly name: string;
  readonly pages: readonly { readonly address: string; readonly title: string }[];
}

export interface ManualShell {
  readonly title: string;
  /** Its address, which the navigation marks. */
  readonly address: string;
  readonly groups: readonly ManualGroup[];
  /** What was searched; empty without a search. */
  readonly sought: string;
}

/** A whole page around its content. It has no script: the search is a form. */
export function manualPage({ title, address, groups, sought }: ManualShell, content: Markup): string {
  const body = html`<nav aria-label="Guide">
<a class="skip" href="#content">Skip to the content</a>
<a href="/"><b>Stancebook</b></a> \u00b7 <a href="/guide/">Guide</a> \u00b7 <a href="/docs">Reference</a>
<form role="search" action="/guide/" method="get"><input type="search" name="q" value="${sought}" maxlength="100" aria-label="Search the guide" placeholder="How do I get a key?"><button type="submit">Search</button></form>
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
export function documentContent({ content, headings }: RenderedPage): Markup {
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
export function foundContent(sought: string, found: readonly Found[]): Markup {
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
export function folderContent(
  name: string,
  files: readonly { readonly address: string; readonly title: string }[],
): Markup {
  return html`<h1>${name}</h1><ul>${files.map(
    ({ address, title }) => html`<li><a href="${address}">${title}</a></li>`,
  )}</ul>`;
}
