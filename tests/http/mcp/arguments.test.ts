import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { bodyIn, messageIn, post, type ToolReply, toolCall } from './stage.ts';

const AT = new Date('2017-06-05T12:20:00.000Z');
const RECORD = 'dec_20170605_00000000';

/** Arguments of each tool that its schema allows; with each of them the endpoint is called. */
const ALLOWED: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  submit_decision: { decision: aSubmission(AT), validate_only: true },
  submit_decision_group: { group: aGroup(), validate_only: true },
  add_note: { record_id: RECORD, text: 'Ignored the CPI date' },
  get_decision_state: { record_id: RECORD },
  get_decision: { record_id: RECORD },
  get_decisions: { record_ids: [RECORD] },
  list_decisions: {},
  recall: { market: 'crypto', symbol: 'BTC' },
  query_cohort: { market: 'crypto' },
  state_plan: { query: { market: 'crypto' }, sentence: 'It rises.' },
  list_plans: {},
  get_plan_receipt: { plan_id: '0198c0de-0000-7000-8000-000000000000' },
  backtest: { set: 'one', batch: { about: { source: 'a', horizon_rule: 'b' }, rows: [{}] } },
  get_related: { record_id: RECORD },
  get_limits: {},
  get_receipt: { record_id: RECORD },
  find_instrument: { query: 'BTC' },
  list_workflows: {},
  get_skill: { hash: '0'.repeat(64) },
};

function aGroup() {
  const { horizon_kind, horizon_value, ...shared } = aSubmission(AT);
  return {
    ...shared,
    horizons: [horizon_value, 2 * horizon_value].map((value) => ({ horizon_kind, horizon_value: value })),
  };
}

/** A value of every type of JSON but null, and words for it in a refusal. */
const VALUES: readonly (readonly [type: string, value: unknown])[] = [
  ['string', 'x'],
  ['integer', 1],
  ['number', 1.5],
  ['boolean', true],
  ['object', { a: 1 }],
  ['array', [1]],
];

interface Listed {
  readonly name: string;
  readonly inputSchema: {
    readonly properties: Readonly<Record<string, { readonly type: string }>>;
    readonly required?: readonly string[];
  };
}

describe.each(STORAGES)('the arguments of tools, on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  let tools: readonly Listed[];
  beforeAll(async () => {
    service = await openService(storage, { at: AT });
    agent = await anAgentAt(service);
    const reply = await post(service.app, key(), { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
    tools = (messageIn(reply).result?.tools ?? []) as readonly Listed[];
  });
  afterAll(() => service.close());
  const key = () => ({ 'x-api-key': agent.api_key });
  const call = async (name: string, sent: unknown, headers = key()): Promise<ToolReply> => {
    const reply = await post(service.app, headers, toolCall(name, JSON.stringify(sent)));
    return messageIn(reply).result ?? { content: [] };
  };
  const refusal = async (name: string, sent: unknown) => {
    const { isError, ...result } = await call(name, sent);
    return isError ? bodyIn(result).error : null;
  };
  const submit = (decision: unknown, idempotency_key: unknown) =>
    call('submit_decision', { decision, idempotency_key });

  test('null is no idempotency key: two decisions are two records', async () => {
    const decision = aSubmission(AT, { symbol: 'BTC' });
    const first = await submit(decision, null);
    const second = await submit(aSubmission(AT, { symbol: 'ETH' }), null);
    expect([first.isError, second.isError]).toEqual([undefined, undefined]);
    const again = await submit(decision, null);
    expect(bodyIn(again).error.code).toBe('DUPLICATE_SUBMISSION');
    expect((await agent.get('/api/v1/agent/decisions')).body.items).toHaveLength(2);
  });

  const MISSING = ['null', 'NULL', '"null"', 'None', 'none', 'undefined', '"Undefined"', '<nil>', 'NaN', "'null'"];
  test.each([...MISSING.map((text) => [text] as const)])(
    'the text %s is no idempotency key, by either door',
    async (text) => {
      const decision = aSubmission(AT, { symbol: 'SOL' });
      const { code, details } = bodyIn(await submit(decision, text)).error;
      expect([code, details[0].path]).toEqual(['VALIDATION_ERROR', 'idempotency-key']);
      expect(details[0].message).toMatch(/^must not be the text of a missing value: .*leave it out/);
      const { status, body } = await agent.submit(decision, { 'idempotency-key': text });
      expect([status, body.error.details]).toEqual([422, details]);
    },
  );

  test('each argument that becomes text is of its type, or refused by its name', async () => {
    for (const { name, inputSchema } of tools) {
      for (const [argument, { type }] of Object.entries(inputSchema.properties)) {
        for (const [other, value] of VALUES) {
          if (other === type || (type === 'number' && other === 'integer')) continue;
          const error = await refusal(name, { ...ALLOWED[name], [argument]: value });
          const seen = [name, argument, other, error?.code, error?.details?.[0].path, error?.details?.[0].message];
          const says = expect.stringMatching(/^must be (a string|a whole number|a list|an object|true or false), not /);
          expect(seen).toEqual([name, argument, other, 'VALIDATION_ERROR', argument, says]);
        }
      }
    }
  });

  test('null is an argument that is not sent: refused where it is required, and nothing else', async () => {
    for (const { name, inputSchema } of tools) {
      for (const argument of Object.keys(inputSchema.properties)) {
        const isRequired = inputSchema.required?.includes(argument) ?? false;
        const sent = await refusal(name, { ...ALLOWED[name], [argument]: null });
        const without = await refusal(name, { ...ALLOWED[name], [argument]: undefined });
        const seen = [name, argument, sent?.code, sent?.message];
        if (!isRequired) expect(seen).toEqual([name, argument, without?.code, without?.message]);
        else expect([name, sent?.code, sent?.details[0].path]).toEqual([name, 'VALIDATION_ERROR', argument]);
      }
    }
  });

  test('a required argument says that it is missing, whatever part of the request it becomes', async () => {
    for (const { name, inputSchema } of tools) {
      for (const argument of inputSchema.required ?? []) {
        const { details } = await refusal(name, { ...ALLOWED[name], [argument]: undefined });
        expect([name, details[0]]).toEqual([
          name,
          { path: argument, message: expect.stringMatching(/^is required: send /) },
        ]);
      }
    }
  });

  test('an unknown argument is refused by the arguments of the tool, not by the parameters of its endpoint', async () => {
    const decision = aSubmission(AT, { symbol: 'LTC' });
    const unknown = async (name: string, sent: object) => (await refusal(name, { ...ALLOWED[name], ...sent })).details;
    expect(await unknown('submit_decision', { decision, idempotencyKey: 'a-1' })).toEqual([
      { path: 'idempotencyKey', message: 'is not known here; did you mean idempotency_key?' },
    ]);
    expect(await unknown('submit_decision', { decision, body: null })).toEqual([
      { path: 'body', message: 'is not known here; known are decision, validate_only, idempotency_key' },
    ]);
    expect(await unknown('get_decision', { id: RECORD, record_id: 7 })).toEqual([
      { path: 'record_id', message: 'must be a string, not a number' },
      { path: 'id', message: 'is not known here; send record_id instead' },
    ]);
  });

  test('what a tool sends by itself is no argument of it', async () => {
    const { details } = await refusal('get_limits', { include: 'nothing' });
    expect(details).toEqual([{ path: 'include', message: 'is not known here; leave it out' }]);
  });

  test('faults of arguments come after the credential and spend nothing', async () => {
    const reader = await anAgentAt(service, { mate: agent, permission_mode: 'read_only' });
    const sent = { decision: aSubmission(AT), validate_only: 'true' };
    const { error } = bodyIn(await call('submit_decision', sent, { 'x-api-key': reader.api_key }));
    expect(error.code).toBe('FORBIDDEN');
    const before = (await agent.get('/api/v1/public/auth/status?include=quota')).body.quota.query.used;
    await refusal('query_cohort', { market: 'crypto', symbol: 7 });
    expect((await agent.get('/api/v1/public/auth/status?include=quota')).body.quota.query.used).toBe(before);
  });
});
