import { sha256 } from '../../../application/sha256.ts';
import type { Envelope } from '../kit/reply/envelope.ts';
import { DOCUMENT_HEADERS } from '../kit/reply/headers.ts';
import type { Operation, Reference } from '../openapi/reference.ts';
import { html, Markup, prose } from './markup.ts';
import { operationSection } from './operation-view.ts';
import { schemaTable } from './schema-view.ts';
import { STYLE } from './style.ts';

/**
 * The reference as one page: no script, no other host, every operation and schema under its own anchor.
 * Long parts fold by `details`, so that a keyboard is enough.
 */
export function docsPage(reference: Reference): string {
  const { info, tags } = reference;
  const operations = Object.entries(reference.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = tags.map(({ name }) => ({
    name,
    members: operations.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const schemas = Object.entries(reference.components.schemas);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title} ${info.version}: interface reference</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Operations">
<p><a href="#content"><b>${info.title}</b> ${info.version}</a></p>
${groups.map(
  ({ name, members }) =>
    html`<p class="tag">${name}</p><ul>${members.map(
      ({ method, operation }) =>
        html`<li><a href="#${operation.operationId}"><span class="method ${method}">${method.toUpperCase()}</span> ${operation.summary}</a></li>`,
    )}</ul>`,
)}
<p class="tag">Common</p><ul><li><a href="#credentials">Credentials</a></li><li><a href="#headers">Headers</a></li><li><a href="#errors">Errors</a></li><li><a href="#schemas">Schemas</a></li><li><a href="/openapi.json">openapi.json</a></li></ul>
</nav>
<main id="content">
<h1>${info.title} <small>${info.version}</small></h1>
${info.description.split('\n\n').map((text) => html`<p>${prose(text)}</p>`)}
${definitions('credentials', 'Credentials', reference.components.securitySchemes)}
${definitions('headers', 'Headers of every response', reference.components.headers)}
${groups.map(
  ({ name, members }) =>
    html`<h2>${name}</h2>${members.map(({ path, method, operation }) => operationSection(path, method, operation, reference.components.schemas))}`,
)}
${errorTable(
  operations.map(({ operation }) => operation),
  reference.components.examples,
)}
<h2 id="schemas">Schemas</h2>
${schemas.map(([name, schema]) => html`<section id="schema-${name}"><h3><a href="#schema-${name}">${name}</a></h3>${schema.description && html`<p>${prose(schema.description)}</p>`}${schemaTable(schema)}</section>`)}
</main>
</body>
</html>
`.text;
}

/** Only this page's own style may load; the page contains no frame and may not be framed. */
export const DOCS_HEADERS: readonly string[] = [
  ...DOCUMENT_HEADERS,
  'cache-control',
  'no-cache',
  'content-security-policy',
  `default-src 'none'; style-src 'sha256-${sha256(STYLE).toString('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
];

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
