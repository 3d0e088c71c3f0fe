import type { Answer, Media, Operation, Parameter, Reference, Schema } from '../openapi/reference.ts';
import { html, Markup, prose } from './markup.ts';
import { notesOf, refusalList, schemaTable, typeOf } from './schema-view.ts';

/**
 * One operation: its input, its replies, and a command line that tries it. The input is shown in place, a reply by a
 * link to its schema.
 */
export function operationSection(path: string, method: string, operation: Operation, facts: ReferenceFacts): Markup {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const body = Object.entries(requestBody?.content ?? {});
  return html`<section id="${operationId}">
<h3><a href="#${operationId}">${summary}</a></h3>
<p class="route"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></p>
<p>${prose(description)}</p>
<p class="auth">${credentialsOf(operation)}</p>
${parameters.length > 0 && parameterTable(parameters)}
${body.map(([type, media]) => html`<h4>Body <small>${type}</small></h4>${media.schema.$ref && html`<p>${typeOf(media.schema)}</p>`}${schemaTable(found(media.schema, facts.schemas))}${block(media.example)}`)}
<h4>Try it</h4><pre tabindex="0"><code>${commandLine(path, method, operation)}</code></pre>
${tryForm(path, method, operation)}
<h4>Replies</h4>
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
  return html`<h4>Parameters</h4><table><thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Type</th><th scope="col">Notes</th></tr></thead><tbody>${rows}</tbody></table>`;
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

/** The easiest credential first: a token requires an identity provider. */
const CARRIAGE_BY_CURL: Readonly<Record<string, string>> = {
  api_key: '-H "X-API-Key: $API_KEY"',
  legacy_session: '-b cookies.txt -H "Sec-Fetch-Site: same-origin"',
  owner_bearer: '-H "Authorization: Bearer $OWNER_TOKEN"',
};

/** A curl command with the examples filled in; values that only the reader has are in capitals. */
function commandLine(path: string, method: string, { parameters, requestBody, security }: Operation): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const example = parameters.find((parameter) => parameter.name === name)?.example;
    return example === undefined ? name.toUpperCase() : encodeURIComponent(String(example));
  });
  const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  const query = required.map(
    ({ name, example }) => `${name}=${encodeURIComponent(String(example ?? name.toUpperCase()))}`,
  );
  const url = `$BASE_URL${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  const lines = [`curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"${url}"`];
  const ways = security.flatMap((way) => Object.keys(way));
  const easiest = Object.keys(CARRIAGE_BY_CURL).find((name) => ways.includes(name));
  if (easiest !== undefined) lines.push(CARRIAGE_BY_CURL[easiest] ?? '');
  for (const [type, { example }] of Object.entries(requestBody?.content ?? {})) {
    const text = typeof example === 'string' ? example : JSON.stringify(example);
    lines.push(`-H "Content-Type: ${type}"`, `--data-binary '${text.replaceAll("'", "'\\''")}'`);
  }
  return lines.join(' \\\n  ');
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
