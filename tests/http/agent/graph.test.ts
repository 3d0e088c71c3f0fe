import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { quarantineDecision } from '../../../application/decisions/moderate-decision.ts';
import type { Relation } from '../../../domain/decisions/submission/submission.ts';
import { MINUTE } from '../../../domain/time.ts';
import { anAgentAt, strangerAt, type TestAgent } from '../../harness/callers.ts';
import { aPastCall, COHORTS_AT, gradedCalls } from '../../harness/cohorts.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

type Node = { readonly record_id: string; readonly view: string };
type Edge = { readonly from: string; readonly to: string; readonly relation: string };
const idsOf = ({ nodes }: { readonly nodes: readonly Node[] }) => nodes.map(({ record_id }) => record_id);
const computed = ({ relation }: Edge) => relation.startsWith('same_');

describe.each(STORAGES)('graphs of records, on %s', (storage) => {
  let service: TestService;
  let producer: TestAgent;
  let stranger: TestAgent;
  /** `first` and `third` of the producer, `second` and `aside` of the stranger; each after `first` points to the one before. */
  const ids = { first: '', second: '', third: '', open: '', aside: '' };
  beforeAll(async () => {
    service = await openService(storage, { at: COHORTS_AT, env: { LIMIT_COOLDOWN_SECONDS: '0' } });
    producer = await anAgentAt(service);
    stranger = await anAgentAt(service);
    const graded = async (agent: TestAgent, daysAgo: number, changes = {}) => {
      const [id = ''] = await gradedCalls(service, [agent], [aPastCall(daysAgo, changes)]);
      await service.arrange.advance(MINUTE);
      return id;
    };
    const to = (record_id: string, relation: Relation) => ({ record_id, relation });
    ids.first = await graded(producer, 9);
    ids.second = await graded(stranger, 8, { related_records: [to(ids.first, 'contradicts')] });
    ids.third = await graded(producer, 7, {
      related_records: [to(ids.first, 'supersedes'), to(ids.second, 'refines')],
    });
    ids.aside = await graded(stranger, 6, { direction: 'bearish' });
    const related_records = [to(ids.third, 'extends'), to(ids.first, 'supersedes')];
    ids.open = (await producer.submit(aPastCall(0, { horizon_value: 30, related_records }))).body.record_id;
  });
  afterAll(() => service.close());

  const graphOf = (record_id: string, query = '') => `/api/v1/agent/decisions/${record_id}/graph${query}`;
  const publicGraphOf = (record_id: string, query = '') => `/api/v1/public/decisions/${record_id}/graph${query}`;
  const anybody = (url: string) => strangerAt(service).get(url);
  const outbound = '?direction=outbound&depth=3';

  test('the root comes first, then its neighbours; edges are those of the submissions and the common cohort', async () => {
    const { status, body } = await anybody(publicGraphOf(ids.second));
    expect([status, body.root, body.truncated]).toEqual([200, ids.second, false]);
    expect(idsOf(body)).toEqual([ids.second, ids.first, ids.third]);
    expect(body.edges.filter((edge: Edge) => !computed(edge))).toEqual([
      { from: ids.second, to: ids.first, relation: 'contradicts' },
      { from: ids.third, to: ids.second, relation: 'refines' },
    ]);
    const alike = body.edges.filter(computed).map(({ from, to, relation }: Edge) => [[from, to].sort(), relation]);
    expect(alike).toEqual([ids.first, ids.third].map((id) => [[ids.second, id].sort(), 'same_cohort']));
  });

  test('a node of others is a handle; one’s own is the owner’s short form, with the symbol as it was submitted', async () => {
    const { body } = await producer.get(graphOf(ids.second));
    const views = body.nodes.map(({ view, symbol, path }: Node & { symbol: string; path: object }) => [
      view,
      symbol,
      Object.keys(path),
    ]);
    const path = ['raw_return', 'directional_return', 'mfe', 'mae'];
    expect(views).toEqual(['public', 'owner', 'owner'].map((view) => [view, 'BTC', path]));
    expect(body.nodes[0].submission_time).toBeUndefined();
    expect(body.nodes[1].lifecycle_state).toBe('evaluated');
    const { body: seen } = await stranger.get(graphOf(ids.second));
    expect(seen.nodes.map(({ view }: Node) => view)).toEqual(['owner', 'public', 'public']);
  });

  test('only the owner sees records that are not public yet, and the relation supersedes', async () => {
    const { body: own } = await producer.get(graphOf(ids.open, outbound));
    expect(idsOf(own)).toEqual([ids.open, ids.third, ids.first, ids.second]);
    expect(own.edges).toEqual([
      { from: ids.open, to: ids.third, relation: 'extends' },
      { from: ids.open, to: ids.first, relation: 'supersedes' },
      { from: ids.third, to: ids.second, relation: 'refines' },
      { from: ids.third, to: ids.first, relation: 'supersedes' },
      { from: ids.second, to: ids.first, relation: 'contradicts' },
    ]);
    const { body: inbound } = await producer.get(graphOf(ids.first, '?direction=inbound'));
    expect(idsOf(inbound)).toEqual([ids.first, ids.open, ids.third, ids.second]);
    for (const url of [graphOf(ids.first, '?direction=both&depth=3'), graphOf(ids.third, '?direction=both&depth=3')]) {
      const { body } = await stranger.get(url);
      expect(idsOf(body)).not.toContain(ids.open);
      expect(body.edges.map(({ relation }: Edge) => relation)).not.toContain('supersedes');
    }
  });

  test('links out of a public record are the related records of its public detail', async () => {
    for (const id of [ids.first, ids.second, ids.third, ids.aside]) {
      const [{ body: detail }, { body: graph }] = await Promise.all([
        strangerAt(service).read(id),
        anybody(publicGraphOf(id, '?direction=outbound')),
      ]);
      const links = graph.edges.map(({ from, to, relation }: Edge) => [from, { record_id: to, relation }]);
      expect(links).toEqual(detail.related_records.map((link: object) => [id, link]));
    }
  });

  test.each(['', '?depth=1&limit=50&direction=both'])('a missing parameter has its default: %j', async (query) => {
    const [{ body }, { body: full }] = await Promise.all([
      producer.get(graphOf(ids.first, query)),
      producer.get(graphOf(ids.first, '?depth=1')),
    ]);
    expect(body).toEqual(full);
    expect(idsOf(body)).toHaveLength(4);
  });

  test.each(['depth=4', 'depth=2147483647', 'limit=101', 'limit=2147483648', 'limit=9223372036854775807'])(
    'a value above the maximum returns the same as the maximum: %s',
    async (excess) => {
      const [name = ''] = excess.split('=');
      const most = { depth: 3, limit: 100 }[name];
      for (const [get, urlOf] of [
        [producer.get, graphOf],
        [anybody, publicGraphOf],
      ] as const) {
        const [more, all] = await Promise.all([
          get(urlOf(ids.first, `?${excess}`)),
          get(urlOf(ids.first, `?${name}=${most}`)),
        ]);
        expect([more.status, more.body]).toEqual([200, all.body]);
      }
    },
  );

  test.each(['depth=0', 'limit=0', 'limit=1'])('%s is the root alone', async (query) => {
    const { body } = await producer.get(graphOf(ids.first, `?${query}`));
    expect([idsOf(body), body.edges, body.truncated]).toEqual([[ids.first], [], query !== 'depth=0']);
  });

  test('with a limit the reply says that nodes are missing, and has the edges between the shown nodes', async () => {
    const { body } = await producer.get(graphOf(ids.first, '?direction=inbound&limit=3'));
    expect([idsOf(body), body.truncated]).toEqual([[ids.first, ids.open, ids.third], true]);
    expect(body.edges.map(({ from }: Edge) => from)).toEqual([ids.open, ids.third]);
  });

  test.each([
    'depth=-1',
    'depth=2147483648',
    'depth=99999999999999999999',
    'limit=9223372036854775808',
    `limit=${'9'.repeat(41)}`,
    'depth=1.5',
    'depth=',
    'depth=1e1',
    'limit=x',
    'limit=%2B1',
    'limit=-0x1',
    'direction=Both',
    'direction=',
    'depth=1&depth=1',
    'order=asc',
  ])('400 for %s', async (query) => {
    for (const reply of [
      await producer.get(graphOf(ids.first, `?${query}`)),
      await anybody(publicGraphOf(ids.first, `?${query}`)),
    ]) {
      expect([reply.status, reply.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
      expect(reply.body.error.details[0].path).toBe(query.split('=')[0]);
    }
  });

  test('400 for a malformed record id', async () => {
    for (const reply of [await producer.get(graphOf('dec_1')), await anybody(publicGraphOf('dec_1'))]) {
      expect([reply.status, reply.body.error.details[0].path]).toEqual([400, 'record_id']);
    }
  });

  test('404 for a record that the caller may not see, the same as for a record that does not exist', async () => {
    const none = 'dec_20170605_00000000';
    const statusAndText = ({ status, text }: { status: number; text: string }, id: string) => [
      status,
      text.replaceAll(id, '').replace(/"request_id":"[^"]+"/, ''),
    ];
    for (const [get, urlOf] of [
      [stranger.get, graphOf],
      [anybody, publicGraphOf],
    ] as const) {
      for (const query of ['', '?depth=0', '?depth=3&limit=0']) {
        const [hidden, absent] = await Promise.all([get(urlOf(ids.open, query)), get(urlOf(none, query))]);
        expect(statusAndText(hidden, ids.open)).toEqual([404, statusAndText(absent, none)[1]]);
      }
    }
    expect((await producer.get(graphOf(ids.open))).status).toBe(200);
  });

  test('a graph takes nothing from a pool, and caches may not store the reply to an owner', async () => {
    const { headers } = await producer.get(graphOf(ids.first));
    expect(headers).toMatchObject({
      'x-quota-resource': 'none',
      'x-quota-remaining': 'unlimited',
      'cache-control': 'no-store',
    });
    expect(headers.etag).toBeUndefined();
  });

  test('caches may store a public reply for a minute, and get 304 while it is unchanged', async () => {
    const path = `/api/v1/public/decisions/${ids.second}`;
    for (const url of [path, `${path}/state`, `${path}/graph`]) {
      const found = await anybody(url);
      expect([found.status, found.headers['cache-control']]).toEqual([200, 'public, max-age=60, must-revalidate']);
      const same = await anybody(url).set('If-None-Match', found.headers.etag ?? '');
      expect([same.status, same.text, same.headers.etag]).toEqual([304, '', found.headers.etag]);
      expect(same.headers).toMatchObject({ 'x-quota-resource': 'none', 'x-ratelimit-limit': '1000000' });
    }
    const [detail, graph] = [await anybody(path), await anybody(`${path}/graph`)];
    expect(detail.headers.etag).not.toBe(graph.headers.etag);
  });

  test('a quarantined record is gone at once, together with its edges and the nodes that it connected', async () => {
    const through = publicGraphOf(ids.third, '?direction=outbound&depth=2');
    const before = await anybody(through);
    expect(idsOf(before.body)).toEqual([ids.third, ids.second, ids.first]);
    await quarantineDecision(service.ports, ids.second, 'a stolen key', 'test');
    const after = await anybody(through).set('If-None-Match', before.headers.etag ?? '');
    expect([after.status, idsOf(after.body), after.body.edges]).toEqual([200, [ids.third], []]);
    expect((await anybody(publicGraphOf(ids.second)).set('If-None-Match', '*')).status).toBe(404);
    const { body: own } = await stranger.get(graphOf(ids.second, '?direction=outbound'));
    expect([idsOf(own), own.nodes[0].lifecycle_state]).toEqual([[ids.second, ids.first], 'quarantined']);
    const { body: others } = await producer.get(graphOf(ids.third, '?direction=both&depth=3&limit=100'));
    expect(idsOf(others).toSorted()).toEqual([ids.third, ids.first, ids.open].toSorted());
  });
});
