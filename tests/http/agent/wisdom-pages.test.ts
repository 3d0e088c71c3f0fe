import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { COHORTS_AT as AT, aPastCall, gradedCalls, wisdom } from '../../harness/cohorts.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const BTC = { market: 'crypto', symbol: 'BTC', include_retroactive: 'true' };
const PINNED = { ...BTC, venue: 'COINBASE', asset_class: 'spot', quote_currency: 'USD' };
const TWO_CALLS = [aPastCall(20), aPastCall(30, { direction: 'bearish' })];

describe.each(STORAGES)('pages of a cohort, on %s', (storage) => {
  let service: TestService;
  let reader: TestAgent;
  let agents: readonly TestAgent[];
  beforeEach(async () => {
    service = await openService(storage, {
      at: AT,
      env: { LIMIT_COOLDOWN_SECONDS: '0', LIMIT_RETROACTIVE_PER_DAY: '1000' },
    });
    reader = await anAgentAt(service);
    agents = await Promise.all(Array.from({ length: 5 }, () => anAgentAt(service)));
  });
  afterEach(() => service.close());

  const bodyOf = async (query: Parameters<typeof wisdom>[1]) => {
    const { status, body, text } = await wisdom(reader, query);
    if (status !== 200) throw new Error(text);
    return body;
  };

  test.each(['data_cutoff_desc', 'data_cutoff_asc'])(
    "%s: every record of the first page's moment once, while more are graded",
    async (sort) => {
      const ids = await gradedCalls(
        service,
        agents,
        [10, 20, 20, 30].map((days) => aPastCall(days)),
      );
      const query = { ...BTC, sort };
      const pages = [await bodyOf({ ...query, limit: 6 })];
      while (pages.at(-1).next_cursor !== null) {
        await gradedCalls(
          service,
          agents.slice(0, 1),
          [10, 15, 25, 35].map((days) => aPastCall(days)),
        );
        pages.push(await bodyOf({ ...query, limit: 7, cursor: pages.at(-1).next_cursor }));
      }
      const rows: { record_id: string; data_cutoff: string }[] = pages.flatMap(({ items }) => items);
      expect(pages.map(({ items }) => items.length)).toEqual([6, 7, 7]);
      expect(pages.map(({ overview }) => overview.sample_count)).toEqual([20, 24, 28]);
      expect(rows.map(({ record_id }) => record_id).toSorted()).toEqual(ids.toSorted());
      const places = rows.map(({ data_cutoff, record_id }) => `${data_cutoff} ${record_id}`);
      expect(places).toEqual(sort === 'data_cutoff_asc' ? places.toSorted() : places.toSorted().toReversed());
    },
  );

  test('a cursor is valid only for its query, with any page size', async () => {
    await gradedCalls(service, agents, TWO_CALLS);
    const { next_cursor: cursor } = await bodyOf({ ...BTC, limit: 3 });
    expect((await bodyOf({ ...BTC, limit: 100, cursor })).items).toHaveLength(7);
    const others = [{ ...BTC, symbol: 'ETH' }, { ...BTC, sort: 'data_cutoff_asc' }, PINNED, { market: 'crypto' }];
    for (const other of others) {
      const { status, body } = await wisdom(reader, { ...other, cursor });
      expect([status, body.error.details]).toEqual([
        422,
        [{ path: 'cursor', message: 'must be the next_cursor of the same query' }],
      ]);
    }
    expect((await wisdom(reader, { ...BTC, cursor: `A${cursor.slice(1)}A` })).status).toBe(422);
  });

  test('a full last page has no next_cursor', async () => {
    await gradedCalls(service, agents, TWO_CALLS);
    const { items, next_cursor } = await bodyOf({ ...BTC, limit: 10 });
    expect([items.length, next_cursor]).toEqual([10, null]);
  });

  test('a cohort that is withheld after the first page returns no second page', async () => {
    const ids = await gradedCalls(service, agents, TWO_CALLS);
    const { next_cursor: cursor } = await bodyOf({ ...BTC, limit: 3 });
    await service.arrange.mark(ids[0] ?? '', { quarantine_reason: 'a test' });
    expect(await bodyOf({ ...BTC, limit: 3, cursor })).toMatchObject({
      overview: { sample_count: null },
      items: [],
      next_cursor: null,
    });
  });
});
