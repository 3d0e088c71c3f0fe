import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { learnNames } from '../../../application/market/names.ts';
import { MINUTE } from '../../../domain/time.ts';
import { aStatement } from '../../builders/names.ts';
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

  test('a cursor of before names moved decisions of its cohort is refused, and no other one is', async () => {
    const ids = await gradedCalls(service, agents, TWO_CALLS);
    const wide = { market: 'crypto', include_retroactive: 'true' };
    const cursorOf = async (query: Parameters<typeof wisdom>[1]) => (await bodyOf({ ...query, limit: 3 })).next_cursor;
    const learn = async (name: string) => {
      await service.arrange.advance(MINUTE);
      const said = aStatement({ market: 'crypto', name, from: '2012-01-01', key: `${name}X` });
      return learnNames(service.ports, [said], 'a test');
    };
    const [all, btc] = [await cursorOf(wide), await cursorOf(BTC)];
    await learn('ETH');
    const refused = {
      path: 'cursor',
      message:
        'is older than statements about names by which decisions of this cohort may count anew: ask for the first page again',
    };
    const asked = async (query: Parameters<typeof wisdom>[1]) => {
      const { status, body } = await wisdom(reader, { ...query, limit: 100 });
      return status === 200 ? body.items.length : [status, body.error.details];
    };
    expect(await asked({ ...wide, cursor: all })).toEqual([422, [refused]]);
    expect(await asked({ ...BTC, cursor: btc })).toBe(7);
    expect(await asked({ ...wide, cursor: await cursorOf(wide) })).toBe(7);
    const again = await cursorOf(wide);
    expect((await learn('BTC')).recounted).toBe(ids.length);
    expect(await asked({ ...wide, cursor: again })).toEqual([422, [refused]]);
    expect(await asked(wide)).toBe(10);
    expect(await asked({ ...wide, cursor: await cursorOf(wide) })).toBe(7);
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
