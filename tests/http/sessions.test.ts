import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import type { Ports } from '../../application/ports.ts';
import { HOUR } from '../../domain/time.ts';
import { openService, STORAGES, type TestService } from '../harness/service.ts';
import {
  anOwnerLoggedIn,
  aPasswordOwner,
  cookieOf,
  LOGOUT,
  logIn,
  NO_RATE_LIMITS,
  OWN_PAGE,
} from '../harness/sessions.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const STATUS = '/api/v1/owner/legal-status';
const SESSIONS = '/api/v1/owner/auth/sessions';

describe.each(STORAGES)('sessions on %s', (storage) => {
  let service: TestService;
  let held: () => Promise<void>;
  beforeAll(async () => {
    held = async () => undefined;
    service = await openService(storage, { at: AT, env: NO_RATE_LIMITS, ports: holding });
  });
  afterAll(() => service.close());

  /** A request for the legal status waits for `held` in its handler. */
  function holding({ profiles }: Ports): Partial<Ports> {
    return {
      profiles: {
        ...profiles,
        async lastAcceptance(owner_id) {
          await held();
          return profiles.lastAcceptance(owner_id);
        },
      },
    };
  }

  const statusFor = async (cookie: string) => (await request(service.app).get(STATUS).set({ cookie })).status;

  /** A request that is judged by its session, and answered once it is released; `late` is its status. */
  const requestUnderWay = async (cookie: string) => {
    const [under, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    held = () => {
      under.resolve();
      return released.promise;
    };
    const late = statusFor(cookie);
    await under.promise;
    held = async () => undefined;
    return { late, release: released.resolve };
  };

  test('a request that a logout overtakes is answered, and does not bring the session back', async () => {
    const { cookie } = await anOwnerLoggedIn(service);
    await service.arrange.advance(HOUR);
    const { late, release } = await requestUnderWay(cookie);
    const logout = await request(service.app)
      .post(LOGOUT)
      .set({ cookie, ...OWN_PAGE });
    expect(logout.status).toBe(204);
    expect(await statusFor(cookie)).toBe(401);
    release();
    expect(await late).toBe(200);
    await service.arrange.advance(HOUR);
    expect(await statusFor(cookie)).toBe(401);
  });

  test('a login never adopts the session id of the request, and an open session with that id ends', async () => {
    const attacker = await anOwnerLoggedIn(service);
    const victim = await aPasswordOwner(service);
    const reply = await logIn(service, victim.email, { cookie: attacker.cookie });
    expect(reply.body.owner_id).toBe(victim.owner_id);
    expect(cookieOf(reply)).not.toBe(attacker.cookie);
    expect([await statusFor(attacker.cookie), await statusFor(cookieOf(reply))]).toEqual([401, 200]);
  });

  const sessionsBy = (cookie: string) => request(service.app).get(SESSIONS).set({ cookie });
  const end = (cookie: string, name = '') =>
    request(service.app)
      .delete(`${SESSIONS}${name}`)
      .set({ cookie, ...OWN_PAGE });

  test('an owner lists the open sessions, the last used first, without the ids themselves', async () => {
    const { cookie, email } = await anOwnerLoggedIn(service);
    await service.arrange.advance(HOUR);
    const other = cookieOf(await logIn(service, email));
    const { status, body, text } = await sessionsBy(other);
    expect([status, body.next_cursor]).toEqual([200, null]);
    const at = await service.ports.clock.now();
    const before = new Date(at.getTime() - HOUR).toISOString();
    expect(body.items).toMatchObject([
      { created_at: at.toISOString(), last_used_at: at.toISOString(), current: true },
      { created_at: before, last_used_at: before, current: false },
    ]);
    for (const each of [cookie, other]) expect(text).not.toContain(each.replace(/^.*=/, ''));
    await service.arrange.advance(11 * HOUR);
    expect((await sessionsBy(other)).body.items).toMatchObject([{ current: true }]);
  });

  test('an owner ends one session by its name, the others, or the own', async () => {
    const { cookie, email } = await anOwnerLoggedIn(service);
    const { cookie: foreign } = await anOwnerLoggedIn(service);
    const [first, second, third] = [
      cookieOf(await logIn(service, email)),
      cookieOf(await logIn(service, email)),
      cookieOf(await logIn(service, email)),
    ];
    const nameOf = async (of: string) =>
      (await sessionsBy(of)).body.items.find(({ current }: { current: boolean }) => current).session_id;
    const name = await nameOf(first);
    expect((await end(foreign, `/${name}`)).body.error.code).toBe('NOT_FOUND');
    expect((await end(cookie, `/${name}`)).status).toBe(204);
    expect((await end(cookie, `/${name}`)).body.error.code).toBe('NOT_FOUND');
    expect(await Promise.all([first, second].map(statusFor))).toEqual([401, 200]);
    expect((await end(cookie)).body).toEqual({ sessions_ended: 2 });
    const owner_id = (await service.ports.owners.findByEmail(email))?.owner_id;
    const ended = await service.ports.securityEvents.list({ owner_id, kind: 'session_ended' }, null, 10);
    expect(ended.map(({ subject }) => subject)).toEqual([null, name]);
    expect(await Promise.all([cookie, second, third, foreign].map(statusFor))).toEqual([200, 401, 401, 200]);
    expect((await end(cookie, `/${await nameOf(cookie)}`)).status).toBe(204);
    expect(await statusFor(cookie)).toBe(401);
  });

  test.each(['', '/name'])('a request in flight does not bring back a session that DELETE %s ended', async (which) => {
    const { cookie, email } = await anOwnerLoggedIn(service);
    const [named] = (await sessionsBy(cookie)).body.items;
    const other = cookieOf(await logIn(service, email));
    await service.arrange.advance(HOUR);
    const { late, release } = await requestUnderWay(cookie);
    expect((await end(other, which && `/${named.session_id}`)).status).toBe(which ? 204 : 200);
    release();
    expect([await late, await statusFor(cookie)]).toEqual([200, 401]);
    expect((await sessionsBy(other)).body.items).toHaveLength(1);
  });

  test('only the first of two cookies of one name is checked, so that a planted second one has no effect', async () => {
    const [one, other] = [await anOwnerLoggedIn(service), await anOwnerLoggedIn(service)];
    await request(service.app)
      .post(LOGOUT)
      .set({ cookie: one.cookie, ...OWN_PAGE });
    expect(await statusFor(`${one.cookie}; ${other.cookie}`)).toBe(401);
    expect(await statusFor(`${other.cookie}; ${one.cookie}`)).toBe(200);
  });
});
