import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { TOOLS } from '../../../adapters/http/mcp/tools.ts';
import type { Received } from '../stage/receive.ts';
import type { Document, JsonSchema, Operation, Reply, ToolForm, Validator } from './document.ts';
import type { Send } from './send.ts';
import type { Headers } from './stage/callers.ts';

/** What a client of the protocol sends with each message. */
export const MCP_HEADERS = { accept: 'application/json, text/event-stream' } as const;

const PATH = '/mcp';
const NULL_IS_ABSENT = 'an argument that is null or "" counts as not sent.';

interface Listed {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema & { readonly required?: readonly string[] };
  readonly outputSchema: JsonSchema;
}

/**
 * The tools as the service lists them, with the arguments of the resource that has each in whole, as operations whose body is the message and whose content are the arguments. The
 * document of the endpoint says which refusals a tool has and which callers it admits; /mcp admits no session.
 */
export async function readTools(send: Send, headers: Headers, { operations }: Document): Promise<readonly Operation[]> {
  const ask = async (method: string, params: object) => {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    const typed = { ...MCP_HEADERS, ...headers, 'content-type': 'application/json' };
    return messageIn(await send({ method: 'POST', path: PATH, headers: typed, body })).result;
  };
  const client = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } };
  const { instructions } = (await ask('initialize', client)) as { readonly instructions: string };
  const { tools } = (await ask('tools/list', {})) as { readonly tools: readonly Listed[] };
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const wholeOf = async ({ name }: Listed): Promise<Listed> => {
    const read = await ask('resources/read', { uri: `stancebook://tools/${name}` });
    return JSON.parse((read as { readonly contents: readonly [{ readonly text: string }] }).contents[0].text);
  };
  const wholes = await Promise.all(tools.map(wholeOf));
  return tools.map((listed, n) => {
    const whole = wholes[n] ?? listed;
    const { endpoint } = TOOLS.find(({ name }) => name === listed.name) ?? {};
    const called = operations.find(({ id }) => id === endpoint);
    if (!called) throw new Error(`The document has no operation for the tool ${listed.name}.`);
    return operationOf(listed, whole, called, instructions, (schema) => ajv.compile(schema));
  });
}

function operationOf(
  { name, outputSchema }: Listed,
  { description, inputSchema, ...whole }: Listed,
  called: Operation,
  instructions: string,
  compile: (schema: JsonSchema) => Validator,
): Operation {
  const outputFits = [compile(outputSchema), compile(whole.outputSchema)];
  const [success] = [...called.replies].filter(([status]) => status < 300).map(([, reply]) => reply);
  const ofCall: Reply = { content: new Map(), codes: new Set(), headers: success?.headers ?? new Map() };
  const challenge = compile({ type: 'string', pattern: '^Bearer realm="stancebook", resource_metadata="http[^"]+"$' });
  const refusals = [...called.replies]
    .filter(([status]) => status >= 400)
    .map(([status, { headers, ...reply }]) => {
      const own = status === 401 ? new Map([...headers, ['www-authenticate', challenge]] as const) : headers;
      return [status, { ...reply, headers: own }] as const;
    });
  const example = EXAMPLES[name]?.(called.body?.example) ?? {};
  return {
    id: name,
    method: 'POST',
    path: PATH,
    parameters: [],
    body: { contentType: 'application/json', schema: inputSchema, example, fits: compile(inputSchema) },
    replies: new Map([[200, ofCall], ...refusals]),
    security: (called.security ?? ADMITTED).filter((each) => ADMITTED.includes(each)),
    words: [instructions, description, called.words].join('\n'),
    tool: { nullIsAbsent: instructions.includes(NULL_IS_ABSENT), required: inputSchema.required ?? [], outputFits },
  };
}

const ADMITTED: readonly string[] = ['api_key', 'owner_bearer'];

/** The arguments of tools that have a body of an operation. */
const EXAMPLES: Readonly<Record<string, (body: unknown) => object>> = {
  submit_decision: (decision) => ({ decision }),
  state_plan: (plan) => plan as object,
  add_note: (note) => ({ record_id: 'dec_20260130_5c0ffee5', ...(note as object) }),
};

/** The message that calls a tool. @param json the arguments, well-formed or not */
export function messageBytes({ id }: Operation, json: string): Buffer {
  return Buffer.from(
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${JSON.stringify(id)},"arguments":${json}}}`,
  );
}

/** The arguments in a message that is sent, without those that count as not sent; undefined where there are none. */
export function argumentsIn({ nullIsAbsent, required }: ToolForm, message: unknown): unknown {
  const { params } = Object(message) as { readonly params?: { readonly arguments?: unknown } };
  const sent = params?.arguments;
  if (!nullIsAbsent || typeof sent !== 'object' || sent === null || Array.isArray(sent)) return sent;
  return Object.fromEntries(Object.entries(sent).filter(([name, value]) => value !== null || required.includes(name)));
}

/** A message of the service, as far as it is read here. */
export interface RpcMessage {
  readonly result?: unknown;
  readonly error?: {
    readonly code: number | string;
    readonly message: string;
    readonly data?: { readonly details?: readonly { readonly path: string; readonly message: string }[] };
  };
}

/** The message of a reply, which older revisions send as an event; of another reply its body. */
export function messageIn({ body }: Received): RpcMessage {
  const text = body.toString();
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
}
