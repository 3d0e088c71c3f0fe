import { sha256 } from '../../../application/sha256.ts';
import { DOCUMENT_HEADERS, type Envelope } from '../kit/reply/headers.ts';
import type { Operation, Reference } from '../openapi/reference.ts';
import { READING_ORDER } from '../openapi/refusals.ts';
import { inlineStyle, moduleScript, wholeDocument } from '../page/document.ts';
import { html, Markup, prose } from './markup.ts';
import { operationSection, type ReferenceFacts } from './operation-view.ts';
import { commonCodes, schemaTable } from './schema-view.ts';

/** What the pages of documents have in common: colours, text, tables, code. */
export const BASE_STYLE = `
:root { color-scheme: light dark; --text: light-dark(#1b1f24, #dfe3e8); --soft: light-dark(#57606a, #9aa4af);
  --line: light-dark(#d8dee4, #333b44); --back: light-dark(#ffffff, #14181d); --block: light-dark(#f4f6f8, #1d232a);
  --link: light-dark(#0550ae, #79b8ff); }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--back); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; }
nav { font-size: .875rem; }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0; }
nav li { margin: .25rem 0; }
nav a { text-decoration: none; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--back); padding: .5rem; z-index: 1; }
h2 { margin-top: 3rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
h3 { margin: 2.5rem 0 .25rem; }
h1 a, h2 a, h3 a { color: inherit; text-decoration: none; }
code { font: .875em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { background: var(--block); padding: .75rem 1rem; border-radius: .375rem; overflow-x: auto; }
pre code { overflow-wrap: normal; }
table { width: 100%; border-collapse: collapse; font-size: .875rem; }
th, td { text-align: left; vertical-align: top; padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line);
  overflow-wrap: break-word; }
summary { cursor: pointer; }
input, button, textarea, select { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line);
  border-radius: .375rem; padding: .375rem .625rem; }
button { cursor: pointer; }
`;

/** The whole style of the reference; its hash is in the content security policy of its pages. */
const STYLE = `${BASE_STYLE}
body { display: grid; grid-template-columns: 18rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1rem; border-right: 1px solid var(--line); }
main { padding: 1.5rem 2.5rem 6rem; max-width: 60rem; }
.tag { margin: 1rem 0 .25rem; color: var(--soft); font-weight: 600; }
h1 small, h2 small, p small { color: var(--soft); font-weight: 400; }
section:target > h2, li:target > a { text-decoration: underline; text-underline-offset: .3rem; }
main h2 { margin-top: 2rem; }
.operations { list-style: none; padding: 0; }
.operations li { margin: .375rem 0; overflow-wrap: anywhere; }
.operations .method { min-width: 3.5rem; text-align: center; }
.operations code { color: var(--soft); }
nav [aria-current] { font-weight: 600; color: var(--text); }
.copy { position: absolute; top: .375rem; right: .375rem; font-size: .8125rem; }
.copied { position: relative; }
.route, .auth { margin: .25rem 0; }
.auth { color: var(--soft); }
pre { max-height: 30rem; }
td b { color: var(--soft); font-weight: 400; font-size: .8125rem; }
td:first-child { width: 32%; }
details, .answer { border-bottom: 1px solid var(--line); padding: .375rem 0; margin: 0; }
.method, .status { display: inline-block; font: 600 .75rem/1.4 ui-monospace, monospace; padding: 0 .3rem;
  border-radius: .25rem; color: #fff; background: #57606a; }
.get { background: #0550ae; } .post, .s2 { background: #116329; } .put, .patch, .s3 { background: #7d4e00; }
.delete, .s5 { background: #a40e26; } .s4 { background: #7d4e00; }
nav .method { font-size: .625rem; min-width: 2.9rem; text-align: center; }
nav summary { margin: .5rem 0; }
nav input, .try input, .try textarea { width: 100%; }
.try label { display: block; font-size: .875rem; }
.try p { margin: .5rem 0; }
.try textarea { font: .875rem/1.5 ui-monospace, monospace; }
.try output { display: block; }
.refusals { padding-left: 1.125rem; font-size: .875rem; }
.refusals li { margin: .25rem 0; }
@media (min-width: 55rem) { nav summary { display: none; }
  nav details::details-content { content-visibility: visible; block-size: auto; } }
@media (max-width: 40rem) { table, tbody, tr, td { display: block; } thead { display: none; }
  td, td:first-child { width: auto; border: 0; padding: .125rem 0; } tr { border-bottom: 1px solid var(--line); padding: .375rem 0; } }
@media (max-width: 55rem) { body { display: block; } nav { position: static; height: auto; border: 0; }
  main { padding: 1rem; } }
`;

/** The pages of the reference: what all operations have in common, each operation, errors, schemas. */
export interface ReferencePages {
  readonly index: string;
  readonly errors: string;
  readonly schemas: string;
  /** The page of an operation; undefined where there is none of this id. @param origin of this service */
  operation(id: string, origin: string): string | undefined;
}

/**
 * The reference: no other host, every operation on a page of its own. What an agent needs comes first. Its script adds
 * the search, the buttons that copy, and the forms that send requests; everything else works without it.
 */
export function referencePages(reference: Reference): ReferencePages {
  const operations = operationsOf(reference);
  const all = operations.map(({ operation }) => operation);
  const { schemas, examples } = reference.components;
  const facts: ReferenceFacts = { schemas, examples, common: commonCodes(all) };
  const groups = inReadingOrder(reference.tags).map(({ name, description }) => ({
    name,
    description,
    members: operations.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const page = (title: string, address: string, content: Markup, origin = '') =>
    wholePage({ title, address, origin, info: reference.info, groups, all }, content);
  return {
    index: page('Reference', '/docs', indexContent(reference, groups)),
    errors: page('Errors', '/docs/errors', html`<h1>Errors</h1>${errorTable(all, examples)}`),
    schemas: page(
      'Schemas',
      '/docs/schemas',
      html`<h1>Schemas</h1>
${Object.entries(schemas).map(([name, schema]) => html`<section id="schema-${name}"><h2><a href="#schema-${name}">${name}</a></h2>${schema.description && html`<p>${prose(schema.description)}</p>`}${schemaTable(schema)}</section>`)}`,
    ),
    operation(id, origin) {
      const found = operations.find(({ operation }) => operation.operationId === id);
      if (!found) return undefined;
      const { path, method, operation } = found;
      const content = html`${KEY_FIELD}${operationSection(path, method, operation, facts, origin)}`;
      return page(operation.summary, `/docs/${id}`, content, origin);
    },
  };
}

interface ServedOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

interface OperationGroup {
  readonly name: string;
  readonly description: string | undefined;
  readonly members: readonly ServedOperation[];
}

function operationsOf({ paths }: Reference): readonly ServedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

interface ReferenceShell {
  readonly title: string;
  readonly address: string;
  /** Of this service, where the page has commands with it; else empty. */
  readonly origin: string;
  readonly info: Reference['info'];
  readonly groups: readonly OperationGroup[];
  readonly all: readonly Operation[];
}

const FURTHER = [
  ['/docs#credentials', 'Credentials'],
  ['/docs#headers', 'Headers'],
  ['/docs/errors', 'Errors'],
  ['/docs/schemas', 'Schemas'],
  ['/openapi.json', 'openapi.json'],
] as const;

/** A page around its content, with the navigation over all operations. */
function wholePage({ title, address, origin, info, groups, all }: ReferenceShell, content: Markup): string {
  const mark = (own: string) => new Markup(own === address ? ' aria-current="page"' : '');
  const body = html`<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Operations">
<p><a href="/"><b>${info.title}</b></a> \u00b7 <a href="/guide/">Guide</a> \u00b7 <a href="/docs"${mark('/docs')}>Reference</a></p>
<p id="reference-search" hidden><input type="search" aria-label="Search the operations" placeholder="receipt, /owner, cohort"></p>
<details><summary>All operations</summary>
<p class="tag">Begin here</p><ul>${loopLinks(all)}</ul>
${groups.map(
  ({ name, members }) =>
    html`<p class="tag">${name}</p><ul>${members.map(
      ({ path, method, operation }) =>
        html`<li data-words="${wordsOf(name, path, operation)}"><a href="/docs/${operation.operationId}"${mark(`/docs/${operation.operationId}`)}><span class="method ${method}">${method.toUpperCase()}</span> ${operation.summary}</a></li>`,
    )}</ul>`,
)}
<p class="tag">Common</p><ul>${FURTHER.map(([href, name]) => html`<li><a href="${href}"${mark(href)}>${name}</a></li>`)}</ul>
</details>
</nav>
<main id="content" data-origin="${origin}">
${content}
</main>`;
  const head = {
    title: `${title} \u2013 ${info.title}`,
    loads: [inlineStyle(STYLE), moduleScript('reference-page.js')],
  };
  return wholeDocument(head, body);
}

const KEY_FIELD = html`<p id="try-key" class="try" hidden><label for="key">Your API key, for the form below. It stays in this page and is sent to this service alone.</label><input id="key" type="password" autocomplete="off" spellcheck="false" placeholder="sbk_..."></p>`;

/** What all operations have in common, and a line for each. The version is that of the interface. */
function indexContent({ info, components }: Reference, groups: readonly OperationGroup[]): Markup {
  return html`<h1>${info.title} <small>interface ${info.version}</small></h1>
${info.description
  .split('\n\n')
  .filter((text) => !text.includes('$BASE_URL'))
  .map((text) => html`<p>${prose(text)}</p>`)}
<p>The examples have the address of this service, and read an agent's key from <code>API_KEY</code>.</p>
${definitions('credentials', 'Credentials', components.securitySchemes)}
${definitions('headers', 'Headers of every response', components.headers)}
${groups.map(
  ({ name, description, members }) =>
    html`<h2>${name}</h2>${description && html`<p>${description}</p>`}<ul class="operations">${members.map(
      ({ path, method, operation: { operationId, summary } }) =>
        html`<li id="${operationId}"><span class="method ${method}">${method.toUpperCase()}</span> <a href="/docs/${operationId}">${summary}</a> <code>${path}</code></li>`,
    )}</ul>`,
)}`;
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
  return steps.map(({ operationId, summary }) => html`<li><a href="/docs/${operationId}">${summary}</a></li>`);
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
  return html`<table><thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Category</th><th scope="col">What to do</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function aboutError(value: unknown): { readonly category: string; readonly suggestion: string } {
  return (value as Envelope).error;
}
