import type { Answer, Media, Operation, Parameter, Reference, Schema } from '../openapi/reference.ts';
import { examplesOf } from './examples.ts';
import { html, Markup, prose } from './markup.ts';
import { notesOf, refusalList, schemaTable, typeOf } from './schema-view.ts';

/**
 * One operation: its input, its replies, and programs that send it. The input is shown in place, a reply by a link to
 * its schema.
 * @param origin of this service
 */
export function operationSection(
  path: string,
  method: string,
  operation: Operation,
  facts: ReferenceFacts,
  origin: string,
): Markup {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const body = Object.entries(requestBody?.content ?? {});
  return html`<section id="${operationId}">
<h1>${summary}</h1>
<p class="route"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></p>
<p>${prose(description)}</p>
<p class="auth">${credentialsOf(operation)}</p>
${parameters.length > 0 && parameterTable(parameters)}
${body.map(([type, media]) => html`<h2>Body <small>${type}</small></h2>${media.schema.$ref && html`<p>${typeOf(media.schema)}</p>`}${schemaTable(found(media.schema, facts.schemas))}${block(media.example)}`)}
<h2>Try it</h2>
${examplesOf(path, method, operation, origin).map(({ language, text }) => html`<details${new Markup(language === 'curl' ? ' open' : '')}><summary>${language}</summary><pre tabindex="0"><code>${text}</code></pre></details>`)}
${tryForm(path, method, operation)}
<h2>Replies</h2>
${Object.entries(responses).map(([status, answer]) => answerView(status, answer))}
${refusalList(operation, facts)}
</section>`;
}

/** What the sections of all operations refer to. */
export interface ReferenceFacts {
  readonly schemas: Schemas;
  readonly examples: Reference['components']['examples'];
  /** The codes that most operations may refuse with. */
  readonly common: ReadonlySet<string>;
}

type Schemas = Readonly<Record<string, Schema>>;

function found(schema: Schema, schemas: Schemas): Schema {
  return schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
}

const CARRIAGE: Readonly<Record<string, string>> = {
  api_key: 'API key',
  owner_bearer: 'bearer token',
  legacy_session: 'session',
};

function credentialsOf({ security }: Operation): string {
  if (security.length === 0) return 'No credentials.';
  const ways = security.flatMap((way) => Object.keys(way)).map((name) => CARRIAGE[name] ?? name);
  const isOptional = security.some((way) => Object.keys(way).length === 0);
  return `Credential: ${ways.join(' or ')}${isOptional ? ', or none' : ''}.`;
}

function parameterTable(parameters: readonly Parameter[]): Markup {
  const rows = parameters.map(
    ({ name, in: place, required, description, schema }) =>
      html`<tr><td><code>${name}</code>${required && html` <b>required</b>`}</td><td>${place}</td><td>${typeOf(schema)}</td><td>${notesOf({ ...schema, ...(description && { description }) })}</td></tr>`,
  );
  return html`<h2>Parameters</h2><table><thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Type</th><th scope="col">Notes</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function answerView(status: string, { description, content }: Answer): Markup | null {
  const media = Object.entries(content ?? {});
  const mark = html`<span class="status s${status.charAt(0)}">${status}</span>`;
  const codes = media.flatMap(([, { examples }]) => Object.keys(examples ?? {}));
  if (codes.length > 0) return null;
  if (media.length === 0) return html`<p class="answer">${mark} ${prose(description)}</p>`;
  return html`<details open><summary>${mark} ${prose(description)}</summary>${media.map(([type, one]) => mediaView(type, one))}</details>`;
}

function mediaView(type: string, { schema, example }: Media): Markup {
  return html`<p><small>${type}</small></p>${schemaTable(schema)}${block(example)}`;
}

function block(example: unknown): Markup | null {
  if (example === undefined) return null;
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
  return html`<pre tabindex="0"><code>${text}</code></pre>`;
}

/**
 * A form that sends the operation to this service. The script of the page shows it; without the script there is the
 * command line. Operators' operations have none.
 */
function tryForm(path: string, method: string, operation: Operation): Markup | null {
  const { operationId, parameters, requestBody, tags } = operation;
  const [media] = Object.entries(requestBody?.content ?? {});
  if (tags.includes('Admin')) return null;
  const body = media && bodyField(operationId, media[0], media[1].example);
  return html`<form class="try" hidden data-method="${method.toUpperCase()}" data-path="${path}">
${parameters.map((parameter) => field(operationId, parameter))}${body}
<p><button type="submit">Send it to this service</button>${method !== 'get' && html` <small>It does what it says.</small>`}</p>
<output></output>
</form>`;
}

function field(operationId: string, { name, in: place, required, example }: Parameter): Markup {
  const id = `try-${operationId}-${name}`;
  // A key for repeating a request must be new for each one.
  const value = place === 'path' || (place === 'query' && required) ? (example ?? '') : '';
  return html`<p><label for="${id}">${name}</label><input id="${id}" name="${name}" data-in="${place}" value="${String(value)}" autocomplete="off" spellcheck="false"${required && new Markup(' required')}></p>`;
}

function bodyField(operationId: string, type: string, example: unknown): Markup {
  const id = `try-${operationId}-body`;
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
  const rows = Math.min(16, text.split('\n').length + 1);
  return html`<p><label for="${id}">Body</label><textarea id="${id}" data-in="body" data-type="${type}" rows="${rows}" spellcheck="false">
${text}</textarea></p>`;
}
