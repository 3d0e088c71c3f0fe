import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { DAY } from '../../../domain/time.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { race } from '../../contracts/adapters.ts';
import { aKeyHolder, type KeyHolder } from '../../harness/api-keys.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { cookieOf, logIn, NO_RATE_LIMITS, OWN_PAGE } from '../../harness/sessions.ts';

const AT = new Date('2017-06-05T12:00:00.000Z');
const AGENTS = '/api/v1/owner/agents';

describe.each(STORAGES)('agents that are archived and removed, on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    const env = { ...NO_RATE_LIMITS, LIMIT_COOLDOWN_SECONDS: '0' };
    service = await openService(storage, { at: AT, env });
  });
  afterAll(() => service.close());

  const codeOf = ({ status, body }: request.Response) => [status, body.error?.code];
  const post = ({ headers }: KeyHolder, path: string) => request(service.app).post(`${AGENTS}/${path}`).set(headers);
  const archive = (holder: KeyHolder, agent_id: string) => post(holder, `${agent_id}/archive`);
  const restore = (holder: KeyHolder, agent_id: string) => post(holder, `${agent_id}/restore`);
  const remove = ({ headers }: KeyHolder, agent_id: string) =>
    request(service.app).delete(`${AGENTS}/${agent_id}`).set(headers);
  const list = async ({ headers }: KeyHolder, query = '') =>
    (await request(service.app).get(`${AGENTS}${query}`).set(headers)).body;
  const idsOf = async (holder: KeyHolder, query = '') =>
    (await list(holder, query)).items.map(({ agent_id }: { agent_id: string }) => agent_id);
  const submit = async (api_key: string) =>
    request(service.app)
      .post('/api/v1/agent/decisions')
      .set('X-API-Key', api_key)
      .send(aSubmission(await service.ports.clock.now()));

  test('an archived agent is out of the list, submits no more, gets no key, and comes back without keys', async () => {
    const holder = await aKeyHolder(service);
    const { agent_id, api_key, key_prefix } = (await holder.create({ agent_name: 'Scout' })).body;
    const { record_id } = (await submit(api_key)).body;
    const archived = await archive(holder, agent_id);
    const archived_at = AT.toISOString();
    const created_at = AT.toISOString();
    expect([archived.status, archived.body]).toEqual([200, { agent_id, name: 'Scout', created_at, archived_at }]);
    expect((await submit(api_key)).status).toBe(401);
    expect(codeOf(await archive(holder, agent_id))).toEqual([409, 'AGENT_ARCHIVED']);
    expect(codeOf(await holder.create({ agent_id }))).toEqual([409, 'AGENT_ARCHIVED']);
    expect(await idsOf(holder)).toEqual([]);
    expect((await list(holder, '?include_archived=true')).items).toMatchObject([{ agent_id, archived_at, keys: [] }]);
    const dashboard = await request(service.app).get('/api/v1/owner/dashboard').set(holder.headers);
    expect(dashboard.body).toMatchObject({ agents: 0, keys: 0, decisions: { by_state: { pending_verify: 1 } } });
    const path = `/api/v1/owner/decisions/${record_id}`;
    expect((await request(service.app).get(path).set(holder.headers)).body).toMatchObject({ record_id, agent_id });
    const record = await request(service.app).get(`${AGENTS}/${agent_id}/track-record`).set(holder.headers);
    expect(record.body.submission_count).toBe(1);
    const restored = await restore(holder, agent_id);
    expect([restored.status, restored.body.archived_at]).toEqual([200, null]);
    expect((await restore(holder, agent_id)).body).toEqual(restored.body);
    expect((await submit(api_key)).status).toBe(401);
    expect((await holder.create({ agent_id })).status).toBe(201);
    const { owner_id } = holder;
    const events = await service.ports.securityEvents.list({ owner_id, kind: 'key_revoked' }, null, 5);
    expect(events.map(({ subject }) => subject)).toEqual([key_prefix]);
    const audit = await service.ports.audit.about(agent_id, 5);
    expect(audit.map(({ actor, action }) => [actor, action])).toEqual([
      [owner_id, 'restore_agent'],
      [owner_id, 'restore_agent'],
      [owner_id, 'archive_agent'],
    ]);
  });

  test('an agent without records is removed; one with a record is not, and the refusal says to archive it', async () => {
    const holder = await aKeyHolder(service);
    const [unused, used] = [(await holder.create()).body, (await holder.create()).body];
    await submit(used.api_key);
    expect((await remove(holder, unused.agent_id)).status).toBe(204);
    expect(codeOf(await remove(holder, unused.agent_id))).toEqual([404, 'NOT_FOUND']);
    expect((await submit(unused.api_key)).status).toBe(401);
    const refused = await remove(holder, used.agent_id);
    expect(codeOf(refused)).toEqual([409, 'AGENT_HAS_RECORDS']);
    expect(refused.body.error.suggestion).toContain('/archive');
    expect((await submit(used.api_key)).status).toBe(201);
    expect(await idsOf(holder, '?include_archived=true')).toEqual([used.agent_id]);
  });

  test('another owner finds no such agent, as if it never was', async () => {
    const [holder, stranger] = [await aKeyHolder(service), await aKeyHolder(service)];
    const { agent_id } = (await holder.create()).body;
    for (const act of [archive, restore, remove]) {
      expect(codeOf(await act(stranger, agent_id))).toEqual([404, 'NOT_FOUND']);
      expect((await act(stranger, 'me')).status).toBe(400);
    }
    expect(await idsOf(holder)).toEqual([agent_id]);
  });

  test('a full account archives one for another; as many archivings a day as the tier holds agents', async () => {
    const holder = await aKeyHolder(service);
    const add = async () => (await holder.create({ agent_name: 'Scout' })).body;
    const full = async () => codeOf(await restore(holder, archived[0] ?? ''));
    const archived: string[] = [];
    for (let each = 0; each < 10; each += 1) {
      const { agent_id } = await add();
      archived.push(agent_id);
      expect((await archive(holder, agent_id)).status).toBe(200);
    }
    for (let each = 0; each < 10; each += 1) {
      const { agent_id, key_prefix } = await add();
      expect(agent_id).toBeDefined();
      await holder.revoke(key_prefix);
    }
    expect(await full()).toEqual([429, 'TIER_LIMIT_REACHED']);
    const [oldest = ''] = await idsOf(holder);
    const refused = await archive(holder, oldest);
    expect(codeOf(refused)).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(refused.body.error.retry_after_seconds).toBe(12 * 3_600);
    await service.arrange.advance(DAY);
    const cookie = cookieOf(await logIn(service, holder.email));
    const tomorrow = { ...holder, headers: { cookie, ...OWN_PAGE } };
    expect((await archive(tomorrow, oldest)).status).toBe(200);
    expect((await restore(tomorrow, archived[0] ?? '')).status).toBe(200);
    const page = await list(tomorrow, '?include_archived=true&limit=15');
    const rest = await list(tomorrow, `?include_archived=true&limit=15&cursor=${page.next_cursor}`);
    expect([page.items.length, rest.items.length, rest.next_cursor]).toEqual([15, 5, null]);
    expect((await list(tomorrow, `?cursor=${page.next_cursor}`)).error.code).toBe('VALIDATION_ERROR');
    expect(await idsOf(tomorrow)).toHaveLength(10);
    await service.arrange.freeze(AT);
  });

  test('keys created, agents archived and decisions submitted at once leave no key of an archived agent', async () => {
    for (let round = 0; round < 3; round += 1) {
      const holder = await aKeyHolder(service);
      const { agent_id, api_key } = (await holder.create()).body;
      const replies = await race(9, (worker) =>
        worker === 4 ? archive(holder, agent_id) : worker % 2 ? holder.create({ agent_id }) : submit(api_key),
      );
      expect(replies.filter(({ status }) => ![200, 201, 401, 409, 429].includes(status))).toEqual([]);
      expect((await holder.list()).body.items).toEqual([]);
      const accepted = replies.filter(({ body }) => body.record_id !== undefined);
      expect(await service.ports.ownerData.recordIds(holder.owner_id, null, 100)).toHaveLength(accepted.length);
    }
  });
});
