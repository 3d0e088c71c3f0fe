import type { Answer, Media, Operation, Parameter, Reference, Schema } from '../openapi/reference.ts';
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

/** A program that sends an operation, in a language. */
export interface Example {
  readonly language: 'curl' | 'Python' | 'TypeScript';
  readonly text: string;
}

interface Sent {
  readonly url: string;
  readonly method: string;
  /** The easiest of those that the operation accepts. */
  readonly credential: Credential | undefined;
  readonly type: string | undefined;
  readonly body: unknown;
}

/** How a program carries a credential; what only its owner has is read from the environment. */
interface Credential {
  readonly curl: string;
  readonly python: readonly string[];
  readonly typescript: readonly string[];
}

/** The easiest first: a token requires an identity provider. */
const CREDENTIALS: Readonly<Record<string, Credential>> = {
  api_key: {
    curl: '-H "X-API-Key: $API_KEY"',
    python: ['"X-API-Key": os.environ["API_KEY"]'],
    typescript: ['"X-API-Key": String(process.env.API_KEY)'],
  },
  legacy_session: {
    curl: '-b cookies.txt -H "Sec-Fetch-Site: same-origin"',
    python: ['"Cookie": os.environ["COOKIE"]', '"Sec-Fetch-Site": "same-origin"'],
    typescript: ['"Cookie": String(process.env.COOKIE)', '"Sec-Fetch-Site": "same-origin"'],
  },
  owner_bearer: {
    curl: '-H "Authorization: Bearer $STANCEBOOK_OWNER_TOKEN"',
    python: ['"Authorization": f"Bearer {os.environ[\'STANCEBOOK_OWNER_TOKEN\']}"'],
    typescript: ['"Authorization": "Bearer " + process.env.STANCEBOOK_OWNER_TOKEN'],
  },
};

/**
 * The operation with its examples filled in, in each language. Values that only the reader has are in capitals.
 * @param origin of this service
 */
export function examplesOf(path: string, method: string, operation: Operation, origin: string): readonly Example[] {
  const sent = sentBy(path, method, operation, origin);
  return [
    { language: 'curl', text: inCurl(sent) },
    { language: 'Python', text: inPython(sent) },
    { language: 'TypeScript', text: inTypeScript(sent) },
  ];
}

function sentBy(path: string, method: string, operation: Operation, origin: string): Sent {
  const { parameters, requestBody, security } = operation;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const example = parameters.find((parameter) => parameter.name === name)?.example;
    return example === undefined ? name.toUpperCase() : encodeURIComponent(String(example));
  });
  const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  const query = required.map(
    ({ name, example }) => `${name}=${encodeURIComponent(String(example ?? name.toUpperCase()))}`,
  );
  const ways = security.flatMap((way) => Object.keys(way));
  const easiest = Object.keys(CREDENTIALS).find((name) => ways.includes(name));
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  return {
    url: `${origin}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`,
    method: method.toUpperCase(),
    credential: CREDENTIALS[easiest ?? ''],
    type,
    body: media?.example,
  };
}

function inCurl({ url, method, credential, type, body }: Sent): string {
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}"${url}"`];
  if (credential) lines.push(credential.curl);
  if (type !== undefined) {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    lines.push(`-H "Content-Type: ${type}"`, `--data-binary '${text.replaceAll("'", "'\\''")}'`);
  }
  return lines.join(' \\\n  ');
}

function inPython({ url, method, credential, type, body }: Sent): string {
  const headers = [...(credential?.python ?? []), ...(type === undefined ? [] : [`"Content-Type": "${type}"`])];
  const isJson = type !== undefined && typeof body !== 'string';
  const imports = [...(isJson ? ['json'] : []), ...(credential ? ['os'] : [])];
  return [
    ...(imports.length > 0 ? [`import ${imports.join(', ')}`] : []),
    'from urllib.request import Request, urlopen',
    '',
    'request = Request(',
    `    ${JSON.stringify(url)},`,
    `    method="${method}",`,
    ...(headers.length > 0 ? [`    headers={${headers.join(', ')}},`] : []),
    ...(type === undefined
      ? []
      : [`    data=${isJson ? `json.dumps(${inPythonTerms(body, 1)})` : JSON.stringify(body)}.encode(),`]),
    ')',
    'print(urlopen(request).read().decode())',
  ].join('\n');
}

/** A JSON value as Python writes it: its strings are those of JSON. */
function inPythonTerms(value: unknown, depth: number): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const [pad, end] = ['    '.repeat(depth + 1), '    '.repeat(depth)];
  const members = Array.isArray(value)
    ? value.map((each) => inPythonTerms(each, depth + 1))
    : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${inPythonTerms(each, depth + 1)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return members.length === 0
    ? `${open}${close}`
    : `${open}\n${members.map((each) => `${pad}${each},\n`).join('')}${end}${close}`;
}

function inTypeScript({ url, method, credential, type, body }: Sent): string {
  const headers = [...(credential?.typescript ?? []), ...(type === undefined ? [] : [`"Content-Type": "${type}"`])];
  const text = JSON.stringify(body, null, 2)?.replaceAll('\n', '\n  ');
  const options = [
    ...(method === 'GET' ? [] : [`  method: "${method}",`]),
    ...(headers.length > 0 ? [`  headers: { ${headers.join(', ')} },`] : []),
    ...(type === undefined ? [] : [`  body: ${typeof body === 'string' ? text : `JSON.stringify(${text})`},`]),
  ];
  const init = options.length > 0 ? `, {\n${options.join('\n')}\n}` : '';
  return [
    `const response = await fetch(${JSON.stringify(url)}${init});`,
    'console.log(response.status, await response.text());',
  ].join('\n');
}
