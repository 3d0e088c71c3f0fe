import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { aReadyDraft } from '../../builders/workflows.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { COHORTS_AT as AT, aPastCall, gradedCalls } from '../../harness/cohorts.ts';
import { aDesigner, type TestDesigner } from '../../harness/designers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const ENV = { LIMIT_COOLDOWN_SECONDS: '0', LIMIT_RETROACTIVE_PER_DAY: '1000' };
const SECRET = 'only in the draft';

describe.each(STORAGES)('workflows for everybody, on %s', (storage) => {
  let service: TestService;
  let owner: TestDesigner;
  let other: TestDesigner;
  beforeAll(async () => {
    service = await openService(storage, { at: AT, env: ENV });
    [owner, other] = [await aDesigner(service), await aDesigner(service)];
    await service.operators.ownerAdministration.setTier(owner.owner_id, 'pro');
  });
  afterAll(() => service.close());

  const path = (hash: string) => `/api/v1/public/workflows/snapshots/${hash}`;
  const anybody = (hash: string) => request(service.app).get(path(hash));
  let words = 0;
  /** A word that only the names of one test contain. */
  const aWord = () => {
    words += 1;
    return `word${words}x`;
  };

  describe('a snapshot by its hash', () => {
    test('everybody can read a public one, with or without a credential', async () => {
      const { hash } = await owner.published({ visibility: 'public', name: aWord() });
      const { status, body, headers } = await anybody(hash);
      expect([status, body.visibility, headers['x-quota-resource']]).toEqual([200, 'public', 'none']);
      for (const { agent } of [owner, other]) expect((await agent.get(path(hash))).body).toEqual(body);
      expect(JSON.stringify(body)).not.toContain(owner.owner_id);
    });

    test('only the owner can read a private one, by session and by key; for others it is like an unknown one', async () => {
      const { hash } = await owner.published({ visibility: 'private', name: aWord() });
      const bySession = await request(service.app).get(path(hash)).set('cookie', owner.cookie());
      expect([bySession.status, bySession.body.visibility]).toEqual([200, 'private']);
      expect((await owner.agent.get(path(hash))).body).toEqual(bySession.body);
      const unknown = 'a'.repeat(64);
      const refusals = [await anybody(hash), await other.agent.get(path(hash)), await anybody(unknown)];
      refusals.push(await request(service.app).get(path(hash)).set('cookie', other.cookie()));
      const errors = refusals.map(({ status, body }) => [status, { ...body.error, request_id: '' }]);
      for (const each of errors) expect(each).toEqual(errors[0]);
      expect(errors[0]).toMatchObject([404, { code: 'NOT_FOUND' }]);
    });

    test('an invalid credential is 401 even for a public one', async () => {
      const { hash } = await owner.published({ visibility: 'public', name: aWord() });
      const { status } = await anybody(hash).set('X-API-Key', 'sbk_nonsense');
      expect(status).toBe(401);
    });

    test('content that is first private and then public stays public for good', async () => {
      const { id, hash } = await owner.published({ visibility: 'private', name: aWord() });
      expect((await anybody(hash)).status).toBe(404);
      await owner.change(id, { expected_version: 1, visibility: 'public' });
      // Only publishing makes it public, not the visibility of the draft.
      expect((await anybody(hash)).status).toBe(404);
      expect((await owner.publish(id)).body).toMatchObject({ hash, visibility: 'public' });
      expect((await anybody(hash)).status).toBe(200);
      await owner.change(id, { expected_version: 2, visibility: 'private' });
      await owner.publish(id);
      await owner.remove(id);
      expect((await anybody(hash)).body.visibility).toBe('public');
    });

    test.each(['A'.repeat(64), 'a'.repeat(63), 'a'.repeat(65), `wf:${'a'.repeat(64)}`, 'x', '%20', "'"])(
      '404 for %s',
      async (hash) => {
        const { status, body } = await anybody(hash);
        expect([status, body.error.code]).toEqual([404, 'NOT_FOUND']);
      },
    );

    test.each(['%00', '%E0%A4%A'])('400 for %s', async (hash) => {
      expect((await anybody(hash)).status).toBe(400);
    });
  });

  describe('the marketplace', () => {
    const names = async (query: string) =>
      (await other.market(query)).body.items.map(({ name }: { name: string }) => name);

    test('any credential is accepted; 401 without one', async () => {
      expect((await other.market()).status).toBe(200);
      const { status, headers } = await other.agent.get('/api/v1/public/workflows');
      expect([status, headers['x-quota-resource']]).toEqual([200, 'none']);
      expect((await request(service.app).get('/api/v1/public/workflows')).status).toBe(401);
    });

    test('shows what was published and nothing of the draft, of its owner or of others', async () => {
      const word = aWord();
      const { id, hash } = await owner.published({ visibility: 'public', name: word, tags: ['shown'] });
      const change = { expected_version: 1, name: SECRET, description: SECRET, tags: [SECRET], nodes: [], edges: [] };
      await owner.change(id, change);
      const { body, text } = await other.market(`?search=${word}`);
      const { description } = aReadyDraft();
      const texts = { name: word, description, tags: ['shown'], node_count: 6, decision_count: null };
      const item = { id, hash, workflow_ref: `wf:${hash}`, published_at: AT.toISOString(), ...texts };
      expect(body).toEqual({ items: [item], page: 1, per_page: 20, total: 1 });
      expect(text).not.toContain(owner.owner_id);
      for (const query of [`search=${SECRET}`, `tag=${SECRET}`]) expect(await names(`?${query}`)).toEqual([]);
    });

    test('private, unpublished and removed workflows are not listed', async () => {
      const word = aWord();
      await owner.published({ visibility: 'private', name: word });
      await owner.made({ visibility: 'public', name: word });
      const [hidden, gone, remaining] = [
        await owner.published({ visibility: 'public', name: word }),
        await owner.published({ visibility: 'public', name: word }),
        await owner.published({ visibility: 'public', name: word }),
      ];
      await owner.change(hidden.id, { expected_version: 1, visibility: 'private' });
      await owner.remove(gone.id);
      const { items, total } = (await other.market(`?search=${word}`)).body;
      expect([total, items.map(({ id }: { id: string }) => id)]).toEqual([1, [remaining.id]]);
    });

    test('is searched, narrowed by tag and returned in pages, the newest first', async () => {
      const word = aWord();
      for (const [name, tags] of [
        [`One ${word}`, ['fx']],
        [`TWO% ${word}`, ['fx', 'g10']],
        [`three_ ${word}`, []],
      ] as const) {
        await owner.published({ visibility: 'public', name, tags });
      }
      expect(await names(`?search=${word}`)).toEqual([`three_ ${word}`, `TWO% ${word}`, `One ${word}`]);
      expect(await names(`?search=two%25%20${word}`)).toEqual([`TWO% ${word}`]);
      expect(await names(`?search=%25${word}`)).toEqual([]);
      expect(await names(`?search=${word}&tag=fx`)).toEqual([`TWO% ${word}`, `One ${word}`]);
      const { body } = await other.market(`?search=${word}&page=2&per_page=2`);
      expect([body.items.length, body.page, body.per_page, body.total]).toEqual([1, 2, 2, 3]);
      for (const query of ['sort=best', 'page=0', 'per_page=101', 'visibility=private', 'owner_id=x']) {
        expect((await other.market(`?${query}`)).status).toBe(400);
      }
    });

    test('the use of a workflow is shown and ranked only from ten records of five owners on', async () => {
      const word = aWord();
      const [old, young] = [
        await owner.published({ visibility: 'public', name: `old ${word}` }),
        await owner.published({ visibility: 'public', name: `young ${word}` }),
      ];
      const counted = async () =>
        (await other.market(`?search=${word}&sort=most_used`)).body.items.map(
          ({ id, decision_count }: { id: string; decision_count: number | null }) => [id, decision_count],
        );
      const calls = [20, 30, 40].map((days) => aPastCall(days, { workflow_ref: `wf:${old.hash}` }));
      const agents = await Promise.all(Array.from({ length: 4 }, () => anAgentAt(service)));
      await gradedCalls(service, agents, calls);
      expect(await counted()).toEqual([
        [young.id, null],
        [old.id, null],
      ]);
      await gradedCalls(service, [await anAgentAt(service)], calls.slice(0, 1));
      expect(await counted()).toEqual([
        [old.id, 13],
        [young.id, null],
      ]);
    });
  });

  test('a workflow that is copied and published again shows the same hash under another id', async () => {
    const word = aWord();
    const { id, hash } = await owner.published({ visibility: 'public', name: word });
    const { body: copy } = await other.fork(id);
    await other.change(copy.id, { expected_version: 1, visibility: 'public' });
    expect((await other.publish(copy.id)).body.hash).toBe(hash);
    const { items } = (await other.market(`?search=${word}`)).body;
    expect(items.map((item: { id: string; hash: string }) => [item.id, item.hash])).toEqual([
      [copy.id, hash],
      [id, hash],
    ]);
  });
});
