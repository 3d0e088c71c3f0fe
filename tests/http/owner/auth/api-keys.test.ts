import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { aSubmission } from '../../../builders/decisions.ts';
import { race } from '../../../contracts/adapters.ts';
import { aKeyHolder, KEYS } from '../../../harness/api-keys.ts';
import { anAgentAt } from '../../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../../harness/service.ts';
import { OWN_PAGE } from '../../../harness/sessions.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');

describe.each(STORAGES)('API keys on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: AT });
  });
  afterAll(() => service.close());

  const submit = (api_key: string) =>
    request(service.app)
      .post('/api/v1/agent/decisions?validate_only=true')
      .set('X-API-Key', api_key)
      .send(aSubmission(AT));
  const codeOf = ({ status, body }: request.Response) => [status, body.error?.code];

  test('201 with a key that submits for a new agent, with the requested name', async () => {
    const holder = await aKeyHolder(service);
    const { status, body } = await holder.create({ agent_name: 'Momentum scout' });
    expect(status).toBe(201);
    expect(body).toEqual({
      api_key: expect.stringMatching(/^sbk_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/),
      key_prefix: body.api_key.slice(0, 12),
      agent_id: expect.stringMatching(/^agt_[0-9a-f]{12}$/),
      permission_mode: 'read_write',
      created_at: AT.toISOString(),
      expires_at: null,
      allowed_networks: null,
    });
    expect((await submit(body.api_key)).status).toBe(200);
    const agent = await service.ports.owners.findAgent(holder.owner_id, body.agent_id);
    expect(agent?.name).toBe('Momentum scout');
  });

  test.each([
    [{}, 'New agent', 'New agent'],
    [{ label: ' laptop ' }, 'laptop', 'laptop'],
    [{ label: 'laptop', agent_name: 'Scout' }, 'Scout', 'laptop'],
    [{ agent_name: 'Scout' }, 'Scout', 'Scout'],
  ])('%j gives the agent %s and the label %s', async (body, name, label) => {
    const holder = await aKeyHolder(service);
    const created = await holder.create(body);
    expect((await service.ports.owners.findAgent(holder.owner_id, created.body.agent_id))?.name).toBe(name);
    expect((await holder.list()).body.items[0].label).toBe(label);
  });

  test('a second key of the same agent adds no agent', async () => {
    const holder = await aKeyHolder(service);
    const { agent_id } = (await holder.create()).body;
    const second = await holder.create({ agent_id, permission_mode: 'read_only' });
    expect([second.status, second.body.agent_id, second.body.permission_mode]).toEqual([201, agent_id, 'read_only']);
    expect(codeOf(await submit(second.body.api_key))).toEqual([403, 'FORBIDDEN']);
    const labels = (await holder.list()).body.items.map((key: { label: unknown }) => key.label);
    expect(new Set(labels)).toEqual(new Set(['New agent', null]));
  });

  test('the list shows everything except the secret of a key and revoked keys', async () => {
    const holder = await aKeyHolder(service);
    const { api_key, key_prefix, agent_id } = (await holder.create({ label: 'laptop' })).body;
    const gone = (await holder.create({ agent_id })).body;
    await holder.revoke(gone.key_prefix);
    const { status, body, text } = await holder.list();
    const info = { key_prefix, label: 'laptop', agent_id, permission_mode: 'read_write' };
    const times = {
      created_at: AT.toISOString(),
      expires_at: null,
      allowed_networks: null,
      last_used_at: null,
      last_used_network: null,
      revoked_at: null,
    };
    expect([status, body]).toEqual([200, { items: [{ ...info, ...times }], next_cursor: null }]);
    expect(text).not.toContain(api_key.slice(13));
  });

  test('a changed permission_mode takes effect with the next request, in both directions', async () => {
    const holder = await aKeyHolder(service);
    const { api_key, key_prefix } = (await holder.create()).body;
    const { status, body } = await holder.update(key_prefix, { permission_mode: 'read_only' });
    expect([status, body.key_prefix, body.permission_mode]).toEqual([200, key_prefix, 'read_only']);
    expect(codeOf(await submit(api_key))).toEqual([403, 'FORBIDDEN']);
    await holder.update(key_prefix, { permission_mode: 'read_write' });
    expect((await submit(api_key)).status).toBe(200);
  });

  test('204 for the first revocation and 404 for the second; the key is refused from then on', async () => {
    const holder = await aKeyHolder(service);
    const { api_key, key_prefix } = (await holder.create()).body;
    expect((await holder.revoke(key_prefix)).status).toBe(204);
    expect(codeOf(await submit(api_key))).toEqual([401, 'UNAUTHORIZED']);
    expect(codeOf(await holder.revoke(key_prefix))).toEqual([404, 'NOT_FOUND']);
    expect(codeOf(await holder.update(key_prefix, { permission_mode: 'read_only' }))).toEqual([404, 'NOT_FOUND']);
    expect(codeOf(await holder.rotate(key_prefix))).toEqual([404, 'NOT_FOUND']);
  });

  test('rotated at the limit of the tier: another key, same agent, mode and label; the old one is refused', async () => {
    const holder = await aKeyHolder(service);
    const { api_key, key_prefix, agent_id } = (await holder.create({ label: 'laptop', permission_mode: 'read_only' }))
      .body;
    await race(4, () => holder.create({ agent_id }));
    expect(codeOf(await holder.create({ agent_id }))).toEqual([429, 'TIER_LIMIT_REACHED']);
    const { status, body } = await holder.rotate(key_prefix);
    expect([status, body.agent_id, body.permission_mode]).toEqual([200, agent_id, 'read_only']);
    expect([body.key_prefix === key_prefix, body.api_key.startsWith(body.key_prefix)]).toEqual([false, true]);
    const statusWith = (key: string) => request(service.app).get('/api/v1/public/auth/status').set('X-API-Key', key);
    expect([(await statusWith(api_key)).status, (await statusWith(body.api_key)).status]).toEqual([401, 200]);
    const { items } = (await holder.list()).body;
    expect(items).toHaveLength(5);
    expect(items).toContainEqual(expect.objectContaining({ key_prefix: body.key_prefix, label: 'laptop' }));
  });

  test('among 10 rotations of one key at once, one succeeds and the others get 404', async () => {
    const holder = await aKeyHolder(service);
    const { key_prefix } = (await holder.create()).body;
    const statuses = await race(10, async () => (await holder.rotate(key_prefix)).status);
    expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 9 }, () => 404)]);
    expect((await holder.list()).body.items).toHaveLength(1);
  });

  test('429 TIER_LIMIT_REACHED at the limit of keys, and no agent is added', async () => {
    const holder = await aKeyHolder(service);
    const { agent_id } = (await holder.create()).body;
    const created = await race(12, async () => (await holder.create({ agent_id })).status);
    expect(created.filter((status) => status === 201)).toHaveLength(4);
    for (let tries = 0; tries < 12; tries += 1) {
      expect(codeOf(await holder.create({ agent_name: `Agent ${tries}` }))).toEqual([429, 'TIER_LIMIT_REACHED']);
    }
    const [{ key_prefix }] = (await holder.list()).body.items;
    await holder.revoke(key_prefix);
    expect((await holder.create({ agent_name: 'One more' })).status).toBe(201);
  });

  test('429 TIER_LIMIT_REACHED at the limit of agents, even below the limit of keys', async () => {
    const holder = await aKeyHolder(service);
    const agents: string[] = [];
    for (let count = 0; count < 10; count += 1) {
      const { body } = await holder.create();
      agents.push(body.agent_id);
      await holder.revoke(body.key_prefix);
    }
    const full = await holder.create();
    expect(codeOf(full)).toEqual([429, 'TIER_LIMIT_REACHED']);
    expect(full.body.error.suggestion).toContain('with its agent_id');
    expect((await holder.create({ agent_id: agents[0] })).status).toBe(201);
  });

  test('a legacy key reads, does not submit and cannot be rotated; it can be limited and revoked', async () => {
    const holder = await aKeyHolder(service);
    const mate = { ...(await anAgentAt(service)), owner_id: holder.owner_id, email: holder.email };
    const legacy = await anAgentAt(service, { mate, bound: false });
    expect((await legacy.get('/api/v1/public/auth/status')).status).toBe(200);
    expect(codeOf(await submit(legacy.api_key))).toEqual([403, 'KEY_UNBOUND']);
    expect(codeOf(await holder.rotate(legacy.key_prefix))).toEqual([403, 'KEY_UNBOUND']);
    expect((await holder.list()).body.items[0].agent_id).toBeNull();
    expect((await holder.update(legacy.key_prefix, { permission_mode: 'read_only' })).status).toBe(200);
    expect((await holder.revoke(legacy.key_prefix)).status).toBe(204);
  });

  test('404 for the keys and agents of another owner, as for unknown ones, and nothing changes', async () => {
    const [holder, other] = [await aKeyHolder(service), await aKeyHolder(service)];
    const { key_prefix, agent_id } = (await other.create()).body;
    for (const [prefix, agent] of [
      [key_prefix, agent_id],
      ['sbk_00000000', 'agt_000000000000'],
      ['%20', "' or 1=1"],
    ]) {
      const replies = [
        await holder.create({ agent_id: agent }),
        await holder.update(prefix, { permission_mode: 'read_only' }),
        await holder.revoke(prefix),
        await holder.rotate(prefix),
      ];
      expect(replies.map(codeOf)).toEqual(replies.map(() => [404, 'NOT_FOUND']));
    }
    expect((await holder.list()).body.items).toEqual([]);
    expect((await other.list()).body.items).toMatchObject([{ key_prefix, permission_mode: 'read_write' }]);
  });

  test.each([
    [{ agent_id: 'agt_000000000000', agent_name: 'Scout' }, 'agent_name'],
    [{ permission_mode: 'admin' }, 'permission_mode'],
    [{ label: '' }, 'label'],
    [{ label: 'x'.repeat(81) }, 'label'],
    [{ agent_name: '   ' }, 'agent_name'],
    [{ agent_id: null }, 'agent_id'],
    [{ owner_id: '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3' }, 'owner_id'],
  ])('400 VALIDATION_ERROR for %j, and no key is created', async (body, path) => {
    const holder = await aKeyHolder(service);
    const reply = await holder.create(body);
    expect([...codeOf(reply), reply.body.error.details[0].path]).toEqual([400, 'VALIDATION_ERROR', path]);
    expect((await holder.list()).body.items).toEqual([]);
  });

  test.each([[{}], [{ permission_mode: 'none' }], [{ permission_mode: 'read_only', label: 'new' }]])(
    '400 for a change to %j',
    async (body) => {
      const holder = await aKeyHolder(service);
      const { key_prefix } = (await holder.create()).body;
      expect(codeOf(await holder.update(key_prefix, body))).toEqual([400, 'VALIDATION_ERROR']);
      expect((await holder.list()).body.items[0].permission_mode).toBe('read_write');
    },
  );

  test('only an owner manages keys: 401 without a credential, 403 for a key and from a page of another origin', async () => {
    const holder = await aKeyHolder(service);
    const { api_key, key_prefix } = (await holder.create()).body;
    const callers = [
      [OWN_PAGE, 401, 'UNAUTHORIZED'],
      [{ 'x-api-key': api_key }, 403, 'FORBIDDEN'],
      [{ 'x-api-key': api_key, ...holder.headers }, 403, 'FORBIDDEN'],
      [{ cookie: holder.cookie, 'sec-fetch-site': 'cross-site' }, 403, 'CROSS_ORIGIN_SESSION'],
    ] as const;
    for (const [headers, ...expected] of callers) {
      const changes = [
        await request(service.app).post(KEYS).set(headers).send({}),
        await request(service.app).patch(`${KEYS}/${key_prefix}`).set(headers).send({ permission_mode: 'read_only' }),
        await request(service.app).delete(`${KEYS}/${key_prefix}`).set(headers),
        await request(service.app).post(`${KEYS}/${key_prefix}/rotate`).set(headers),
      ];
      expect(changes.map(codeOf)).toEqual(changes.map(() => expected));
    }
    expect((await holder.list()).body.items).toHaveLength(1);
  });

  test('every event of a key is in the audit log with the key prefix, never the key', async () => {
    const holder = await aKeyHolder(service);
    const first = (await holder.create()).body;
    await holder.update(first.key_prefix, { permission_mode: 'read_only' });
    const second = (await holder.rotate(first.key_prefix)).body;
    await holder.revoke(second.key_prefix);
    const { agent_id } = first;
    const about = async (subject: string) =>
      (await service.ports.audit.about(subject, 10)).map(({ actor, action, detail }) => [actor, action, detail]);
    const [actor, successor] = [holder.owner_id, second.key_prefix];
    expect(await about(first.key_prefix)).toEqual([
      [actor, 'rotate_key', { successor }],
      [actor, 'set_key_mode', { permission_mode: 'read_only' }],
      [actor, 'create_key', { agent_id, permission_mode: 'read_write' }],
    ]);
    expect(await about(successor)).toEqual([
      [actor, 'revoke_key', {}],
      [actor, 'create_key', { agent_id, permission_mode: 'read_only', predecessor: first.key_prefix }],
    ]);
  });

  test('no key is in the log', async () => {
    const holder = await aKeyHolder(service);
    const first = (await holder.create()).body;
    const second = (await holder.rotate(first.key_prefix)).body;
    await submit(second.api_key);
    const log = service.log.join('\n');
    expect(log).toContain('/rotate');
    for (const { api_key } of [first, second]) expect(log).not.toContain(api_key.slice(13));
  });
});
