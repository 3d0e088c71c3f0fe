import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { MCP } from '../../../domain/limits.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { openService, type TestService } from '../../harness/service.ts';
import { messageIn, post } from './stage.ts';

const AT = new Date('2017-06-05T12:20:00.000Z');

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly outputSchema: object;
}

let service: TestService;
let agent: TestAgent;
let text: string;
let tools: readonly Tool[];
beforeAll(async () => {
  service = await openService('memory', { at: AT });
  agent = await anAgentAt(service);
  const reply = await ask('tools/list', {});
  text = reply.text;
  tools = messageIn(reply).result?.tools as readonly Tool[];
});
afterAll(() => service.close());
const ask = (method: string, params: object) =>
  post(service.app, { 'x-api-key': agent.api_key }, { jsonrpc: '2.0', id: 1, method, params });
const whole = async (name: string): Promise<Tool> => {
  const { result } = messageIn(await ask('resources/read', { uri: `stancebook://tools/${name}` }));
  const [content] = (result?.contents ?? []) as readonly { readonly text: string }[];
  return JSON.parse(content?.text ?? 'null');
};

/** Each keyword of a schema with its value and place; the names of members are none. */
function keywords(node: unknown, place = '', isNames = false): [place: string, keyword: string, value: unknown][] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => {
    const inner = keywords(value, `${place}/${key}`, key === 'properties' && !isNames);
    return isNames || Array.isArray(node) ? inner : [[place, key, value] as [string, string, unknown], ...inner];
  });
}

test('the list of tools is short', () => {
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MCP.listBytes);
  expect(tools.length).toBeGreaterThan(15);
});

test('its schemas have no formats of OpenAPI, no long patterns and no references; those of replies have no default', () => {
  for (const { name, inputSchema, outputSchema } of tools) {
    const all = [...keywords(inputSchema), ...keywords(outputSchema)];
    const formats = new Set(all.filter(([, keyword]) => keyword === 'format').map(([, , value]) => value));
    expect([
      name,
      [...formats].filter((format) => !['date-time', 'date', 'uri', 'uuid'].includes(String(format))),
    ]).toEqual([name, []]);
    const patterns = all.filter(([, keyword]) => keyword === 'pattern').map(([, , value]) => String(value));
    expect([name, patterns.filter(({ length }) => length > MCP.patternLength)]).toEqual([name, []]);
    expect([name, all.filter(([, keyword]) => ['$ref', '$defs', 'example', 'oneOf'].includes(keyword))]).toEqual([
      name,
      [],
    ]);
    expect([name, keywords(outputSchema).filter(([, keyword]) => keyword === 'default')]).toEqual([name, []]);
    expect([inputSchema, outputSchema]).toEqual(Array(2).fill(expect.objectContaining({ type: 'object' })));
  }
});

test('no argument is a text or an object: an adapter that keeps one of them would lose the other', () => {
  const mixed = tools.flatMap(({ name, inputSchema }) =>
    keywords(inputSchema)
      .filter(([, keyword, value]) => keyword === 'anyOf' && JSON.stringify(value).includes('"object"'))
      .map(([place]) => `${name}${place}`),
  );
  expect(mixed).toEqual([]);
  const [decision] = tools;
  expect(JSON.stringify(decision)).toContain('"items":{"type":"object","properties":{"factor":{"type":"string"');
});

test('every name and word that an argument may have is listed, or another tool is named that lists it', async () => {
  for (const { name, inputSchema } of tools) {
    const own = keywords(inputSchema);
    const isListed = (value: unknown) => tools.some((tool) => value === `As in ${tool.name}.`);
    const elsewhere = own.filter(([, , value]) => isListed(value)).map(([place]) => place);
    for (const [place, keyword, value] of keywords((await whole(name)).inputSchema)) {
      if (!['enum', 'required', 'description'].includes(keyword) || /\/anyOf\/0/.test(place)) continue;
      const listed = place.replace(/\/anyOf\/\d+/g, '');
      if (elsewhere.some((brief) => listed.startsWith(brief))) continue;
      expect([name, own]).toEqual([name, expect.arrayContaining([[listed, keyword, value]])]);
    }
  }
});

test('what fits a whole schema fits the short one, and both compile with strict validators', async () => {
  const replies = {
    submit_decision: { decision: aSubmission(AT), validate_only: true },
    query_cohort: { market: 'crypto' },
    recall: { market: 'crypto', symbol: 'BTC' },
    get_limits: {},
    find_instrument: { query: 'BTC' },
    list_plans: {},
  };
  const formats = Object.fromEntries(['date-time', 'date', 'uri', 'uuid'].map((format) => [format, true as const]));
  const strict = { formats, allowUnionTypes: true };
  const validators = [new Ajv(strict), new Ajv2020(strict)];
  const lenient = new Ajv2020({ strict: false, validateFormats: false });
  for (const { name, description, inputSchema, outputSchema } of tools) {
    const compiled = validators.map((ajv) => [ajv.compile(inputSchema), ajv.compile(outputSchema)] as const);
    const sent = replies[name as keyof typeof replies];
    if (sent === undefined) continue;
    const { result } = messageIn(await ask('tools/call', { name, arguments: sent }));
    for (const [takes, returns] of compiled) {
      expect([name, takes(sent), returns(result?.structuredContent)]).toEqual([name, true, true]);
    }
    const full = await whole(name);
    const fits = [
      lenient.validate(full.inputSchema, sent),
      lenient.validate(full.outputSchema, result?.structuredContent),
    ];
    expect([name, full.description, ...fits]).toEqual([name, description, true, true]);
  }
});

test('a tool that there is not is no resource', async () => {
  const { error } = messageIn(await ask('resources/read', { uri: 'stancebook://tools/none' }));
  expect(error?.message).toContain('stancebook://tools/none');
});
