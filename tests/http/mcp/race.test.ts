import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CONTRACT_LIMITS } from '../../../domain/limits.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { bodyIn, messageIn, post, toolCall } from './stage.ts';

const AT = new Date('2017-06-05T12:20:00.000Z');

describe.each(STORAGES)('REST and MCP at the same time, on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  beforeAll(async () => {
    const fast = { LIMIT_RATE_PER_SECOND: '10000', LIMIT_RATE_PER_MINUTE: '10000' };
    service = await openService(storage, { at: AT, limits: 'contract', env: fast });
    agent = await anAgentAt(service);
  });
  afterAll(() => service.close());

  const byTool = async (name: string, sent: unknown) => {
    const reply = await post(service.app, { 'x-api-key': agent.api_key }, toolCall(name, JSON.stringify(sent)));
    const result = messageIn(reply).result ?? { content: [] };
    return result.isError ? bodyIn(result).error.code : 'served';
  };
  const codeOf = ({
    status,
    body,
  }: {
    readonly status: number;
    readonly body: { readonly error?: { code: string } };
  }) => (status < 300 ? 'served' : body.error?.code);

  test('take the units of one pool, each once', async () => {
    const rounds = Array.from({ length: CONTRACT_LIMITS.queryPerDay }, (_, index) => index);
    const codes = await Promise.all(
      rounds.flatMap(() => [
        byTool('query_cohort', { market: 'stock' }),
        agent.get('/api/v1/agent/wisdom?market=stock').then(codeOf),
      ]),
    );
    const served = codes.filter((code) => code === 'served');
    expect(served).toHaveLength(CONTRACT_LIMITS.queryPerDay);
    expect(new Set(codes)).toEqual(new Set(['served', 'DAILY_QUOTA_EXCEEDED']));
    const { body } = await agent.get('/api/v1/public/auth/status?include=quota');
    expect(body.quota.query).toMatchObject({ used: CONTRACT_LIMITS.queryPerDay, remaining: 0 });
  });

  test('submit one decision under one idempotency key, and hold one cooldown', async () => {
    const decision = aSubmission(AT);
    const keyed = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        index % 2 === 0
          ? byTool('submit_decision', { decision, idempotency_key: 'race' })
          : agent.submit(decision, { 'idempotency-key': 'race' }).then(codeOf),
      ),
    );
    expect(new Set(keyed)).toEqual(new Set(['served']));
    const bare = await Promise.all([byTool('submit_decision', { decision }), agent.submit(decision).then(codeOf)]);
    expect(bare).toEqual(['DUPLICATE_SUBMISSION', 'DUPLICATE_SUBMISSION']);
    expect((await agent.get('/api/v1/agent/decisions')).body.items).toHaveLength(1);
  });
});
