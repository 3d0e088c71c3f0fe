import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { resetPassword } from '../../../../application/accounts/operators/reset-access.ts';
import { DAY, MINUTE } from '../../../../domain/time.ts';
import { race } from '../../../contracts/adapters.ts';
import { openService, STORAGES, type TestService } from '../../../harness/service.ts';
import { aPasswordOwner, LOGIN, NO_RATE_LIMITS, OWN_PAGE, PASSWORD } from '../../../harness/sessions.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const [HOME, ABROAD, ATTACKER] = ['203.0.113.9', '192.0.2.44', '198.51.100.7'];
const NEW = 'five other words, spaced alike';

interface From {
  readonly address: string;
  readonly cookies?: readonly string[];
}

describe.each(STORAGES)('who guesses elsewhere locks nobody out, on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: AT, env: { ...NO_RATE_LIMITS, TRUST_PROXY: '1' } });
  });
  beforeEach(() => service.arrange.advance(15 * MINUTE));
  afterAll(() => service.close());

  const headersOf = ({ address, cookies = [] }: From) => ({ 'x-forwarded-for': address, cookie: cookies.join('; ') });
  const logIn = (email: string, from: From, password = PASSWORD) =>
    request(service.app).post(LOGIN).set(headersOf(from)).send({ email, password });
  const statusOf = async (email: string, from: From, password = PASSWORD) =>
    (await logIn(email, from, password)).status;
  const guess = async (email: string, from: From, count = 10) => {
    const statuses = [];
    for (let n = 0; n < count; n += 1) statuses.push(await statusOf(email, from, 'wrong'));
    return statuses;
  };
  /** The cookies of session and device that a browser gets. */
  const cookiesOf = ({ headers }: request.Response): string[] =>
    [headers['set-cookie'] ?? []].flat().map((set: string) => set.replace(/;.*/, ''));
  const deviceOf = async (email: string, from: From) =>
    cookiesOf(await logIn(email, from)).filter((cookie) => cookie.startsWith('device='));
  const failed = Array(10).fill(401);

  test('a network that has logged in before is admitted while another one guesses, and a new one is not', async () => {
    const { email } = await aPasswordOwner(service);
    expect(await statusOf(email, { address: HOME })).toBe(200);
    expect(await guess(email, { address: ATTACKER }, 11)).toEqual([...failed, 429]);
    expect(await statusOf(email, { address: ABROAD })).toBe(429);
    expect(await statusOf(email, { address: HOME })).toBe(200);
    expect(await guess(email, { address: HOME }, 11)).toEqual([...failed, 429]);
    expect(await statusOf(email, { address: HOME })).toBe(429);
  });

  test('a browser that has logged in before is admitted from any network, also from that of the attacker', async () => {
    const { email } = await aPasswordOwner(service);
    const cookies = await deviceOf(email, { address: HOME });
    expect(cookies).toHaveLength(1);
    await guess(email, { address: ATTACKER });
    await guess(email, { address: HOME });
    expect(await statusOf(email, { address: HOME })).toBe(429);
    const reply = await logIn(email, { address: ATTACKER, cookies });
    expect(reply.status).toBe(200);
    expect(reply.headers['set-cookie']?.[1]).toMatch(
      /^device=[\w.-]+; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Lax$/,
    );
    expect(await guess(email, { address: HOME, cookies }, 11)).toEqual([...failed, 429]);
    // Renewed, it is the same device.
    expect(await statusOf(email, { address: HOME, cookies: cookiesOf(reply).slice(1) })).toBe(429);
  });

  test('the cookie of another account, or a forged one, is of no use', async () => {
    const [victim, attacker] = [await aPasswordOwner(service), await aPasswordOwner(service)];
    const cookies = await deviceOf(attacker.email, { address: ATTACKER });
    await guess(victim.email, { address: ATTACKER, cookies });
    const forged = ['device=AAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'];
    for (const tried of [cookies, forged, ['device='], ['device=x']]) {
      expect(await statusOf(victim.email, { address: ATTACKER, cookies: tried }, 'wrong')).toBe(429);
    }
  });

  test.each(['device', 'network'])('of 20 guesses at once of a known %s 10 are checked', async (kind) => {
    const { email } = await aPasswordOwner(service);
    const cookies = await deviceOf(email, { address: HOME });
    const from = kind === 'device' ? { address: ABROAD, cookies } : { address: HOME };
    const statuses = await race(20, () => statusOf(email, from, 'wrong'));
    expect(statuses.toSorted()).toEqual([...failed, ...Array(10).fill(429)]);
  });

  test('a change of the password forgets all but the browser and network that made it; a reset forgets all', async () => {
    const { email } = await aPasswordOwner(service);
    const [old, current] = [await logIn(email, { address: ABROAD }), await logIn(email, { address: HOME })];
    await service.arrange.advance(1_000);
    const changed = await request(service.app)
      .put('/api/v1/owner/password')
      .set({ ...headersOf({ address: HOME, cookies: cookiesOf(current) }), ...OWN_PAGE })
      .send({ current_password: PASSWORD, new_password: NEW });
    expect(changed.status).toBe(204);
    await guess(email, { address: ATTACKER });
    expect(await statusOf(email, { address: ABROAD, cookies: cookiesOf(old) }, NEW)).toBe(429);
    expect(await statusOf(email, { address: HOME }, NEW)).toBe(200);
    expect(await statusOf(email, { address: ATTACKER, cookies: cookiesOf(changed) }, NEW)).toBe(200);
    await service.arrange.advance(1_000);
    await resetPassword({ ...service.ports, ...service.operators }, email, PASSWORD, 'test');
    await guess(email, { address: ATTACKER });
    expect(await statusOf(email, { address: HOME, cookies: cookiesOf(changed) })).toBe(429);
  });

  test('a network is known for 30 days after its last login', async () => {
    const { email } = await aPasswordOwner(service);
    await logIn(email, { address: HOME });
    await service.arrange.advance(30 * DAY - MINUTE);
    await guess(email, { address: ATTACKER });
    expect(await statusOf(email, { address: HOME }, 'wrong')).toBe(401);
    await service.arrange.advance(15 * MINUTE);
    await guess(email, { address: ATTACKER });
    expect(await statusOf(email, { address: HOME })).toBe(429);
  });

  test('who guesses elsewhere keeps nobody from changing the password', async () => {
    const { email } = await aPasswordOwner(service);
    const cookies = cookiesOf(await logIn(email, { address: HOME }));
    await guess(email, { address: ATTACKER });
    const reply = await request(service.app)
      .put('/api/v1/owner/password')
      .set({ ...headersOf({ address: HOME, cookies }), ...OWN_PAGE })
      .send({ current_password: PASSWORD, new_password: NEW });
    expect(reply.status).toBe(204);
  });
});
