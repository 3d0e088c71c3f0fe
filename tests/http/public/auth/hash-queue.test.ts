import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { HASH_QUEUE, HASH_REFUSALS, hashQueue } from '../../../../adapters/identity/passwords.ts';
import type { Ports } from '../../../../application/ports.ts';
import type { HashTurn } from '../../../../domain/accounts/sign-in/password.ts';
import { openService, STORAGES, type TestService } from '../../../harness/service.ts';
import { anOwnerLoggedIn, logIn, NO_RATE_LIMITS, OWN_PAGE, PASSWORD } from '../../../harness/sessions.ts';

const [ACCOUNTS, CHANGES] = [12, 9];
const ATTACKER = { 'x-forwarded-for': '198.51.100.7' };
const VICTIM = { 'x-forwarded-for': '203.0.113.9' };

describe.each(STORAGES)('the queue for password hashes on %s', (storage) => {
  let service: TestService;
  /** While it is set, hashes wait for it, and `begun` names them in their order. */
  let gate: Promise<void> | undefined;
  const begun: string[] = [];
  let queued = 0;
  beforeAll(async () => {
    service = await openService(storage, {
      at: new Date('2026-03-02T12:00:00.000Z'),
      env: { ...NO_RATE_LIMITS, TRUST_PROXY: '1' },
      ports: held,
    });
  });
  afterAll(() => service.close());

  /** The queue of production; each hash waits for the gate. */
  function held({ passwords }: Ports): Partial<Ports> {
    const inTurn = hashQueue(HASH_QUEUE, HASH_REFUSALS);
    const gated = <T>(work: () => Promise<T>, turn: HashTurn | undefined) => {
      queued += 1;
      return inTurn(async () => {
        begun.push(turn?.purpose ?? 'operator');
        await gate;
        return work();
      }, turn);
    };
    return {
      passwords: {
        ...passwords,
        hash: (password, turn) => gated(() => passwords.hash(password), turn),
        verify: (password, hash, turn) => gated(() => passwords.verify(password, hash), turn),
      },
    };
  }

  test('108 password changes of 12 accounts at one address: 20 are queued, and a login elsewhere goes before them', async () => {
    const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => anOwnerLoggedIn(service)));
    const victim = await anOwnerLoggedIn(service);
    const { promise, resolve } = Promise.withResolvers<void>();
    [gate, queued, begun.length] = [promise, 0, 0];
    const refused: request.Response[] = [];
    const changes = accounts.flatMap(({ cookie }) =>
      Array.from({ length: CHANGES }, async (_, n) => {
        const body = { current_password: PASSWORD, new_password: `five other words, spaced ${n}` };
        const reply = await request(service.app)
          .put('/api/v1/owner/password')
          .set({ cookie, ...OWN_PAGE, ...ATTACKER })
          .send(body);
        if (reply.status === 429) refused.push(reply);
        return reply.status;
      }),
    );
    await until(() => refused.length === ACCOUNTS * CHANGES - HASH_QUEUE.ofNetwork);
    for (const { body, headers } of refused) {
      expect(body.error.code).toBe('RATE_LIMIT_EXCEEDED');
      expect(headers['retry-after']).toBe(String(body.error.retry_after_seconds));
    }
    const before = queued;
    const login = logIn(service, victim.email, VICTIM).then(({ status }) => status);
    await until(() => queued > before);
    expect(begun).toEqual(['change', 'change']);
    resolve();
    expect(await login).toBe(200);
    expect(begun[2]).toBe('login');
    const statuses = await Promise.all(changes);
    const changed = statuses.filter((status) => status === 204);
    expect(changed.length).toBeGreaterThanOrEqual(HASH_QUEUE.ofNetwork / HASH_QUEUE.ofOwner);
    expect(statuses.filter((status) => status === 401)).toHaveLength(HASH_QUEUE.ofNetwork - changed.length);
    gate = undefined;
  });
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
