import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { noteExpiringKeys } from '../../application/decisions/prune-expired.ts';
import { EVENTS, QUOTA } from '../../domain/limits.ts';
import { DAY } from '../../domain/time.ts';
import { aSubmission } from '../builders/decisions.ts';
import { anAgentAt, type TestAgent } from '../harness/callers.ts';
import { anOwnerWithAgent, type TestOwner } from '../harness/owners.ts';
import { openService, STORAGES, type TestService } from '../harness/service.ts';

/** A Monday in the session of New York, within the packaged prices of MSFT. */
const MONDAY = new Date('2014-06-02T15:00:00.000Z');
const FRIDAY = new Date('2014-06-07T00:00:00.000Z');
const AGENT = '/api/v1/agent/events';
const MSFT = { market: 'stock', symbol: 'MSFT', venue: 'NASDAQ', horizon_kind: 'trading_days', horizon_value: 3 };

interface Feed {
  readonly items: readonly {
    readonly id: string;
    readonly type: string;
    readonly timestamp: string;
    readonly data: Readonly<Record<string, unknown>>;
  }[];
  readonly next_cursor: string;
}

describe.each(STORAGES)('the feed of events, on %s', (storage) => {
  let service: TestService;
  let owner: TestOwner;
  let mate: TestAgent;
  /** Of the owner's agent, and of another agent of the owner. */
  const ids: string[] = [];
  beforeAll(async () => {
    service = await openService(storage, { at: MONDAY });
    owner = await anOwnerWithAgent(service);
    mate = await anAgentAt(service, { mate: owner });
    for (const agent of [owner.agent, mate]) ids.push((await submit(agent)).record_id);
    await service.settle();
    await service.arrange.freeze(FRIDAY);
    await service.settle();
    await service.arrange.circuit('USDT', 'tripped');
    await owner.logInAgain();
  });
  afterAll(() => service.close());

  const submit = async (agent: TestAgent) => {
    const { status, body } = await agent.submit({ ...aSubmission(await service.ports.clock.now()), ...MSFT });
    expect([status, body.error]).toEqual([201, undefined]);
    return body as { readonly record_id: string };
  };
  const ofAgent = async (query = '', agent = owner.agent): Promise<Feed> => {
    await service.arrange.settle();
    const { status, body } = await agent.get(`${AGENT}${query}`);
    expect([status, body.error]).toEqual([200, undefined]);
    return body;
  };
  const ofOwner = async (query = ''): Promise<Feed> => {
    await service.arrange.settle();
    return (await owner.get(`/events${query}`)).body;
  };

  test('an agent gets what happened to its decisions and to circuits, the oldest first, for no unit', async () => {
    const { items } = await ofAgent();
    const record_id = ids[0];
    const { body: detail } = await owner.get(`/decisions/${record_id}`);
    const decision = { record_id };
    expect(items.map(({ id: _, timestamp: __, ...event }) => event)).toEqual([
      { type: 'decision.verified', data: { ...decision, lifecycle_state: 'verified', result_bucket: null } },
      {
        type: 'decision.evaluated',
        data: { ...decision, lifecycle_state: 'evaluated', result_bucket: detail.result_bucket },
      },
      { type: 'quota.credited', data: { ...decision, amount: QUOTA.queryCredit, day: '2014-06-07' } },
      { type: 'circuit.changed', data: { coin: 'USDT', from: 'normal', to: 'tripped' } },
    ]);
    expect(items[1]?.timestamp).toBe(detail.evaluation.evaluated_at);
    expect(new Set(items.map(({ id }) => id)).size).toBe(4);
    expect((await owner.agent.get(AGENT)).headers['x-quota-resource']).toBe('none');
  });

  test('an owner gets the events of all agents, or of one', async () => {
    const { items } = await ofOwner();
    const recordsOf = (feed: Feed) => new Set(feed.items.flatMap(({ data: { record_id } }) => record_id ?? []));
    expect(recordsOf({ items, next_cursor: '' })).toEqual(new Set(ids));
    expect(recordsOf(await ofOwner(`?agent_id=${mate.agent_id}`))).toEqual(new Set([ids[1]]));
    const { agent_id } = mate;
    const inFormOfOwners = (await ofAgent('', mate)).items.map((event) =>
      event.type === 'circuit.changed' ? event : { ...event, data: { ...event.data, agent_id } },
    );
    const ofMate = (await ofOwner(`?agent_id=${agent_id}`)).items;
    expect(ofMate.filter(({ type }) => type !== 'decision.submitted')).toEqual(inFormOfOwners);
    expect(ofMate.filter(({ type }) => type === 'decision.submitted').map(({ data }) => data)).toEqual([
      { record_id: ids[1], agent_id, lifecycle_state: expect.any(String), result_bucket: null },
    ]);
    const stranger = await anOwnerWithAgent(service);
    await service.arrange.settle();
    expect((await stranger.get('/events')).body.items.map(({ type }: { type: string }) => type)).toEqual([
      'circuit.changed',
    ]);
  });

  test('from cursor to cursor each event is read once, also what happens after an empty page', async () => {
    const all = await ofOwner('?limit=100');
    const read = [];
    let cursor = '';
    for (let isOver = false; !isOver; ) {
      const { items, next_cursor } = await ofOwner(`?limit=2${cursor && `&after=${cursor}`}`);
      read.push(...items);
      cursor = next_cursor;
      isOver = items.length === 0;
    }
    expect(read).toEqual(all.items);
    await service.arrange.circuit('USDC', 'tripped');
    const { items, next_cursor } = await ofOwner(`?after=${cursor}`);
    expect(items).toMatchObject([{ type: 'circuit.changed', data: { coin: 'USDC', to: 'tripped' } }]);
    expect((await ofOwner(`?after=${next_cursor}`)).items).toEqual([]);
  });

  test('with after=now the feed begins with what happens from now on', async () => {
    const { items, next_cursor } = await ofOwner('?after=now');
    expect(items).toEqual([]);
    const { record_id } = await submit(mate);
    const read = await ofOwner(`?after=${next_cursor}`);
    expect(read.items).toMatchObject([{ type: 'decision.submitted', data: { record_id, agent_id: mate.agent_id } }]);
  });

  test('a cursor of another feed, of another caller or of nobody is 400', async () => {
    const { next_cursor } = await ofAgent();
    const stranger = await anAgentAt(service);
    const refused = async (sent: Promise<{ status: number; body: { error: { details: { path: string }[] } } }>) => {
      const { status, body } = await sent;
      expect([status, body.error.details[0]?.path]).toEqual([400, 'after']);
    };
    const query = `?after=${next_cursor}`;
    await refused(stranger.get(AGENT + query));
    await refused(mate.get(AGENT + query));
    await refused(owner.get(`/events${query}`) as never);
    await refused(owner.agent.get(`${AGENT}${query}x`));
    await refused(owner.agent.get(`${AGENT}?after=`));
  });

  test('a cursor is valid as long as the events behind it are stored, whenever it was read', async () => {
    const [{ next_cursor: behindMonday }, { next_cursor: behindAll }] = [await ofAgent('?limit=1'), await ofAgent()];
    const statusOf = async (cursor: string) => (await owner.agent.get(`${AGENT}?after=${cursor}`)).status;
    const freeze = (from: Date, age: number) => service.arrange.freeze(new Date(from.getTime() + age));
    await freeze(MONDAY, EVENTS.kept);
    expect((await ofAgent(`?limit=1&after=${behindMonday}`)).items[0]?.type).toBe('decision.evaluated');
    await freeze(MONDAY, EVENTS.stored);
    const { body } = await owner.agent.get(`${AGENT}?after=${behindMonday}`).expect(400);
    expect(body.error.details).toMatchObject([{ path: 'after', message: expect.stringContaining('Read without it') }]);
    // Events that are too old for the feed are read until they are removed, and their readers can go on.
    const { next_cursor } = await ofAgent('?limit=1');
    expect((await ofAgent(`?limit=1&after=${next_cursor}`)).items[0]?.type).toBe('decision.evaluated');
    await freeze(FRIDAY, EVENTS.kept);
    expect(await statusOf(behindAll)).toBe(200);
    await freeze(FRIDAY, EVENTS.kept + DAY);
    expect(await statusOf(behindAll)).toBe(400);
    await service.arrange.freeze(FRIDAY);
  });

  test('a key that expires soon is an event of its owner, and of no agent', async () => {
    const { next_cursor } = await ofOwner();
    const expires_at = new Date((await service.ports.clock.now()).getTime() + DAY).toISOString();
    const { status, body: key } = await owner.post('/auth/api-keys', { expires_at, agent_id: mate.agent_id });
    expect([status, key.error]).toEqual([201, undefined]);
    await noteExpiringKeys(service.ports);
    const { items } = await ofOwner(`?after=${next_cursor}`);
    const data = { key_prefix: key.key_prefix, expires_at };
    expect(items).toEqual([{ id: expect.any(String), type: 'key.expiring', timestamp: expect.any(String), data }]);
    const others = [await ofAgent(''), await ofAgent('', mate), await ofOwner(`?agent_id=${mate.agent_id}`)];
    expect(others.flatMap((feed) => feed.items).map(({ type }) => type)).not.toContain('key.expiring');
  });

  test('a key without an agent has no events', async () => {
    const unbound = await anAgentAt(service, { mate: owner, bound: false });
    const { status, body } = await unbound.get(AGENT);
    expect([status, body.error.code]).toEqual([403, 'KEY_UNBOUND']);
  });
});
