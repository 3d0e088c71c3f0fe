import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { canonicalJson } from '../../../adapters/formats/canonical-json.ts';
import { sha256Hex } from '../../../application/sha256.ts';
import { commitmentOf, statementOf } from '../../../domain/decisions/submission/commitment.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { bodyIn, messageIn, post, toolCall } from './stage.ts';

const AT = new Date('2017-06-05T12:20:00.000Z');

/** With every kind of member; `meta` has a spelling that no value of JavaScript keeps. */
const { meta: _, ...DECISION } = aSubmission(AT, {
  key_factors: [{ factor: 'Inflows rose', weight: 0.5, metric: { name: 'flow', value: '12', unit: 'BTC' } }],
  price_targets: { targets: [{ price: 4000 }], stop_loss: { price: 2000, kind: 'hard' } },
  execution_info: { executed: true, fill_price: 2850.5 },
  confidence: 0.7,
  tags: ['flows'],
  summary: '5',
});
const META = '{"b":1.10,"a":9007199254740993,"c":null,"d":"","e":"{}"}';

const plain = withMeta(DECISION);

/** A decision as a host or a model writes it that has this habit alone, as the text of the arguments. */
const HABITS: readonly (readonly [habit: string, sent: string])[] = [
  ['none', `{"decision":${plain}}`],
  ['null for members that are not known', `{"decision":${withMeta({ ...DECISION, workflow_ref: null, model: null })}}`],
  ['"" for them', `{"decision":${withMeta({ ...DECISION, workflow_ref: '', model: '', related_records: '' })}}`],
  ['both inside of others', `{"decision":${withMeta({ ...DECISION, ...filledUp() })}}`],
  ['null and "" for the other arguments', `{"decision":${plain},"validate_only":null,"idempotency_key":""}`],
  ['the decision as its JSON', `{"decision":${JSON.stringify(plain)}}`],
  ['members of it as their JSON', `{"decision":${withMeta(asTexts(), JSON.stringify(META))}}`],
  ['numbers as text', `{"decision":${withMeta(numbersAsTexts())}}`],
  ['true and false as text', `{"decision":${withMeta(booleanAs('True'))},"validate_only":"false"}`],
  ['the same in small letters', `{"decision":${withMeta(booleanAs('true'))},"validate_only":"False"}`],
  ['no argument decision', `${plain.slice(0, -1)},"validate_only":false}`],
  ['the arguments as their JSON', JSON.stringify(`{"decision":${plain}}`)],
  ['the arguments as their JSON, without decision, with texts', JSON.stringify(withMeta(numbersAsTexts()))],
];

function withMeta(members: object, meta = META): string {
  return `${JSON.stringify(members).slice(0, -1)},"meta":${meta}}`;
}

function filledUp() {
  const [factor] = DECISION.key_factors as readonly object[];
  return {
    key_factors: [{ ...factor, id: '', depends_on: null, source: null, direction: '' }],
    price_targets: { entry: null, ...DECISION.price_targets },
    execution_info: { ...DECISION.execution_info, fill_time: '', quantity: '', note: null },
  };
}

function asTexts() {
  const { key_factors, price_targets, tags } = DECISION;
  const texts = Object.entries({ key_factors, price_targets, tags }).map(([name, value]) => [
    name,
    JSON.stringify(value),
  ]);
  return { ...DECISION, ...Object.fromEntries(texts) };
}

function numbersAsTexts() {
  const execution_info = { executed: true, fill_price: '2850.50' };
  return { ...DECISION, horizon_value: '3600', confidence: '7e-1', execution_info };
}

function booleanAs(executed: string) {
  return { ...DECISION, execution_info: { ...DECISION.execution_info, executed } };
}

describe.each(STORAGES)('habits of hosts and models, on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  beforeAll(async () => {
    const env = { LIMIT_COOLDOWN_SECONDS: '0', LIMIT_SUBMITS_PER_HOUR: '100' };
    service = await openService(storage, { at: AT, env });
    agent = await anAgentAt(service);
  });
  afterAll(() => service.close());
  const call = async (text: string, tool = 'submit_decision') =>
    messageIn(await post(service.app, { 'x-api-key': agent.api_key }, toolCall(tool, text)));
  // The details of the envelope, or those of an error of the protocol.
  const refusal = async (text: string, tool?: string) => {
    const { result, error } = await call(text, tool);
    return result?.isError ? bodyIn(result).error.details : (error?.data as { details: readonly object[] })?.details;
  };

  const rest = (text: string, headers: Readonly<Record<string, string>> = {}) =>
    request(service.app)
      .post('/api/v1/agent/decisions')
      .set({ 'x-api-key': agent.api_key, 'content-type': 'application/json', ...headers })
      .send(text);
  const record = async (text: string) => {
    const { result } = await call(text);
    return bodyIn(result ?? { content: [] });
  };

  test('each of them states what REST states: one statement', async () => {
    const body = canonicalJson({ ...DECISION, meta: META });
    const replies = [(await rest(plain)).body];
    for (const [, sent] of HABITS) replies.push(await record(sent));
    for (const [n, { record_id, commitment }] of replies.entries()) {
      const { salt, statement } = (await agent.read(record_id)).body.commitment_opening;
      expect([n, statement]).toEqual([n, statementOf(body, record_id, AT)]);
      expect([n, commitment]).toEqual([n, commitmentOf(Buffer.from(salt, 'hex'), statement, sha256Hex)]);
    }
    expect(new Set(replies.map(({ record_id }) => record_id)).size).toBe(HABITS.length + 1);
  });

  test('with one key all of them are one record, also over REST', async () => {
    const first = (await rest(plain, { 'idempotency-key': 'one' })).body.record_id;
    const keyed = HABITS.map(([, sent]) => sent.replace(/,"idempotency_key":""/, '')).map((sent) =>
      sent.startsWith('"')
        ? JSON.stringify(`${String(JSON.parse(sent)).slice(0, -1)},"idempotency_key":"one"}`)
        : `${sent.slice(0, -1)},"idempotency_key":"one"}`,
    );
    for (const [n, sent] of keyed.entries()) expect([n, (await record(sent)).record_id]).toEqual([n, first]);
  });

  test('a group is read as a decision is', async () => {
    const { horizon_kind, confidence, price_targets: __, horizon_value: ___, ...shared } = DECISION;
    const horizons = [3600, 7200].map((horizon_value) => ({ horizon_kind, horizon_value, confidence }));
    const texts = horizons.map((each) => ({ ...each, horizon_value: String(each.horizon_value), confidence: '0.70' }));
    const whole = `{"group":${JSON.stringify({ ...shared, horizons })},"idempotency_key":"group"}`;
    const flat = JSON.stringify({ ...shared, horizons: JSON.stringify(texts), idempotency_key: 'group' });
    const [first, again] = [await call(whole, 'submit_decision_group'), await call(flat, 'submit_decision_group')];
    expect(bodyIn(first.result ?? { content: [] }).members).toHaveLength(2);
    expect(bodyIn(again.result ?? { content: [] })).toEqual(bodyIn(first.result ?? { content: [] }));
    const broken = `{"group":${JSON.stringify({ ...shared, horizons: [{ ...horizons[0], price_targets: '{' }] })}}`;
    const [{ path }] = await refusal(broken, 'submit_decision_group');
    expect(path).toBe('horizons[0].price_targets');
  });

  test('what is no body reads arguments as text, too', async () => {
    const query = '{"market":"crypto","limit":"2","include_retroactive":"True","symbol":"","venue":null}';
    const asked = () => agent.get('/api/v1/agent/wisdom?market=crypto&limit=2&include_retroactive=true');
    await asked();
    const { result } = await call(query, 'query_cohort');
    expect(result?.structuredContent).toEqual((await asked()).body);
    const batch = await call('{"record_ids":"[\\"dec_20170605_00000000\\"]"}', 'get_decisions');
    expect(batch.result?.isError).toBeUndefined();
    for (const none of ['null', '""']) expect((await call(none, 'get_limits')).result?.isError).toBeUndefined();
  });

  const JSON_TWICE = JSON.stringify(JSON.stringify({ ...DECISION, tags: '["flows"]' }));
  const deep = `${'['.repeat(40)}${']'.repeat(40)}`;
  test.each<readonly [string, string, string, string]>([
    [
      'a text in a text',
      `{"decision":${JSON_TWICE}}`,
      'tags',
      'must be JSON here, not its text: it is inside a text that',
    ],
    [
      'a factor as its JSON',
      withFactor('{"factor":"Inflows"}'),
      'key_factors.0',
      'must be the object itself, not its text',
    ],
    ['text that is no JSON', '{"decision":"{\\"market\\":"}', 'decision', 'is not JSON: it breaks at position 10'],
    ['a text that is no object', '{"decision":"buy"}', 'decision', 'must be an object, not a string'],
    ['a list for an object', '{"decision":"[1]"}', 'decision', 'must be an object, not a string'],
    ['null for a required member', withMember('symbol', null), 'symbol', 'must be a string, not null'],
    ['"" for a required member', withMember('market', ''), 'market', 'must have at least 1 character'],
    ['a number that is none', withMember('confidence', '0,7'), 'confidence', 'must be a number, not a string'],
    [
      'a number in hexadecimal digits',
      withMember('horizon_value', '0x10'),
      'horizon_value',
      'must be a number, not a string',
    ],
    ['a number beyond all bounds', withMember('confidence', '1e999'), 'confidence', 'must be a number of at most'],
    [
      'yes',
      withMember('execution_info', { executed: 'yes' }),
      'execution_info.executed',
      'must be true or false, not a',
    ],
    ['a member twice', withMember('tags', '[{"a":1,"a":2}]'), 'tags.a', 'must be named only once in its object'],
    ['U+0000 in a text', withMember('tags', '["\\u0000"]'), 'tags.0', 'must not contain the character U+0000'],
    ['__proto__ in a text', withMember('model', '{"__proto__":{}}'), 'model.__proto__', 'must not be sent'],
    [
      'a text that nests too deep',
      withMember('tags', deep),
      `tags${'.0'.repeat(32)}`,
      'must not nest deeper than 32 levels',
    ],
    ['hidden characters in a text', withMember('tags', '["a\\u200e"]'), 'tags.0', 'must not contain U+200E'],
    [
      'both',
      `{"decision":${plain},"symbol":"BTC"}`,
      'symbol',
      'is a member of decision: send it there, not next to it',
    ],
    ['neither', '{"ticker":"BTC"}', 'decision', 'is required: send an object'],
    ['null for it', '{"decision":null}', 'decision', 'is required: send an object'],
  ])('%s is refused', async (_habit, sent, path, message) => {
    const details = await refusal(sent);
    expect(details[0]).toMatchObject({ path, message: expect.stringContaining(message) });
  });

  test.each(['null', 'None', 'undefined', '"null"'])('the key %s as text is refused', async (text) => {
    const [{ path }] = await refusal(`{"decision":${plain},"idempotency_key":${JSON.stringify(text)}}`);
    expect(path).toBe('idempotency-key');
  });

  test.each([
    ['a broken text', '"{"', 'arguments is not JSON: it breaks at position 1 (line 1, column 2).'],
    ['a text of a list', '"[]"', 'arguments must be an object, not a string.'],
    ['a number', '7', 'arguments must be an object, not a number.'],
    ['a member twice in a text', '"{\\"a\\":1,\\"a\\":2}"', 'arguments.a must be named only once in its object.'],
  ])('%s in place of all arguments is refused', async (_habit, sent, message) => {
    expect((await call(sent)).error).toMatchObject({ code: -32_602, message });
  });

  test('a text adds no levels: what is 32 levels deep as JSON is accepted, and what is 33 is not', async () => {
    for (const [levels, isAccepted] of [
      [31, true],
      [32, false],
    ] as const) {
      const meta = `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
      const text = `{"decision":${JSON.stringify(withMeta(DECISION, meta))},"validate_only":true}`;
      const direct = `{"decision":${withMeta(DECISION, meta)},"validate_only":true}`;
      const asText = `{"decision":${withMeta(DECISION, JSON.stringify(meta))},"validate_only":true}`;
      const seen = [];
      for (const sent of [text, direct, asText]) {
        const { result } = await call(sent);
        seen.push(result !== undefined && result.isError === undefined);
      }
      expect([levels, ...seen]).toEqual([levels, isAccepted, isAccepted, isAccepted]);
    }
  });
});

function withMember(name: string, value: unknown): string {
  return `{"decision":${withMeta({ ...DECISION, [name]: value })}}`;
}

function withFactor(text: string): string {
  return withMember('key_factors', [text]);
}
