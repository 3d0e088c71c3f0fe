import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anyText } from '../../builders/any-text.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { openService, type TestService } from '../../harness/service.ts';

const AT = new Date('2017-06-05T12:00:00.000Z');
const RUNS = Number(process.env.FUZZ_RUNS ?? 150);

/** A body with every field, so that any change concerns a field that the service reads. */
const FULL = {
  ...aSubmission(AT),
  analysis_class: 'trade_plan',
  perspective_type: 'macro',
  key_factors: [
    {
      factor: 'a',
      id: 'a',
      weight: 0.5,
      metric: { name: 'm', value: 1 },
      source: { name: 's', published_at: '2017-06-05T11:00:00Z' },
    },
    { factor: 'b', depends_on: ['a'] },
  ],
  workflow_ref: `wf:${'a'.repeat(64)}`,
  reference_price: 2_500,
  price_targets: { entry: 2_500, targets: [{ price: 2_600 }], stop_loss: { price: 2_400, kind: 'hard' } },
  invalidation: [{ kind: 'drops_below', threshold: 2_300 }],
  execution_info: { executed: true, fill_time: '2017-06-05T11:59:59Z' },
  service_interaction: { consulted: false, wisdom_queries: 0, record_ids: ['dec_20170605_00000000'] },
  confidence: 0.5,
  model: { id: 'm', knowledge_cutoff: '2017-01-01T00:00:00Z' },
  summary: 's',
  tags: ['t'],
  inputs: [{ kind: 'model', name: 'm', sha256: '0'.repeat(64) }],
  meta: { any: ['thing'] },
};

const TEXTS = [
  '',
  ' ',
  '0',
  'null',
  '9'.repeat(400),
  '\u2028',
  'dec_20170605_00000000',
  'a',
  'b',
  'BRK/B',
  'eth',
  'Eth-usd',
];
const NAMES = [
  'USDT',
  'perp',
  'stock',
  'NASDAQ',
  'kraken',
  'trading_days',
  'opinion',
  'neutral',
  'bearish',
  'rises_above',
];
const TIMES = [
  '2017-02-30T00:00:00Z',
  '2017-06-05T12:00:00+23:59',
  '2017-06-05T11:59:59.999999999Z',
  '2017-06-04T24:00:00Z',
  '2100-12-31T23:59:59.999999999Z',
  '1970-01-01T00:00:00+14:00',
];
const NUMBERS = [-1, 0, 0.1, -0, 1, 119, 120, 252, 253, 86_400, 31_536_000, 1e15, 1e21, 2 ** 53, 1e308, -1e308, 5e-324];

const text = fc.oneof(fc.constantFrom(...TEXTS, ...NAMES, ...TIMES), anyText({ maxLength: 300 }));
const number = fc.oneof(fc.constantFrom(...NUMBERS), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer());
const change = fc.record({
  place: fc.nat(200),
  text,
  number,
  any: fc.jsonValue({ maxDepth: 3 }),
  /** One change in eight is of another type or of another member. */
  wild: fc.nat(7).map((n) => n === 0),
  name: fc.constantFrom(null, 'extra', 'id', 'factor', 'price', 'toString', 'constructor'),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** The document with one of its values replaced, mostly by one of the same type. */
function changed(document: unknown, { place, text, number, any, wild, name }: Change): unknown {
  const copy = structuredClone(document);
  const places: [Record<string, unknown>, string][] = [];
  const walk = (node: unknown) => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, inner] of Object.entries(node)) {
      if (wild || typeof inner !== 'object') places.push([node as Record<string, unknown>, key]);
      walk(inner);
    }
  };
  walk(copy);
  const [holder, key] = places[place % places.length] ?? [];
  if (!holder || key === undefined) return copy;
  if (wild) holder[name ?? key] = any;
  else if (typeof holder[key] === 'boolean') holder[key] = !holder[key];
  else holder[key] = typeof holder[key] === 'number' ? number : text;
  return copy;
}

const opened: { service: TestService; agent: TestAgent }[] = [];
beforeAll(async () => {
  const env = { LIMIT_COOLDOWN_SECONDS: '0', LIMIT_SUBMITS_PER_HOUR: '1000000', LIMIT_RETROACTIVE_PER_DAY: '1000000' };
  for (const storage of ['memory', 'postgres'] as const) {
    const service = await openService(storage, { at: AT, env });
    opened.push({ service, agent: await anAgentAt(service) });
  }
});
afterAll(() => Promise.all(opened.map(({ service }) => service.close())));

test('no change of a submission causes a fault, and both storages return the same replies', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
      const sent = JSON.stringify(changes.reduce<unknown>(changed, FULL));
      const [one, other] = await Promise.all(opened.map(({ agent }) => repliesTo(agent, sent)));
      expect(one).toEqual(other);
    }),
    { numRuns: RUNS, seed: Number(process.env.FUZZ_SEED ?? 20_170_605) },
  );
});

/** The replies to a submission and to its read, without what differs each time. */
async function repliesTo(agent: TestAgent, sent: string): Promise<unknown> {
  const { status, body } = await agent.submit(sent);
  expect([200, 201, 400, 413, 422]).toContain(status);
  if (status !== 201) return { status, error: { ...body.error, request_id: null } };
  const { record_id, commitment, state_url: _, ...receipt } = body;
  const { body: detail } = await agent.read(record_id);
  expect(detail.commitment).toBe(commitment);
  const { commitment_opening: opening, ...shown } = detail;
  const own = { agent_id: null, record_id: null, commitment: null };
  return { receipt, shown: { ...shown, ...own }, statement: opening.statement.replaceAll(record_id, 'ID') };
}
