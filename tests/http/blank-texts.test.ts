import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { shownSchema } from '../../adapters/http/kit/endpoint.ts';
import { endpointsOf } from '../../adapters/http/routes/endpoints.ts';
import type { Ports } from '../../application/ports.ts';

/** No handler runs here, so that no port is called. */
const endpoints = endpointsOf({} as Ports);
const bodies = endpoints.flatMap(({ id, body }) => (body ? [[id, shownSchema(body)] as const] : []));

interface TextNode {
  readonly type?: string;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly format?: string;
}

/** Every text of a JSON schema, by its path. */
function textsIn(node: unknown, path = ''): [string, TextNode][] {
  if (typeof node !== 'object' || node === null) return [];
  const own: [string, TextNode][] = 'type' in node && node.type === 'string' ? [[path, node as TextNode]] : [];
  return [...own, ...Object.entries(node).flatMap(([key, value]) => textsIn(value, `${path}/${key}`))];
}

const texts = bodies.flatMap(([id, schema]) =>
  textsIn(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })).map(([path, text]) => ({ id, path, text })),
);

test('the document forbids white space alone in every text of a body that must not be empty', () => {
  const filled = texts.filter(({ text }) => (text.minLength ?? 0) > 0 && text.format !== 'password');
  expect(filled.length).toBeGreaterThan(20);
  const blank = filled.filter(
    ({ text: { pattern } }) => pattern === undefined || new RegExp(pattern).test(' \t\n\u3000'),
  );
  expect(blank.map(({ id, path }) => `${id} ${path}`)).toEqual([]);
});

test('every reply may contain white space alone, because older data does', () => {
  const replies = endpoints.flatMap(({ id, replies }) =>
    Object.values(replies).flatMap(({ schema }) =>
      schema
        ? textsIn(z.toJSONSchema(schema, { unrepresentable: 'any' })).map(([path, text]) => ({ id, path, text }))
        : [],
    ),
  );
  expect(replies.length).toBeGreaterThan(100);
  const filled = replies.filter(({ text }) => text.pattern === '\\S' || text.minLength !== undefined);
  // Blank display names, names of inputs and sources of back-tests were never stored.
  expect(filled.map(({ id, path }) => `${id} ${path}`)).toEqual([
    'setPreferences /$defs/Preferences/properties/display_name',
    'readOwnDecision /$defs/DecisionInput/properties/name',
    'readDecision /$defs/DecisionInput/properties/name',
    ...['readBacktest', 'listBacktests'].flatMap((id) =>
      ['StoredAbout', 'BacktestAbout'].flatMap((about) =>
        ['source', 'horizon_rule'].map((name) => `${id} /$defs/${about}/properties/${name}`),
      ),
    ),
  ]);
});

test('an older record with blank texts is returned to its owner as it is', () => {
  const detail = endpoints.find(({ id }) => id === 'readOwnDecision')?.replies[200];
  const older = {
    ...(detail?.example as object),
    tags: [' '],
    summary: ' ',
    key_factors: [{ factor: ' ' }],
    model: { id: ' ' },
    execution_info: { executed: true, note: ' ' },
    service_interaction: { consulted: true, note: ' ' },
  };
  expect(detail?.schema?.safeParse(older).error).toBeUndefined();
});

test.each([
  ['submitDecision', { tags: [' '] }, 'tags.0'],
  ['submitDecision', { key_factors: ['\t'] }, 'key_factors.0'],
  ['submitDecision', { key_factors: [{ factor: '\n' }] }, 'key_factors.0.factor'],
  ['submitDecision', { model: { id: '\u3000' } }, 'model.id'],
  ['submitDecision', { summary: '  ' }, 'summary'],
  ['submitDecision', { execution_info: { executed: true, note: ' ' } }, 'execution_info.note'],
  ['createWorkflow', { name: '   ' }, 'name'],
  ['createWorkflow', { tags: ['ok', ' '] }, 'tags.1'],
  ['updateWorkflow', { name: ' ' }, 'name'],
  ['quickSetup', { agent_name: ' ' }, 'agent_name'],
  ['createKey', { label: ' ' }, 'label'],
  ['createKey', { agent_name: '\t' }, 'agent_name'],
  ['revokeDecision', { reason: ' ' }, 'reason'],
  ['quarantineDecision', { reason: ' ' }, 'reason'],
  ['tripCircuit', { reason: ' ' }, 'reason'],
  ['resolveCircuit', { justification: ' ' }, 'justification'],
  ['acceptLegal', { source: ' ' }, 'source'],
  ['setPreferences', { display_name: ' ' }, 'display_name'],
])('%s refuses %j', (operation, member, path) => {
  const [, schema] = bodies.find(([id]) => id === operation) ?? [];
  const faults = schema?.safeParse(member).error?.issues.flatMap(function flat(issue): [string, string][] {
    const inner = issue.code === 'invalid_union' ? issue.errors.flat() : [];
    const below = inner.map((each) => ({ ...each, path: [...issue.path, ...each.path] }) as typeof issue);
    return [[issue.path.join('.'), issue.message], ...below.flatMap(flat)];
  });
  expect(faults?.filter(([, message]) => message.startsWith('must not be blank')).map(([at]) => at)).toEqual([path]);
});
