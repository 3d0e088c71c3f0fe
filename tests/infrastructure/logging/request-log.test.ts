import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const AT = new Date('2017-06-05T12:20:00.000Z');
const CANARY = 'canary-7f3a9';
const PASSWORD = `${CANARY} is a password of words`;

/** What a driver's error may quote. */
const driverFault = () =>
  Object.assign(new Error(`invalid input: "${CANARY}"`, { cause: new Error(CANARY) }), {
    code: 'XX000',
    detail: CANARY,
    query: `select '${CANARY}'`,
    parameters: [CANARY],
  });

describe.each(STORAGES)('the log, on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  let failing = false;
  beforeAll(async () => {
    service = await openService(storage, {
      at: AT,
      env: { LIMIT_COOLDOWN_SECONDS: '0' },
      ports: ({ intake, decisions, replies }) => ({
        intake: {
          ...intake,
          submit: async (draft) => (failing ? Promise.reject(driverFault()) : intake.submit(draft)),
        },
        decisions: {
          ...decisions,
          find: async (ids, viewer) => (failing ? Promise.reject(driverFault()) : decisions.find(ids, viewer)),
        },
        replies: {
          ...replies,
          find: async (...args) => (failing ? Promise.reject(driverFault()) : replies.find(...args)),
        },
      }),
    });
    agent = await anAgentAt(service);
  });
  afterAll(() => service.close());

  const lines = () => service.log.map((line) => JSON.parse(line));
  const requestLines = () => lines().filter(({ message }) => message === 'request');

  test('each request writes one line, with the request id that the reply carries', async () => {
    const before = requestLines().length;
    const replies = [
      await agent.submit(aSubmission(AT)),
      await agent.submit('{'),
      await agent.read('dec_20170605_00000000'),
      await agent.get('/no/such/path?with=query'),
      await request(service.app).get('/healthz'),
      await request(service.app).delete('/healthz'),
      await request(service.app).get('/%ff'),
      await agent.state('dec_20170605_00000000').set('x-request-id', 'my-own.id'),
    ];
    const written = requestLines().slice(before);
    expect(written.map(({ request_id }) => request_id)).toEqual(replies.map(({ headers }) => headers['x-request-id']));
    expect(written.at(-1).request_id).toBe('my-own.id');
    expect(
      written.map(({ method, route, status, code = null, level }) => [method, route, status, code, level]),
    ).toEqual([
      ['POST', '/api/v1/agent/decisions', 201, null, 'http'],
      ['POST', '/api/v1/agent/decisions', 400, 'MALFORMED_BODY', 'http'],
      ['GET', '/api/v1/agent/decisions/{record_id}', 404, 'NOT_FOUND', 'http'],
      ['GET', null, 404, 'NOT_FOUND', 'http'],
      ['GET', '/healthz', 200, null, 'http'],
      ['DELETE', null, 405, 'METHOD_NOT_ALLOWED', 'http'],
      ['GET', null, 400, 'VALIDATION_ERROR', 'http'],
      ['GET', '/api/v1/agent/decisions/{record_id}/state', 404, 'NOT_FOUND', 'http'],
    ]);
    for (const { duration_ms } of written) expect(duration_ms).toBeGreaterThanOrEqual(0);
  });

  test('a fault is an error line, and the request’s line too', async () => {
    failing = true;
    const before = lines().length;
    const { status, headers, text } = await agent.submit(aSubmission(AT));
    failing = false;
    expect([status, text.includes(CANARY)]).toEqual([500, false]);
    const written = lines().slice(before);
    expect(written.map(({ level, message }) => [level, message])).toEqual([
      ['error', 'A request failed'],
      ['error', 'request'],
    ]);
    expect(new Set(written.map(({ request_id }) => request_id))).toEqual(new Set([headers['x-request-id']]));
    expect(written[0].error).toMatchObject({ name: 'Error', code: 'XX000' });
  });

  test('no secret and nothing that callers sent is ever written, faults included', async () => {
    const body = { ...aSubmission(AT, { summary: CANARY, tags: [CANARY] }), meta: { [CANARY]: CANARY } };
    const registration = { email: `${CANARY}@example.com`, password: PASSWORD, agent_name: CANARY };
    const post = (path: string, sent: object) => request(service.app).post(path).send(sent);
    for (const faulty of [false, true]) {
      failing = faulty;
      await agent.submit(body, { 'Idempotency-Key': CANARY });
      await agent.submit({ ...body, [CANARY]: CANARY });
      await agent.submit(`{"${CANARY}`);
      await agent.preview({ ...body, venue: CANARY });
      await agent.batch([CANARY]);
      await agent.read(CANARY);
      await agent.get(`/${CANARY}?${CANARY}=${CANARY}`);
      await agent.get('/api/v1/agent/decisions').set('Cookie', `sid=${CANARY}`).set('User-Agent', CANARY);
      await agent.get('/healthz').set('x-request-id', `${CANARY} with blanks`);
      await post('/api/v1/public/auth/register', registration);
      await post('/api/v1/public/auth/quick-setup', { ...registration, email: `2-${registration.email}` });
      await post('/api/v1/public/auth/register', { ...registration, password: CANARY });
      await request(service.app).get('/api/v1/agent/decisions/x').set('Authorization', `Bearer ${CANARY}`);
    }
    failing = false;
    await service.settle();
    const written = service.log.join('\n');
    expect(written).toContain('"status":500');
    for (const secret of [CANARY, agent.api_key, agent.api_key.slice(13), agent.email]) {
      expect(written.includes(secret)).toBe(false);
    }
  });
});
