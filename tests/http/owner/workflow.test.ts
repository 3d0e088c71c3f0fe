import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { aReadyDraft } from '../../builders/workflows.ts';
import { race } from '../../contracts/adapters.ts';
import { aDesigner, type TestDesigner } from '../../harness/designers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const NO_IDS = [
  'nonsense',
  'A'.repeat(36),
  '%25',
  `${randomUUID()}x`,
  randomUUID().toUpperCase(),
  '0',
  "'--",
  '%C3%A9',
];

describe.each(STORAGES)('one workflow, on %s', (storage) => {
  let service: TestService;
  let owner: TestDesigner;
  let stranger: TestDesigner;
  beforeAll(async () => {
    service = await openService(storage, { at: AT });
    [owner, stranger] = [await aDesigner(service), await aDesigner(service)];
    for (const { owner_id } of [owner, stranger]) await service.operators.ownerAdministration.setTier(owner_id, 'pro');
  });
  afterAll(() => service.close());

  test('its owner reads everything of it', async () => {
    const id = await owner.made({ visibility: 'public' });
    const { status, body } = await owner.read(id);
    const { nodes, edges, name } = aReadyDraft();
    expect([status, body.name, body.nodes, body.edges]).toEqual([200, name, nodes, edges]);
    expect(body.readiness).toEqual({ ready: true, failures: [] });
    expect(JSON.stringify(body)).not.toContain(owner.owner_id);
  });

  test('readiness lists every failure at once', async () => {
    const { nodes, edges } = aReadyDraft();
    const id = await owner.made({
      description: ' ',
      nodes: nodes.slice(1),
      edges: [...edges, { from: 'a.b', to: 'c.d' }],
    });
    const { ready, failures } = (await owner.read(id)).body.readiness;
    const codes = failures.map(({ code }: { code: string }) => code);
    expect(ready).toBe(false);
    expect(codes).toEqual(expect.arrayContaining(['DESCRIPTION_MISSING', 'EDGE_NODE_UNKNOWN', 'SUBMIT_UNREACHABLE']));
    for (const failure of failures) expect(Object.keys(failure)).toEqual(['code', 'node', 'port', 'message']);
  });

  describe('changing', () => {
    test('200 with the next version; missing members stay unchanged', async () => {
      const id = await owner.made({ tags: ['kept'] });
      await service.arrange.advance(1_000);
      const { status, body } = await owner.change(id, { expected_version: 1, name: 'Renamed', edges: [] });
      const { nodes } = aReadyDraft();
      expect(status).toBe(200);
      expect(body).toMatchObject({ name: 'Renamed', tags: ['kept'], version: 2, nodes, edges: [] });
      expect(body.readiness.ready).toBe(false);
      expect(Date.parse(body.updated_at)).toBe(Date.parse(body.created_at) + 1_000);
      expect((await owner.read(id)).body).toEqual(body);
    });

    test('409 VERSION_CONFLICT carries the current version, and nothing has changed', async () => {
      const id = await owner.made();
      await owner.change(id, { expected_version: 1, name: 'Second' });
      for (const expected_version of [1, 3, 2_147_483_647]) {
        const { status, body } = await owner.change(id, { expected_version, name: 'Late' });
        expect([status, body.error.code, body.error.category]).toEqual([409, 'VERSION_CONFLICT', 'retryable']);
        const conflict = { path: 'expected_version', received: expected_version, current_version: 2 };
        expect(body.error.details).toEqual([expect.objectContaining(conflict)]);
      }
      expect((await owner.read(id)).body).toMatchObject({ name: 'Second', version: 2 });
    });

    test('among 20 changes of one version, one succeeds and the others get 409', async () => {
      const id = await owner.made();
      const replies = await race(20, (worker) => owner.change(id, { expected_version: 1, name: `by ${worker}` }));
      const made = replies.filter(({ status }) => status === 200);
      expect([made.length, replies.filter(({ status }) => status === 409).length]).toEqual([1, 19]);
      expect((await owner.read(id)).body).toEqual(made[0]?.body);
    });

    test.each<[object, string]>([
      [{}, 'expected_version'],
      [{ expected_version: 0 }, 'expected_version'],
      [{ expected_version: '1' }, 'expected_version'],
      [{ expected_version: 1.5 }, 'expected_version'],
      [{ expected_version: 2 ** 31 }, 'expected_version'],
      [{ expected_version: 1, name: '' }, 'name'],
      [{ expected_version: 1, name: null }, 'name'],
      [{ expected_version: 1, version: 3 }, 'version'],
      [{ expected_version: 1, owner_id: 'x' }, 'owner_id'],
    ])('400 for %j', async (body, path) => {
      const id = await owner.made();
      const { status, body: answer } = await owner.change(id, { ...body });
      expect([status, answer.error.details.map((detail: { path: string }) => detail.path)]).toEqual([400, [path]]);
      expect((await owner.read(id)).body.version).toBe(1);
    });
  });

  describe('removing', () => {
    test('204, and then 404; among 20 removals at once one succeeds', async () => {
      const id = await owner.made();
      const statuses = (await race(20, () => owner.remove(id))).map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([204, ...Array(19).fill(404)]);
      expect((await owner.read(id)).status).toBe(404);
    });

    test('published snapshots stay', async () => {
      const { id, hash } = await owner.published({ visibility: 'public' });
      await owner.remove(id);
      const { status, body } = await request(service.app).get(`/api/v1/public/workflows/snapshots/${hash}`);
      expect([status, body.name]).toEqual([200, aReadyDraft().name]);
    });

    test('after a change and a removal at once, the workflow is gone in either order', async () => {
      for (let round = 0; round < 5; round += 1) {
        const id = await owner.made();
        const [changed, removed] = await Promise.all([
          owner.change(id, { expected_version: 1, name: 'x' }),
          owner.remove(id),
        ]);
        expect([[200, 404].includes(changed.status), removed.status]).toEqual([true, 204]);
        expect((await owner.read(id)).status).toBe(404);
      }
    });
  });

  describe('copying', () => {
    test('the owner copies the current draft, and the copy has a visibility of its own', async () => {
      const { id } = await owner.published({ visibility: 'public' });
      const { body: changed } = await owner.change(id, { expected_version: 1, name: 'Draft', nodes: [], edges: [] });
      const { status, body } = await owner.fork(id);
      expect(status).toBe(201);
      const { id: copy, visibility, published_hash, version, ...rest } = body;
      expect([visibility, published_hash, version]).toEqual(['private', null, 1]);
      expect(rest).toMatchObject({ name: 'Draft', description: changed.description, tags: changed.tags, nodes: [] });
      await owner.remove(id);
      expect((await owner.read(copy)).body).toEqual(body);
    });

    test('others copy the last public snapshot, never the draft', async () => {
      const { id, hash } = await owner.published({ visibility: 'public', tags: ['published'] });
      await owner.change(id, { expected_version: 1, name: 'Draft', tags: ['secret'] });
      const { status, body } = await stranger.fork(id);
      expect([status, body.name, body.tags, body.visibility]).toEqual([
        201,
        aReadyDraft().name,
        ['published'],
        'private',
      ]);
      expect(JSON.stringify(body)).not.toMatch(new RegExp(`Draft|secret|${owner.owner_id}`));
      // The same content has the same hash for every publisher.
      expect((await stranger.publish(body.id)).body.hash).toBe(hash);
    });

    test('403 for a private one, one that was never published for everybody, and one that is private again, alike', async () => {
      const never = await owner.made({ visibility: 'public' });
      const { id: hidden } = await owner.published({ visibility: 'private' });
      const { id: privateAgain } = await owner.published({ visibility: 'public' });
      await owner.change(privateAgain, { expected_version: 1, visibility: 'private' });
      const { id: opened } = await owner.published({ visibility: 'private' });
      await owner.change(opened, { expected_version: 1, visibility: 'public' });
      const answers = [];
      for (const id of [never, hidden, privateAgain, opened, await owner.made()]) {
        const { status, body } = await stranger.fork(id);
        const { request_id, ...error } = body.error;
        answers.push([status, error]);
      }
      expect(answers[0]).toMatchObject([403, { code: 'NOT_OWNER', category: 'auth_failed' }]);
      for (const answer of answers) expect(answer).toEqual(answers[0]);
      await owner.publish(opened);
      expect((await stranger.fork(opened)).status).toBe(201);
    });
  });

  describe('a caller who is not the owner', () => {
    test('gets 403 NOT_OWNER on every path but fork, whatever the visibility, and changes nothing', async () => {
      for (const visibility of ['private', 'public'] as const) {
        const { id } = await owner.published({ visibility, name: `of ${visibility} use` });
        const before = (await owner.read(id)).body;
        const { read, change, remove, publish, history, usage } = stranger;
        const replies = [await read(id), await change(id, { expected_version: 1, name: 'mine' }), await remove(id)];
        replies.push(await change(id, { expected_version: 9 }), await publish(id), await history(id), await usage(id));
        for (const { status, body, text } of replies) {
          expect([status, body.error.code]).toEqual([403, 'NOT_OWNER']);
          expect(text).not.toMatch(new RegExp(`of ${visibility} use|${owner.owner_id}`));
        }
        expect((await owner.read(id)).body).toEqual(before);
        expect((await owner.history(id)).body.total).toBe(1);
      }
    });

    test.each([randomUUID(), ...NO_IDS])('404 for %s on every path', async (id) => {
      const { read, change, remove, publish, history, usage, fork } = owner;
      const replies = [await read(id), await change(id, { expected_version: 1 }), await remove(id), await publish(id)];
      for (const { status, body } of [...replies, await history(id), await usage(id), await fork(id)]) {
        expect([status, body.error.code]).toEqual([404, 'NOT_FOUND']);
      }
    });

    test('401 without a credential, 403 with an API key', async () => {
      const id = await owner.made();
      for (const path of ['', '/snapshots', '/usage']) {
        const url = `/api/v1/owner/workflows/${id}${path}`;
        const { status, body } = await owner.agent.get(url);
        expect([status, body.error.code]).toEqual([403, 'FORBIDDEN']);
        expect((await request(service.app).get(url)).status).toBe(401);
      }
    });
  });
});
