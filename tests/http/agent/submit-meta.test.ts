import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sha256Hex } from '../../../application/sha256.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const AT = new Date('2017-06-05T12:00:00.000Z');
const decision = JSON.stringify(aSubmission(AT));

/** The body of a request with this text as `meta`. */
const bodyWith = (meta: string) => `{"meta": ${meta}, ${decision.slice(1)}`;

const TEXTS = [
  '{"n":9007199254740993,"p":1.10,"z":-0,"e":1E+2}',
  '{"10":1,"2":{"b":0,"1":0},"a":[2,1]}',
  '{}',
  '{"\\u00e9":"\\/ é 😀","constructor":{"toString":null}}',
];

describe.each(STORAGES)('meta of a submission, on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  beforeAll(async () => {
    const env = { LIMIT_COOLDOWN_SECONDS: '0' };
    service = await openService(storage, { at: AT, env });
    agent = await anAgentAt(service);
  });
  afterAll(() => service.close());

  test.each(TEXTS)('%s is returned and sealed as it was sent', async (meta) => {
    const { status, body } = await agent.submit(bodyWith(meta));
    expect([status, body.error]).toEqual([201, undefined]);
    const { text, body: detail } = await agent.read(body.record_id);
    expect(text).toContain(`"meta":${meta},`);
    const { statement } = detail.commitment_opening;
    expect(JSON.parse(statement).body.meta).toBe(meta);
    expect(statement).toContain(`"meta":${JSON.stringify(meta)},`);
    expect(sha256Hex(Buffer.from(detail.commitment_opening.salt, 'hex'), statement)).toBe(body.commitment);
  });

  test('white space between its tokens is not kept and does not count', async () => {
    const { body } = await agent.submit(bodyWith(`{ "a" : ${' '.repeat(5_000)} [ 1 , " x " ] }`));
    expect((await agent.read(body.record_id)).text).toContain('"meta":{"a":[1," x "]},');
  });

  test('at most 4,096 bytes of its text, however short its parsed form is', async () => {
    const zeros = (count: number) => `{"n":1.${'0'.repeat(count)}}`;
    expect((await agent.submit(bodyWith(zeros(4_088)))).status).toBe(201);
    const wide = `{"n":"${'é'.repeat(2_045)}"}`;
    for (const meta of [zeros(4_089), wide]) {
      const { status, body } = await agent.submit(bodyWith(meta));
      const details = [{ path: 'meta', message: 'must be at most 4096 bytes of JSON' }];
      expect([status, body.error.code, body.error.details]).toEqual([422, 'VALIDATION_ERROR', details]);
    }
  });

  test.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"x":{"__proto__":{}}}', 'meta.x.__proto__'],
    ['{"n":1e400}', 'meta.n'],
    [`${'{"a":'.repeat(32)}1${'}'.repeat(32)}`, expect.stringContaining('meta.a')],
  ])('400 for %s', async (meta, path) => {
    const { status, body } = await agent.submit(bodyWith(meta));
    expect([status, body.error.code]).toEqual([400, 'MALFORMED_BODY']);
    expect(body.error.details).toEqual([{ path, message: expect.any(String) }]);
  });

  test('bodies that differ in its text alone are two bodies', async () => {
    const key = { 'Idempotency-Key': 'meta-text' };
    const first = await agent.submit(bodyWith('{"n":1.10,"m":2}'), key);
    const spaced = await agent.submit(bodyWith('{ "n": 1.10, "m": 2 }'), key);
    expect([spaced.status, spaced.text]).toEqual([201, first.text]);
    for (const other of ['{"n":1.1,"m":2}', '{"m":2,"n":1.10}', '{"n":1.10,"m":2.0}']) {
      const { status, body } = await agent.submit(bodyWith(other), key);
      expect([status, body.error.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    }
  });
});
