import { sha256 } from '../../../application/sha256.ts';
import type { Envelope } from '../kit/reply/envelope.ts';
import { DOCUMENT_HEADERS } from '../kit/reply/headers.ts';
import type { Operation, Reference } from '../openapi/reference.ts';
import { READING_ORDER } from '../openapi/tags.ts';
import { inlineStyle, moduleScript, wholeDocument } from '../page/document.ts';
import { html, type Markup, prose } from './markup.ts';
import { operationSection, type ReferenceFacts } from './operation-view.ts';
import { commonCodes } from './refusal-list.ts';
import { schemaTable } from './schema-view.ts';
import { STYLE } from './style.ts';

/**
 * The reference as one page: no other host, every operation and schema under its own anchor. What an agent needs comes
 * first. Its script adds the search and the forms that send requests; everything else works without it.
 */
export function docsPage(reference: Reference): string {
  const { info, tags } = reference;
  const operations = Object.entries(reference.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = inReadingOrder(tags).map(({ name, description }) => ({
    name,
    description,
    members: operations.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const all = operations.map(({ operation }) => operation);
  const { schemas: named, examples } = reference.components;
  const facts: ReferenceFacts = { schemas: named, examples, common: commonCodes(all) };
  const schemas = Object.entries(reference.components.schemas);
  const body = html`<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Operations">
<p><a href="/"><b>${info.title}</b></a> \u00b7 <a href="/guide/">Guide</a> \u00b7 <a href="#content">Reference ${info.version}</a></p>
<p id="reference-search" hidden><input type="search" aria-label="Search the operations" placeholder="receipt, /owner, cohort"></p>
<details><summary>All operations</summary>
<p class="tag">Begin here</p><ul>${loopLinks(all)}</ul>
${groups.map(
  ({ name, members }) =>
    html`<p class="tag">${name}</p><ul>${members.map(
      ({ path, method, operation }) =>
        html`<li data-words="${wordsOf(name, path, operation)}"><a href="#${operation.operationId}"><span class="method ${method}">${method.toUpperCase()}</span> ${operation.summary}</a></li>`,
    )}</ul>`,
)}
<p class="tag">Common</p><ul><li><a href="#credentials">Credentials</a></li><li><a href="#headers">Headers</a></li><li><a href="#errors">Errors</a></li><li><a href="#schemas">Schemas</a></li><li><a href="/openapi.json">openapi.json</a></li></ul>
</details>
</nav>
<main id="content">
<h1>${info.title} <small>${info.version}</small></h1>
${info.description.split('\n\n').map((text) => html`<p>${prose(text)}</p>`)}
<p id="try-key" class="try" hidden><label for="key">Your API key, for the forms of this page. It stays in this page and is sent to this service alone.</label><input id="key" type="password" autocomplete="off" spellcheck="false" placeholder="sbk_..."></p>
${definitions('credentials', 'Credentials', reference.components.securitySchemes)}
${definitions('headers', 'Headers of every response', reference.components.headers)}
${groups.map(
  ({ name, description, members }) =>
    html`<h2>${name}</h2>${description && html`<p>${description}</p>`}${members.map(({ path, method, operation }) => operationSection(path, method, operation, facts))}`,
)}
${errorTable(all, examples)}
<h2 id="schemas">Schemas</h2>
${schemas.map(([name, schema]) => html`<section id="schema-${name}"><h3><a href="#schema-${name}">${name}</a></h3>${schema.description && html`<p>${prose(schema.description)}</p>`}${schemaTable(schema)}</section>`)}
</main>`;
  const title = `${info.title} ${info.version}: interface reference`;
  return wholeDocument({ title, loads: [inlineStyle(STYLE), moduleScript('reference-page.js')] }, body);
}

/** Only the page's own style and script may load, and it connects to this service alone. It may not be framed. */
export const DOCS_HEADERS: readonly string[] = [
  ...DOCUMENT_HEADERS,
  'cache-control',
  'no-cache',
  'content-security-policy',
  `default-src 'none'; style-src 'sha256-${sha256(STYLE).toString('base64')}'; script-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'`,
];

/** Tags that the order does not name come last. */
function inReadingOrder(tags: Reference['tags']): Reference['tags'] {
  const placeOf = (name: string) => (READING_ORDER.includes(name) ? READING_ORDER.indexOf(name) : READING_ORDER.length);
  return tags.toSorted((a, b) => placeOf(a.name) - placeOf(b.name));
}

/** What an agent does, in this order. */
const LOOP = ['quickSetup', 'submitDecision', 'readDecisionState', 'readDecisionReceipt', 'queryWisdom'];

function loopLinks(operations: readonly Operation[]): readonly Markup[] {
  const steps = LOOP.flatMap((id) => operations.filter(({ operationId }) => operationId === id));
  return steps.map(({ operationId, summary }) => html`<li><a href="#${operationId}">${summary}</a></li>`);
}

/** What the search of the page looks at. */
function wordsOf(tag: string, path: string, { operationId, summary, parameters }: Operation): string {
  return [tag, path, operationId, summary, ...parameters.map(({ name }) => name)].join(' ').toLowerCase();
}

function definitions(
  id: string,
  title: string,
  entries: Readonly<Record<string, { readonly description: string }>>,
): Markup {
  const rows = Object.entries(entries).map(
    ([name, { description }]) => html`<tr><td><code>${name}</code></td><td>${description}</td></tr>`,
  );
  return html`<section id="${id}"><h2>${title}</h2><table><tbody>${rows}</tbody></table></section>`;
}

/** Every code that any operation refuses with, once. */
function errorTable(operations: readonly Operation[], examples: Reference['components']['examples']): Markup {
  const shown = operations.flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, { content }]) =>
      Object.values(content ?? {}).flatMap((media) =>
        Object.keys(media.examples ?? {}).map((code) => ({ code, status, ...aboutError(examples[code]?.value) })),
      ),
    ),
  );
  const rows = [...Map.groupBy(shown, ({ code }) => code)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, group]) => {
      const statuses = [...new Set(group.map(({ status }) => status))].join(', ');
      return html`<tr id="error-${code}"><td><code>${code}</code></td><td>${statuses}</td><td>${group[0]?.category}</td><td>${group[0]?.suggestion}</td></tr>`;
    });
  return html`<h2 id="errors">Errors</h2><table><thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Category</th><th scope="col">What to do</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function aboutError(value: unknown): { readonly category: string; readonly suggestion: string } {
  return (value as Envelope).error;
}
