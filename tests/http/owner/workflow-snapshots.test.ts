import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import canonicalize from 'canonicalize';
import request from 'supertest';
import { aReadyDraft } from '../../builders/workflows.ts';
import { race } from '../../contracts/adapters.ts';
import { aDesigner, type TestDesigner } from '../../harness/designers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');

describe.each(STORAGES)('publishing, on %s', (storage) => {
  let service: TestService;
  let owner: TestDesigner;
  beforeAll(async () => {
    service = await openService(storage, { at: AT });
    owner = await aDesigner(service);
    await service.operators.ownerAdministration.setTier(owner.owner_id, 'pro');
  });
  afterAll(() => service.close());

  const snapshot = (hash: string) => request(service.app).get(`/api/v1/public/workflows/snapshots/${hash}`);

  test('200 with the snapshot, whose hash anybody can compute from its content', async () => {
    const id = await owner.made({ visibility: 'public', name: 'Ünïcode 𝄞' });
    const { status, body } = await owner.publish(id);
    expect(status).toBe(200);
    const { hash, workflow_ref, visibility, published_at, node_count, ...content } = body;
    expect([workflow_ref, visibility, published_at, node_count]).toEqual([`wf:${hash}`, 'public', AT.toISOString(), 6]);
    const { name, description, tags, nodes } = { ...aReadyDraft(), name: 'Ünïcode 𝄞' };
    expect(content).toMatchObject({ schema_version: 'v1', kind: 'stancebook.workflow', name, description, tags });
    expect(content.nodes).toEqual(nodes.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
    expect(
      createHash('sha256')
        .update(canonicalize(content) ?? '')
        .digest('hex'),
    ).toBe(hash);
    expect((await owner.read(id)).body).toMatchObject({ published_hash: hash, version: 1 });
    expect((await snapshot(hash)).body).toEqual(body);
  });

  test('400 WORKFLOW_NOT_READY reports everything that is missing, as a read does; nothing is published', async () => {
    const { nodes } = aReadyDraft();
    const id = await owner.made({ description: '', nodes: nodes.slice(2), edges: [] });
    const { status, body } = await owner.publish(id);
    expect([status, body.error.code, body.error.category]).toEqual([400, 'WORKFLOW_NOT_READY', 'input_invalid']);
    const { failures } = (await owner.read(id)).body.readiness;
    expect(failures.length).toBeGreaterThan(3);
    const details = body.error.details.map(({ code, node, port, message }: Record<string, unknown>) => {
      return { code, node, port, message };
    });
    expect(details).toEqual(failures);
    expect((await owner.history(id)).body).toEqual({ items: [], page: 1, per_page: 20, total: 0 });
    expect((await owner.read(id)).body.published_hash).toBeNull();
  });

  test('the same content has the same hash in any order of nodes and edges; other content has another', async () => {
    const { nodes, edges } = aReadyDraft();
    const { id, hash } = await owner.published();
    await owner.change(id, { expected_version: 1, nodes: nodes.toReversed(), edges: edges.toReversed() });
    expect((await owner.publish(id)).body.hash).toBe(hash);
    await owner.change(id, { expected_version: 2, name: 'Another' });
    const { body } = await owner.publish(id);
    expect(body.hash).not.toBe(hash);
    await owner.change(id, { expected_version: 3, name: aReadyDraft().name });
    expect((await owner.publish(id)).body.hash).toBe(hash);
    const { items, total } = (await owner.history(id)).body;
    expect([total, items.map((item: { hash: string }) => item.hash)]).toEqual([4, [hash, body.hash, hash, hash]]);
  });

  test('a history lists each publication with its visibility, page by page', async () => {
    const { id, hash } = await owner.published({ name: 'First' });
    await service.arrange.advance(1_000);
    await owner.change(id, { expected_version: 1, name: 'Second', visibility: 'public' });
    const second = (await owner.publish(id)).body;
    const { status, body } = await owner.history(id, '?page=2&per_page=1');
    const published_at = new Date(Date.parse(second.published_at) - 1_000).toISOString();
    const item = {
      hash,
      workflow_ref: `wf:${hash}`,
      visibility: 'private',
      name: 'First',
      node_count: 6,
      published_at,
    };
    expect([status, body]).toEqual([200, { items: [item], page: 2, per_page: 1, total: 2 }]);
    expect((await owner.history(id, '?page=1&per_page=1')).body.items[0]).toMatchObject({ hash: second.hash });
    for (const query of ['?page=0', '?per_page=101', '?sort=newest']) {
      expect((await owner.history(id, query)).status).toBe(400);
    }
  });

  test('20 callers who publish at once all get the same hash, and there are 20 publications', async () => {
    const id = await owner.made({ name: 'Raced' });
    const replies = await race(20, () => owner.publish(id));
    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(new Set(replies.map(({ body }) => body.hash)).size).toBe(1);
    expect((await owner.history(id)).body.total).toBe(20);
  });

  test('ten owners who publish the same content at once share its hash and no more', async () => {
    const others = await Promise.all(Array.from({ length: 10 }, () => aDesigner(service)));
    const ids = await Promise.all(others.map((other) => other.made({ name: 'Shared' })));
    const replies = await Promise.all(others.map((other, place) => other.publish(ids[place] ?? '')));
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const [hash] = new Set(replies.map(({ body }) => body.hash));
    expect(new Set(replies.map(({ body }) => body.hash)).size).toBe(1);
    for (const [place, other] of others.entries()) {
      expect((await other.history(ids[place] ?? '')).body.total).toBe(1);
    }
    expect((await snapshot(hash)).status).toBe(404);
  });

  test('a publication during changes contains one whole version of the draft', async () => {
    const id = await owner.made({ name: 'v1', tags: ['v1'] });
    const changes = async () => {
      for (let version = 1; version <= 20; version += 1) {
        const name = `v${version + 1}`;
        await owner.change(id, { expected_version: version, name, tags: [name] });
      }
    };
    const [, ...published] = await Promise.all([changes(), ...Array.from({ length: 10 }, () => owner.publish(id))]);
    for (const { status, body } of published) expect([status, body.tags]).toEqual([200, [body.name]]);
    expect((await owner.publish(id)).body.name).toBe('v21');
  });
});
