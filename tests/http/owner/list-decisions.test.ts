import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { MINUTE } from '../../../domain/time.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt, strangerAt, type TestAgent } from '../../harness/callers.ts';
import { anOwnerWithAgent, type TestOwner } from '../../harness/owners.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

/** A Monday in the session of New York, within the packaged prices of MSFT. */
const MONDAY = new Date('2014-06-02T15:00:00.000Z');
const FRIDAY = new Date('2014-06-07T00:00:00.000Z');

describe.each(STORAGES)('the list of own records, on %s', (storage) => {
  let service: TestService;
  let owner: TestOwner;
  let second: TestAgent;
  /** In the order of their submission: rejected, evaluated, quarantined, archived, open, open of the second agent. */
  const ids: string[] = [];
  beforeAll(async () => {
    ids.length = 0;
    service = await openService(storage, { at: MONDAY, env: { LIMIT_COOLDOWN_SECONDS: '0' } });
    owner = await anOwnerWithAgent(service);
    second = await anAgentAt(service, { mate: owner });
    const stranger = await anOwnerWithAgent(service);
    await stranger.agent.submit(aSubmission(MONDAY));
    const submit = async (agent: TestAgent, changes: object) => {
      const at = await service.ports.clock.now();
      ids.push((await agent.submit({ ...aSubmission(at), ...changes })).body.record_id);
      await service.arrange.advance(MINUTE);
    };
    const msft = { market: 'stock', symbol: 'msft', venue: 'NASDAQ', horizon_kind: 'trading_days', horizon_value: 3 };
    await submit(owner.agent, { symbol: 'NOSUCHCOIN' });
    for (const direction of ['bullish', 'bearish', 'neutral']) await submit(owner.agent, { ...msft, direction });
    await service.settle();
    await service.arrange.freeze(FRIDAY);
    await service.settle();
    await owner.logInAgain();
    await service.arrange.mark(ids[2] ?? '', { quarantine_reason: 'bad data' });
    await owner.revoke(ids[3] ?? '', { reason: 'a test' });
    await submit(owner.agent, { symbol: 'BTC-USDT', venue: 'BINANCE', quote_currency: 'USDT', asset_class: 'perp' });
    await submit(second, { direction: 'bearish' });
  });
  afterAll(() => service.close());

  const list = async (query = '') => (await owner.get(`/decisions${query}`)).body;
  const idsOf = async (query: string): Promise<string[]> =>
    (await list(query)).items.map((item: { record_id: string }) => item.record_id);
  const at = (...places: readonly number[]) => places.map((place) => ids[place]);

  test('all records but the archived ones, the newest first, failed and quarantined ones with the reason', async () => {
    const { items, next_cursor } = await list();
    expect(next_cursor).toBeNull();
    expect(items.map((item: { record_id: string }) => item.record_id)).toEqual(at(5, 4, 2, 1, 0));
    const itemAt = (place: number) => items.find((item: { record_id: string }) => item.record_id === ids[place]);
    expect(itemAt(0)).toMatchObject({
      lifecycle_state: 'rejected',
      evaluation: { last_error: 'No source knows this instrument.' },
    });
    expect(itemAt(2)).toMatchObject({ lifecycle_state: 'quarantined', quarantine_reason: 'bad data' });
    expect(itemAt(5)).toMatchObject({ agent_id: second.agent_id, result_bucket: null, path: null });
    expect(itemAt(4)).toMatchObject({ agent_id: owner.agent.agent_id, symbol: 'BTC-USDT', venue: 'BINANCE' });
  });

  test('the members of an item are equal to those of the detail', async () => {
    for (const item of (await list('?include_archived=true')).items) {
      const { body: detail } = await owner.get(`/decisions/${item.record_id}?include_archived=true`);
      const { path, ...rest } = item;
      expect(detail).toMatchObject(rest);
      if (detail.outcome === null) expect(path).toBeNull();
      else {
        const { raw_return, directional_return, mfe, mae, z, market } = detail.outcome;
        const market_move = market?.move ?? null;
        expect(path).toEqual({
          raw_return,
          directional_return,
          mfe: mfe?.value ?? null,
          mae: mae.value,
          z,
          market_move,
        });
      }
      expect(Object.keys(item)).toEqual(
        expect.not.arrayContaining(['outcome', 'bars', 'summary', 'commitment_opening']),
      );
    }
  });

  test('include_archived=true shows the archived ones too, with time and reason', async () => {
    expect(await idsOf('?include_archived=true')).toEqual(at(5, 4, 3, 2, 1, 0));
    expect(await idsOf('?include_archived=false')).toEqual(at(5, 4, 2, 1, 0));
    const { items } = await list('?include_archived=true&direction=neutral');
    expect(items[0]).toMatchObject({ archived_at: FRIDAY.toISOString(), archive_reason: 'a test' });
  });

  test('every filter of the contract, alone', async () => {
    const expected: Readonly<Record<string, readonly number[]>> = {
      [`agent_id=${second.agent_id}`]: [5],
      'market=stock': [2, 1],
      'market=crypto': [5, 4, 0],
      'symbol=msft': [2, 1],
      'symbol=BTC': [5, 4],
      'symbol=btc/usdt': [5, 4],
      'venue=binance': [4],
      'venue=NOWHERE': [],
      'asset_class=perp': [4],
      'quote_currency=usdt': [4],
      'direction=bearish': [5, 2],
      'lifecycle_state=rejected': [0],
      'lifecycle_state=quarantined': [2],
      'lifecycle_state=evaluated': [1],
      'submitted_since=2014-06-02T15:01:00Z': [5, 4, 2, 1],
      'submitted_until=2014-06-02T15:01:00Z': [0],
      'submitted_since=2014-06-02T11:01:00-04:00&submitted_until=2014-06-02T15:02:00Z': [1],
      'evaluated_since=2014-06-02T15:01:00Z': [2, 1],
      'evaluated_since=2099-01-01T00:00:00Z': [],
      'submission_origin=realtime': [5, 4, 2, 1, 0],
      'submission_origin=retroactive': [],
      'ended_until=2099-01-01T00:00:00Z': [5, 4, 2, 1, 0],
      'ended_since=2014-06-02T15:00:00Z&ended_until=2014-06-02T15:00:00.001Z': [],
      'ended_since=2099-01-01T00:00:00Z': [],
      'agent_id=agt_000000000000': [],
      'market=stock&symbol=BTC': [],
      'symbol=BTCUSD&quote_currency=USD': [5],
    };
    for (const [query, places] of Object.entries(expected))
      expect([query, await idsOf(`?${query}`)]).toEqual([query, at(...places)]);
    const { body } = await owner.get(`/decisions/${ids[1]}`);
    expect(await idsOf(`?result_bucket=${body.result_bucket}&lifecycle_state=evaluated`)).toEqual(at(1));
  });

  test('pages by cursor hold each record once', async () => {
    const seen: string[] = [];
    for (let query = '?limit=2&include_archived=true'; ; ) {
      const { items, next_cursor } = await list(query);
      seen.push(...items.map((item: { record_id: string }) => item.record_id));
      if (next_cursor === null) break;
      expect(items).toHaveLength(2);
      query = `?limit=2&include_archived=true&cursor=${next_cursor}`;
    }
    expect(seen).toEqual(at(5, 4, 3, 2, 1, 0));
  });

  test('a page of another size continues at the cursor; another query, caller or cursor is 400', async () => {
    const { next_cursor } = await list('?limit=1');
    expect(await idsOf(`?limit=2&cursor=${next_cursor}`)).toEqual(at(4, 2));
    const stranger = await anOwnerWithAgent(service);
    const others = [
      () => owner.get(`/decisions?market=stock&cursor=${next_cursor}`),
      () => owner.get(`/decisions?include_archived=true&cursor=${next_cursor}`),
      () => stranger.get(`/decisions?cursor=${next_cursor}`),
      () => owner.get(`/decisions?cursor=${next_cursor}x`),
      () => owner.get('/decisions?cursor='),
      () => owner.get('/decisions?cursor=%F0%9F%98%80'),
      () => owner.get(`/decisions?cursor=${'A'.repeat(5_000)}`),
    ];
    for (const ask of others) {
      const { status, body } = await ask();
      expect([status, body.error.code, body.error.details[0].path]).toEqual([400, 'VALIDATION_ERROR', 'cursor']);
    }
  });

  test('400 names the parameter and says what to send', async () => {
    const wrong: Readonly<Record<string, string>> = {
      'limit=0': 'limit',
      'limit=101': 'limit',
      'limit=ten': 'limit',
      'market=forex': 'market',
      'symbol=%20': 'symbol',
      'symbol=a/b/c': 'symbol',
      'venue=': 'venue',
      'quote_currency=%C3%9F': 'quote_currency',
      'direction=up': 'direction',
      'lifecycle_state=done': 'lifecycle_state',
      'result_bucket=correct': 'result_bucket',
      'agent_id=me': 'agent_id',
      'submitted_since=yesterday': 'submitted_since',
      'submitted_since=2014-06-02T15:00:00Z&submitted_until=2014-06-02T15:00:00Z': 'submitted_until',
      'evaluated_since=2014-06-02': 'evaluated_since',
      'submission_origin=late': 'submission_origin',
      'ended_since=2014-06-02': 'ended_since',
      'ended_since=2014-06-02T15:00:00Z&ended_until=2014-06-02T15:00:00Z': 'ended_until',
      'include_archived=1': 'include_archived',
      'owner_id=x': 'owner_id',
    };
    for (const [query, path] of Object.entries(wrong)) {
      const { status, body } = await owner.get(`/decisions?${query}`);
      expect([query, status, body.error?.details?.[0].path]).toEqual([query, 400, path]);
    }
    expect((await owner.get('/decisions?limit=1&limit=2')).status).toBe(400);
    expect((await owner.get('/decisions?limit=100')).status).toBe(200);
  });

  test('401 without a session, 403 with a key', async () => {
    expect((await strangerAt(service).get('/api/v1/owner/decisions')).status).toBe(401);
    const { status, body } = await owner.agent.get('/api/v1/owner/decisions');
    expect([status, body.error.code]).toEqual([403, 'FORBIDDEN']);
  });

  describe('as the agent asks', () => {
    const LIST = '/api/v1/agent/decisions';
    const own = async (agent: TestAgent, query = '') =>
      (await agent.get(`${LIST}${query}`)).body.items?.map((item: { record_id: string }) => item.record_id);

    test('returns its own records, open ones too, and none of another agent of its owner', async () => {
      expect(await own(owner.agent)).toEqual(at(4, 2, 1, 0));
      expect(await own(second)).toEqual(at(5));
      expect(await own(owner.agent, '?include_archived=true&market=stock')).toEqual(at(3, 2, 1));
      expect(await own(await anAgentAt(service))).toEqual([]);
    });

    test('page by page, in the same order, by cursors of its own queries', async () => {
      const { body } = await owner.agent.get(`${LIST}?limit=3`);
      expect(await own(owner.agent, `?limit=3&cursor=${body.next_cursor}`)).toEqual(at(0));
      expect((await second.get(`${LIST}?cursor=${body.next_cursor}`)).status).toBe(400);
    });

    test('a read_only key is accepted; an unbound one is 403 KEY_UNBOUND', async () => {
      const reader = await anAgentAt(service, { mate: owner, permission_mode: 'read_only' });
      expect(await own(reader)).toEqual([]);
      const unbound = await anAgentAt(service, { mate: owner, bound: false });
      const { status, body } = await unbound.get(LIST);
      expect([status, body.error.code]).toEqual([403, 'KEY_UNBOUND']);
    });

    test('agent_id is not a parameter, and a session is not accepted', async () => {
      expect((await owner.agent.get(`${LIST}?agent_id=${second.agent_id}`)).status).toBe(400);
      expect((await request(service.app).get(LIST).set({ cookie: owner.cookie() })).status).toBe(403);
    });

    test('it takes nothing from a pool', async () => {
      const { headers } = await owner.agent.get(LIST);
      expect([headers['x-quota-resource'], headers['x-quota-remaining']]).toEqual(['none', 'unlimited']);
    });

    test('returns what its owner sees of them, listed again and after a quarantine, and to nobody else', async () => {
      const agent = await anAgentAt(service, { mate: owner });
      const { record_id } = (await agent.submit(aSubmission(await service.ports.clock.now()))).body;
      const listed = async () => {
        const [seen] = (await list(`?agent_id=${agent.agent_id}`)).items;
        const { agent_id: _, number, ...expected } = seen;
        expect(number).toBe(1);
        for (const { body } of [await agent.get(LIST), await agent.get(LIST)]) expect(body.items).toEqual([expected]);
        return expected;
      };
      expect(await listed()).toMatchObject({ record_id, quarantine_reason: null });
      await service.arrange.mark(record_id, { quarantine_reason: 'bad data' });
      expect(await listed()).toMatchObject({ lifecycle_state: 'quarantined', quarantine_reason: 'bad data' });
      for (const other of [second, await anAgentAt(service)]) expect(await own(other)).not.toContain(record_id);
    });
  });
});
