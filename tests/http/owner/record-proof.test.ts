import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { verifyRecord } from '../../../clients/typescript/verify/record-proof.ts';
import { EXPORT } from '../../../domain/limits.ts';
import { HOUR, MINUTE } from '../../../domain/time.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { aPastCall, COHORTS_AT } from '../../harness/cohorts.ts';
import { KEPT_LOG_POLICY } from '../../harness/kept-logs.ts';
import { logAll } from '../../harness/logged.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { anOwnerLoggedIn, cookieOf, logIn } from '../../harness/sessions.ts';

const PATH = '/api/v1/owner/record-proof';

describe.each(STORAGES)('the whole record of an agent on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: COHORTS_AT, env: { LIMIT_COOLDOWN_SECONDS: '0' } });
    // What is older than the log is imported, without its number.
    await logAll(service);
  });
  afterAll(() => service.close());

  const get = (cookie: string, agent_id: string) => request(service.app).get(PATH).query({ agent_id }).set({ cookie });
  const served = async (path: string) => {
    const { body } = await request(service.app).get(`/log/1/${path}`).buffer().responseType('blob').expect(200);
    return new Uint8Array(body);
  };

  test('is a file that proves all of its decisions, and shows the number of each to its owner', async () => {
    const owner = await anOwnerLoggedIn(service);
    const agent = await anAgentAt(service, { mate: owner });
    const mate = await anAgentAt(service, { mate: owner });
    const ids: string[] = [];
    for (const by of [agent, mate, agent]) ids.push((await by.submit(aPastCall(9 + ids.length))).body.record_id);
    await service.settle();
    await logAll(service);
    const { status, headers, text } = await get(owner.cookie, agent.agent_id);
    expect([status, headers['content-type']]).toEqual([200, 'application/jsonl; charset=utf-8']);
    expect(headers['content-disposition']).toBe(`attachment; filename="${agent.agent_id}.record.jsonl"`);
    const { lines, whole } = await verifyRecord(text, KEPT_LOG_POLICY, { served, stamps: null });
    expect(lines.filter(({ verdict }) => verdict === 'FAILS')).toEqual([]);
    expect(whole).toMatch(new RegExp(`^proved: 2 of 2 decisions of ${agent.agent_id}, `));
    for (const hidden of [owner.owner_id, String(owner.email), mate.agent_id]) expect(text).not.toContain(hidden);
    const { body: page } = await request(service.app)
      .get('/api/v1/owner/decisions')
      .query({ agent_id: agent.agent_id })
      .set({ cookie: owner.cookie });
    const numbers = page.items.map(({ number }: { readonly number: number }) => number);
    expect(numbers.toSorted()).toEqual([1, 2]);
    const { body: detail } = await agent.read(ids[0] ?? '');
    expect(detail.number).toBe(1);
    const { body: seen } = await mate.get(`/api/v1/public/decisions/${ids[0]}`);
    expect(seen).not.toHaveProperty('number');
  });

  test('needs a recent login, an agent of the owner, and is limited as exports are', async () => {
    const owner = await anOwnerLoggedIn(service);
    const agent = await anAgentAt(service, { mate: owner });
    expect((await get(owner.cookie, 'agt_000000000000')).body.error.code).toBe('NOT_FOUND');
    const stranger = await anAgentAt(service);
    expect((await get(owner.cookie, stranger.agent_id)).body.error.code).toBe('NOT_FOUND');
    for (let n = 0; n < EXPORT.perHour; n++) expect((await get(owner.cookie, agent.agent_id)).status).toBe(200);
    expect((await get(owner.cookie, agent.agent_id)).body.error.code).toBe('RATE_LIMIT_EXCEEDED');
    await service.arrange.advance(HOUR + 10 * MINUTE);
    const { body } = await get(owner.cookie, agent.agent_id);
    expect(body.error.code).toBe('REAUTHENTICATION_REQUIRED');
    const cookie = cookieOf(await logIn(service, owner.email));
    expect((await get(cookie, agent.agent_id)).status).toBe(200);
  });
});
