import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { aReadyDraft, node } from '../../builders/workflows.ts';
import { race } from '../../contracts/adapters.ts';
import { aDesigner, type TestDesigner } from '../../harness/designers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe.each(STORAGES)('workflows of an owner, on %s', (storage) => {
  let service: TestService;
  let owner: TestDesigner;
  beforeAll(async () => {
    service = await openService(storage, { at: AT });
    owner = await aDesigner(service);
  });
  afterAll(() => service.close());

  const refused = async (designer: TestDesigner, body: object) => {
    const { status, body: answer } = await designer.create({ ...aReadyDraft(), ...body });
    return [status, answer.error.code, answer.error.details?.map(({ path }: { path: string }) => path)];
  };

  describe('creating', () => {
    test('201 with the summary of a draft that is version 1 and not published', async () => {
      const { status, body } = await owner.create({ ...aReadyDraft() });
      const { name, description, tags, visibility } = aReadyDraft();
      const times = { created_at: AT.toISOString(), updated_at: AT.toISOString() };
      const id = expect.stringMatching(UUID_V7);
      const facts = { id, node_count: 6, version: 1, published_hash: null, ...times };
      expect([status, body]).toEqual([201, { name, description, tags, visibility, ...facts }]);
    });

    test('a name is enough; the workflow is private then, and its readiness lists what is missing', async () => {
      const { body } = await owner.create({ name: 'Some day' });
      const { body: detail } = await owner.read(body.id);
      expect(detail).toMatchObject({ description: '', tags: [], visibility: 'private', nodes: [], edges: [] });
      expect(detail.readiness.ready).toBe(false);
      expect(detail.readiness.failures.map(({ code }: { code: string }) => code)).toEqual(
        expect.arrayContaining(['DESCRIPTION_MISSING', 'TOO_FEW_NODES', 'SUBMIT_MISSING']),
      );
    });

    test('without a visibility it gets the one that the owner prefers', async () => {
      const other = await aDesigner(service);
      await service.ports.profiles.setPreferences(other.owner_id, { default_workflow_visibility: 'public' });
      expect((await other.create({ name: 'One' })).body.visibility).toBe('public');
      expect((await other.create({ name: 'Two', visibility: 'private' })).body.visibility).toBe('private');
    });

    test('a draft that cannot be published yet is stored as it was sent', async () => {
      const wrong = {
        nodes: [node('a', 'no.such', { deep: [{ é: null }], big: 1e300 }), node('a', 'input.idea')],
        edges: [{ from: 'a.x', to: 'nowhere.y' }],
      };
      const { body } = await owner.create({ name: 'Wrong', ...wrong });
      expect((await owner.read(body.id)).body).toMatchObject(wrong);
    });

    const many = (count: number) => Array.from({ length: count }, (_, place) => node(`n${place}`, 'input.idea'));
    const edges = (count: number) => Array.from({ length: count }, () => ({ from: 'a.x', to: 'b.y' }));

    test('the largest allowed draft is stored', async () => {
      const largest = {
        name: '𝄞'.repeat(60),
        description: 'd'.repeat(1_024),
        tags: Array.from({ length: 10 }, () => 't'.repeat(40)),
        nodes: many(100),
        edges: edges(300),
      };
      const { status, body } = await owner.create(largest);
      expect([status, body.node_count]).toEqual([201, 100]);
      expect((await owner.read(body.id)).body).toMatchObject(largest);
    });

    test.each<[object, string]>([
      [{ name: '' }, 'name'],
      [{ name: 'n'.repeat(121) }, 'name'],
      [{ name: null }, 'name'],
      [{ description: 'd'.repeat(1_025) }, 'description'],
      [{ tags: Array.from({ length: 11 }, () => 't') }, 'tags'],
      [{ tags: [''] }, 'tags.0'],
      [{ tags: ['t'.repeat(41)] }, 'tags.0'],
      [{ tags: ['one', 'a\u2066b\u2069'] }, 'tags.1'],
      [{ name: 'a\nb' }, 'name'],
      [{ description: 'a\u202eb' }, 'description'],
      [{ tags: 'one' }, 'tags'],
      [{ visibility: 'secret' }, 'visibility'],
      [{ nodes: many(101) }, 'nodes'],
      [{ nodes: [{ ...node('a', 'b.c'), title: 'x' }] }, 'nodes.0.title'],
      [{ nodes: [node('A', 'b.c')] }, 'nodes.0.id'],
      [{ nodes: [node('a.b', 'b.c')] }, 'nodes.0.id'],
      [{ nodes: [node('a', '')] }, 'nodes.0.node_id'],
      [{ nodes: [{ ...node('a', 'b.c'), config: [] }] }, 'nodes.0.config'],
      [{ nodes: [node('a', 'b.c', { text: 'x'.repeat(4_096) })] }, 'nodes.0.config'],
      [{ edges: edges(301) }, 'edges'],
      [{ edges: [{ from: 'a', to: 'b.y' }] }, 'edges.0.from'],
      [{ edges: [{ from: 'a.x', to: 'b.y', kind: 'z' }] }, 'edges.0.kind'],
      [{ owner_id: 'x' }, 'owner_id'],
      [{ version: 7 }, 'version'],
      [{ id: 'x' }, 'id'],
    ])('400 for %j, naming %s', async (body, path) => {
      expect(await refused(owner, body)).toEqual([400, 'VALIDATION_ERROR', [path]]);
    });

    test.each([0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069])(
      '400 for a name with the character %d, with a suggestion',
      async (mark) => {
        const { status, body } = await owner.create({ name: `Idea ${String.fromCodePoint(mark)}drocer ot` });
        expect([status, body.error.details]).toEqual([
          400,
          [
            expect.objectContaining({
              path: 'name',
              message: expect.stringMatching(
                new RegExp(
                  `^must not contain U\\+${mark.toString(16).padStart(4, '0').toUpperCase()} [A-Z -]+ at position 6: remove it$`,
                ),
              ),
            }),
          ],
        ]);
      },
    );

    test.each(['שלום', 'مرحبا', '動量', '👩‍👩‍👧‍👦', 'e\u0301'])(
      'a name of any script is accepted: %j',
      async (name) => {
        const { status, body } = await owner.create({ name, tags: [name] });
        expect([status, body.name, body.tags]).toEqual([201, name, [name]]);
        await owner.remove(body.id);
      },
    );

    test('413 beyond 64 KiB', async () => {
      const { status, body } = await owner.create({ name: 'x', description: 'd'.repeat(65_536) });
      expect([status, body.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    });

    test('429 TIER_LIMIT_REACHED at the limit of the tier, even for 20 at once, and not after a removal', async () => {
      const other = await aDesigner(service);
      const first = await other.made();
      for (let each = 1; each < 15; each += 1) await other.made();
      const replies = await race(20, () => other.create({ name: 'Another' }));
      const statuses = replies.map(({ status }) => status).toSorted();
      expect(statuses).toEqual([...Array(5).fill(201), ...Array(15).fill(429)]);
      for (const { status, body, headers } of replies.filter((reply) => reply.status !== 201)) {
        const { code, category, retry_after_seconds } = body.error;
        expect([status, code, category]).toEqual([429, 'TIER_LIMIT_REACHED', 'quota_exceeded']);
        expect([retry_after_seconds, headers['retry-after']]).toEqual([null, undefined]);
      }
      expect((await other.list()).body.total).toBe(20);
      expect((await other.fork(first)).status).toBe(429);
      await other.remove(first);
      expect((await other.create({ name: 'In its place' })).status).toBe(201);
    });

    test('a larger tier allows more workflows', async () => {
      const other = await aDesigner(service);
      await service.operators.ownerAdministration.setTier(other.owner_id, 'pro');
      for (let each = 0; each < 21; each += 1) await other.made();
      expect((await other.list()).body.total).toBe(21);
    });
  });

  describe('listing', () => {
    let lister: TestDesigner;
    const names = async (query: string) =>
      (await lister.list(query)).body.items.map(({ name }: { name: string }) => name);
    beforeAll(async () => {
      lister = await aDesigner(service);
      for (const [name, tags, visibility] of [
        ['Alpha', ['fx'], 'private'],
        ['Beta 100%', ['fx', 'g10'], 'public'],
        ['gamma_', [], 'private'],
      ] as const) {
        await service.arrange.advance(1_000);
        await lister.made({ name, tags, visibility });
      }
    });

    test('the last changed come first, and the workflows of others are not listed', async () => {
      const { status, body } = await lister.list();
      expect([status, body.page, body.per_page, body.total]).toEqual([200, 1, 20, 3]);
      expect(await names('')).toEqual(['gamma_', 'Beta 100%', 'Alpha']);
      expect(Object.keys(body.items[0])).toEqual([
        ...['id', 'name', 'description', 'tags', 'visibility', 'node_count', 'version', 'published_hash'],
        ...['created_at', 'updated_at'],
      ]);
    });

    test.each([
      ['?sort=updated_asc', ['Alpha', 'Beta 100%', 'gamma_']],
      ['?sort=created_desc', ['gamma_', 'Beta 100%', 'Alpha']],
      ['?sort=name_asc', ['Alpha', 'Beta 100%', 'gamma_']],
      ['?visibility=public', ['Beta 100%']],
      ['?tag=fx', ['Beta 100%', 'Alpha']],
      ['?tag=FX', []],
      ['?search=A%25', []],
      ['?search=0%25', ['Beta 100%']],
      ['?search=_', ['gamma_']],
      ['?search=ALPH', ['Alpha']],
      ['?page=2&per_page=2', ['Alpha']],
      ['?page=9007199254740991&per_page=100', []],
      ['?page=9223372036854775807&per_page=100', []],
    ])('%s', async (query, expected) => {
      expect(await names(query)).toEqual(expected);
    });

    test.each([
      'page=0',
      'page=9223372036854775808',
      'page=-1',
      'page=1.5',
      'page=',
      'per_page=0',
      'per_page=101',
      'sort=best',
      'visibility=all',
    ])('400 for %s', async (query) => {
      const { status, body } = await lister.list(`?${query}`);
      expect([status, body.error.details[0].path]).toEqual([400, query.split('=')[0]]);
    });

    test('400 for an unknown parameter', async () => {
      const { status, body } = await lister.list('?owner_id=x&q=y');
      expect([status, body.error.details.map(({ path }: { path: string }) => path)]).toEqual([400, ['owner_id', 'q']]);
    });
  });
});
