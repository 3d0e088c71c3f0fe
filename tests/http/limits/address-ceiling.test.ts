import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const STATUS = '/api/v1/public/auth/status';

describe.each(STORAGES)('the ceiling of an address on %s', (storage) => {
  let service: TestService;
  let agents: readonly TestAgent[];
  let judged = 0;
  beforeAll(async () => {
    service = await openService(storage, {
      at: new Date('2026-03-02T12:00:00.000Z'),
      env: { LIMIT_CREDENTIALED_PER_MINUTE: '3' },
      ports: ({ admission }) => ({
        admission: {
          ...admission,
          admit(request) {
            judged += 1;
            return admission.admit(request);
          },
        },
      }),
    });
    agents = [await anAgentAt(service), await anAgentAt(service)];
  });
  afterAll(() => service.close());

  test('429 for further requests of all its keys, before the storage is asked', async () => {
    judged = 0;
    const replies = [];
    // The minute of the process may end once meanwhile.
    for (let n = 0; n < 8; n += 1) replies.push(await agents[n % 2]?.get(STATUS));
    const refused = replies.filter((reply) => reply?.status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(2);
    expect(judged).toBe(replies.length - refused.length);
    for (const reply of refused) {
      expect(reply?.body.error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', category: 'retryable' });
      const { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining } = reply?.headers ?? {};
      expect([limit, remaining]).toEqual(['3', '0']);
      expect(Number(reply?.headers['retry-after'])).toBeGreaterThan(0);
      expect(Number(reply?.headers['x-ratelimit-reset']) % 60).toBe(0);
    }
  });
});
