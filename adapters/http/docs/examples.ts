import type { Operation } from '../openapi/reference.ts';

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
