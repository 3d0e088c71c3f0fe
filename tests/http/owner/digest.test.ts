import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { DAY, MINUTE } from '../../../domain/time.ts';
import { auditedModeration } from '../../builders/audited-moderation.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { anOwnerWithAgent, type TestOwner } from '../../harness/owners.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { logIn, NO_RATE_LIMITS, OWN_PAGE } from '../../harness/sessions.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const DIGEST = '/api/v1/owner/events/digest';
const MARK = '/api/v1/owner/events/read-mark';

/** These owners did not register over HTTP: their first sign-in is from a network that is not known. */
const FIRST_SIGN_IN = { kind: 'new_sign_in', unread: 0 };

describe.each(STORAGES)('the digest of an owner on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: AT, env: { ...NO_RATE_LIMITS, TRUST_PROXY: '1' } });
  });
  afterAll(() => service.close());

  const digest = async ({ cookie }: Pick<TestOwner, 'cookie'>) => {
    await service.arrange.settle();
    const { status, body } = await request(service.app).get(DIGEST).set({ cookie: cookie() });
    expect(status).toBe(200);
    return body;
  };
  const mark = ({ cookie }: Pick<TestOwner, 'cookie'>, read_mark: unknown) =>
    request(service.app)
      .put(MARK)
      .set({ cookie: cookie(), ...OWN_PAGE })
      .send({ read_mark });
  async function quarantined({ agent }: TestOwner): Promise<string> {
    const { record_id } = (await agent.submit(aSubmission(AT))).body;
    await auditedModeration(service.ports).quarantine(record_id, 'a test', new Date(AT.getTime() + DAY));
    return record_id;
  }
  const kinds = (body: { readonly lines: readonly { readonly kind: string }[] }) => body.lines.map(({ kind }) => kind);

  test('what is marked as read is so for every session of the owner, and stays in the digest', async () => {
    const owner = await anOwnerWithAgent(service);
    const start = await digest(owner);
    expect((await mark(owner, start.read_mark)).status).toBe(204);
    expect(await digest(owner)).toMatchObject({ unread: 0, read_at: AT.toISOString(), is_cut: false });
    await service.arrange.advance(MINUTE);
    const record_id = await quarantined(owner);
    const unread = await digest(owner);
    expect(unread).toMatchObject({
      unread: 1,
      lines: [{ day: '2026-03-02', kind: 'quarantined', total: 1, unread: 1, subject: record_id }, FIRST_SIGN_IN],
    });
    expect((await mark(owner, unread.read_mark)).status).toBe(204);
    expect(await digest(owner)).toMatchObject({ unread: 0, lines: [{ total: 1, unread: 0 }, FIRST_SIGN_IN] });
    expect((await mark(owner, start.read_mark)).status).toBe(204);
    expect((await digest(owner)).unread).toBe(0);
  });

  test('a sign-in from another network is in it once, one from a known network is not', async () => {
    const owner = await anOwnerWithAgent(service);
    const { read_mark } = await digest(owner);
    await mark(owner, read_mark);
    await service.arrange.advance(MINUTE);
    for (const address of ['203.0.113.7', '203.0.113.8', '203.0.113.7']) {
      await logIn(service, owner.email, { 'x-forwarded-for': address });
      await service.arrange.advance(MINUTE);
    }
    const lines = (await digest(owner)).lines.filter(({ unread }: { unread: number }) => unread > 0);
    expect(lines).toMatchObject([{ kind: 'new_sign_in', total: 2, unread: 1, subject: null }]);
  });

  test('what is no mark is 400 and changes nothing; nobody else has what an owner has', async () => {
    const [owner, other] = [await anOwnerWithAgent(service), await anOwnerWithAgent(service)];
    await quarantined(owner);
    for (const wrong of ['x', '', 7, `${(await digest(other)).read_mark}A`]) {
      const { status, body } = await mark(owner, wrong);
      expect([status, body.error.code, body.error.details[0].path]).toEqual([400, 'VALIDATION_ERROR', 'read_mark']);
    }
    expect(await digest(owner)).toMatchObject({ read_at: null, unread: 2 });
    expect(kinds(await digest(other))).toEqual(['new_sign_in']);
  });

  test('only owners: 401 without a credential, 403 for a key', async () => {
    const { api_key } = await anAgentAt(service);
    for (const send of [() => request(service.app).get(DIGEST), () => request(service.app).put(MARK).send({})]) {
      expect((await send()).status).toBe(401);
      expect((await send().set('x-api-key', api_key)).status).toBe(403);
    }
  });
});
