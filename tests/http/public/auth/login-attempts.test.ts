import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import type { Ports } from '../../../../application/ports.ts';
import { wrapCalls } from '../../../../application/transaction-scope.ts';
import { Problem } from '../../../../domain/problem.ts';
import { MINUTE } from '../../../../domain/time.ts';
import { randomName } from '../../../builders/decisions.ts';
import { race } from '../../../contracts/adapters.ts';
import { openService, STORAGES, type TestService } from '../../../harness/service.ts';
import { aPasswordOwner, cookieOf, LOGIN, logIn, NO_RATE_LIMITS, PASSWORD } from '../../../harness/sessions.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');

describe.each(STORAGES)('attempts to log in on %s', (storage) => {
  let service: TestService;
  /** The names of the port methods that the use cases have called. */
  let calledPorts: string[];
  let full: boolean;
  beforeAll(async () => {
    service = await openService(storage, { at: AT, env: NO_RATE_LIMITS, ports: watched });
  });
  beforeEach(async () => {
    calledPorts = [];
    full = false;
    await service.arrange.advance(15 * MINUTE);
  });
  afterAll(() => service.close());

  function watched({ owners, logins, sessions, securityEvents, passwords, clock }: Ports): Partial<Ports> {
    const verify = async (password: string, hash: string | null) => {
      calledPorts.push('passwords.verify');
      if (full) throw new Problem('SERVICE_UNAVAILABLE', 'Too many are being checked.');
      return passwords.verify(password, hash);
    };
    const stores = wrapCalls({ owners, logins, sessions, securityEvents, clock }, async (name, call) => {
      calledPorts.push(name);
      return call();
    });
    return { ...stores, passwords: { ...passwords, verify } };
  }

  const attempt = (email: string, password = 'wrong') => request(service.app).post(LOGIN).send({ email, password });
  const hashes = () => calledPorts.filter((name) => name === 'passwords.verify').length;
  const times = async (count: number, work: () => PromiseLike<unknown>) => {
    for (let done = 0; done < count; done += 1) await work();
  };

  test('429 RATE_LIMIT_EXCEEDED after 10 that failed, the right password too, until the window ends', async () => {
    const { email } = await aPasswordOwner(service);
    const other = await aPasswordOwner(service);
    const open = cookieOf(await logIn(service, email));
    await service.arrange.advance(5 * MINUTE);
    await times(10, () => attempt(email));
    calledPorts = [];
    const reply = await attempt(email.toUpperCase(), PASSWORD);
    expect([reply.status, reply.body.error.code, reply.body.error.category]).toEqual([
      429,
      'RATE_LIMIT_EXCEEDED',
      'retryable',
    ]);
    expect(reply.body.error.retry_after_seconds).toBe(600);
    expect(reply.headers).toMatchObject({ 'retry-after': '600' });
    expect(hashes()).toBe(0);
    expect((await logIn(service, other.email)).status).toBe(200);
    const bySession = await request(service.app).get('/api/v1/owner/legal-status').set({ cookie: open });
    expect(bySession.status).toBe(200);
    await service.arrange.advance(10 * MINUTE);
    expect((await attempt(email, PASSWORD)).status).toBe(200);
  });

  test('a successful login removes its own attempt from the count, and no other', async () => {
    const { email } = await aPasswordOwner(service);
    await logIn(service, email);
    await times(9, () => attempt(email));
    await times(5, async () => expect((await attempt(email, PASSWORD)).status).toBe(200));
    expect((await attempt(email)).status).toBe(401);
    expect((await attempt(email, PASSWORD)).status).toBe(429);
  });

  test('at most 10 of 20 simultaneous attempts are checked', async () => {
    const { email } = await aPasswordOwner(service);
    calledPorts = [];
    const replies = await race(20, () => attempt(email));
    const count = (wanted: number) => replies.filter(({ status }) => status === wanted).length;
    expect([count(401), count(429), hashes()]).toEqual([10, 10, 10]);
  });

  test('an attempt that was not checked does not count', async () => {
    const { email } = await aPasswordOwner(service);
    full = true;
    await times(12, async () => expect((await attempt(email, PASSWORD)).status).toBe(503));
    full = false;
    expect((await attempt(email, PASSWORD)).status).toBe(200);
  });

  test('an unknown email cannot be distinguished from a known one by replies, headers, reads or password hashes', async () => {
    const { email } = await aPasswordOwner(service);
    const [known, unknown] = [await elevenOn(email), await elevenOn(`${randomName()}@example.com`)];
    expect(unknown).toEqual(known);
    expect(known.map(({ status }) => status)).toEqual([...Array(10).fill(401), 429]);
    expect(known[0]?.calledPorts).toEqual([
      'owners.findByEmail',
      'securityEvents.hasLoggedIn',
      'logins.count',
      'passwords.verify',
      'securityEvents.append',
    ]);
  });

  /** The replies to eleven attempts, and the port methods that each one called. */
  async function elevenOn(email: string) {
    const seen: {
      readonly status: number;
      readonly calledPorts: readonly string[];
      readonly [more: string]: unknown;
    }[] = [];
    await times(11, async () => {
      calledPorts = [];
      const { status, body, headers } = await attempt(email);
      const { 'x-request-id': id, date, 'x-ratelimit-remaining': left, ...rest } = headers;
      seen.push({ status, body: { error: { ...body.error, request_id: '' } }, headers: rest, calledPorts });
      expect([typeof id, typeof date, typeof left]).toEqual(['string', 'string', 'string']);
    });
    return seen;
  }
});
