import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { INSTRUMENT_SEARCH } from '../../../domain/limits.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const AT = new Date('2017-06-05T12:20:00.000Z');

interface Item {
  readonly market: string;
  readonly symbol: string;
  readonly match: string;
  readonly venues: readonly string[];
}

describe.each(STORAGES)('the search for instruments, on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  beforeAll(async () => {
    service = await openService(storage, { at: AT });
    agent = await anAgentAt(service);
  });
  afterAll(() => service.close());

  const find = (query: string) => agent.get(`/api/v1/agent/instruments?${query}`);
  const found = async (query: string): Promise<Item[]> => {
    const { status, body } = await find(query);
    expect([status, body.error]).toEqual([200, undefined]);
    return body.items;
  };
  const symbols = async (query: string) => (await found(query)).map(({ symbol }) => symbol);

  test('the ticker itself comes first, then longer ones, in any spelling', async () => {
    const items = await found('query=%20msft%20');
    expect(items[0]).toMatchObject({ market: 'stock', symbol: 'MSFT', match: 'exact' });
    expect(items.slice(1).every(({ symbol, match }) => symbol.startsWith('MSFT') && match === 'prefix')).toBe(true);
    expect((await symbols('query=brk%2Fb'))[0]).toBe('BRK.B');
    const begun = await found('query=MSF');
    expect(begun.find(({ symbol }) => symbol === 'MSFT')).toMatchObject({ match: 'prefix' });
  });

  test('a misspelled ticker gets the similar ones', async () => {
    const items = await found('query=MSTF&market=stock');
    expect(items.find(({ symbol }) => symbol === 'MSFT')).toMatchObject({ match: 'similar' });
  });

  test('every venue of an item can be submitted, and is described once', async () => {
    const { body } = await find('query=MSFT&limit=1');
    const [{ venues }] = body.items;
    expect(body.venues.map(({ venue }: { venue: string }) => venue)).toEqual(venues);
    for (const { venue, spot } of body.venues) {
      const instrument = { market: 'stock', symbol: 'MSFT', venue, asset_class: 'spot', quote_currency: spot[0] };
      const sent = aSubmission(AT, { ...instrument, horizon_kind: 'trading_days', horizon_value: 2 });
      const { status, body: checked } = await agent.preview(sent);
      expect([venue, status, checked.error]).toEqual([venue, 200, undefined]);
    }
  });

  test('six digits are listed where codes are numbers', async () => {
    const [item] = await found('query=600000');
    expect(item).toMatchObject({ market: 'stock', symbol: '600000', venues: ['SSE', 'SZSE'] });
  });

  test.each([
    ['700.HK', '0700.HK', ['HKEX']],
    ['M&M.NS', 'M&M.NS', ['NSE']],
    ['ASML.AS', 'ASML.AS', ['EURONEXT']],
  ])('the code %s is %s of %j, and is accepted there unverified', async (query, symbol, venues) => {
    const { body } = await find(`query=${encodeURIComponent(query)}&market=stock`);
    expect(body.items[0]).toEqual({ market: 'stock', symbol, match: 'exact', venues });
    const [{ venue, spot }] = body.venues;
    const stock = { market: 'stock', symbol: query, venue, asset_class: 'spot', quote_currency: spot[0] };
    const sent = aSubmission(AT, { ...stock, horizon_kind: 'trading_days', horizon_value: 2 });
    const { body: checked } = await agent.preview(sent);
    expect(checked.normalized).toMatchObject({ symbol, venue: venues[0] });
    const { status, body: receipt } = await agent.submit(sent);
    expect([status, receipt.lifecycle_state]).toEqual([201, 'pending_verify']);
    expect(receipt.warnings.map(({ code }: { code: string }) => code)).toContain('INSTRUMENT_UNVERIFIED');
  });

  test('a code of the wrong form is refused with the right one', async () => {
    const stock = { market: 'stock', symbol: 'TENCENT', venue: 'HKEX', asset_class: 'spot', quote_currency: 'HKD' };
    const sent = aSubmission(AT, { ...stock, horizon_kind: 'trading_days', horizon_value: 2 });
    const { status, body } = await agent.submit(sent);
    expect([status, body.error.code, body.error.details[0].path]).toEqual([422, 'INVALID_SYMBOL', 'symbol']);
    expect(body.error.details[0].message).toContain('on HKEX send the ticker with .HK, or without');
  });

  test('a coin without stored prices is unlisted, whatever others have submitted', async () => {
    const instrument = {
      market: 'crypto',
      symbol: 'FOUND',
      venue: 'KRAKEN',
      asset_class: 'spot',
      quote_currency: 'USD',
    };
    const unlisted = (symbol: string) => [
      { market: 'crypto', symbol, match: 'unlisted', venues: expect.arrayContaining(['KRAKEN']) },
    ];
    expect(await found('query=FOUND&market=crypto')).toEqual(unlisted('FOUND'));
    const { status } = await agent.submit(aSubmission(AT, { ...instrument }));
    expect(status).toBe(201);
    const known = { listing: null, checked_at: AT, retry_at: null, attempts: 0, last_error: null };
    await service.ports.instruments.put({ instrument: instrument as Instrument, status: 'verified', ...known });
    for (const text of ['found', 'FOUND-USD']) {
      expect(await found(`query=${text}&market=crypto`)).toEqual(unlisted('FOUND'));
    }
    // Nothing is cut off where the rest is no coin that is known.
    expect(await found('query=FOUNDUSDT&market=crypto')).toEqual(unlisted('FOUNDUSDT'));
    expect(await found('query=FOUND')).not.toContainEqual(expect.objectContaining({ market: 'crypto' }));
  });

  test('the coins of the bar files are found by their beginning', async () => {
    expect(await symbols('query=BT&market=crypto')).toContain('BTC');
    const [btc] = await found('query=BTC&market=crypto');
    expect(btc).toMatchObject({ market: 'crypto', symbol: 'BTC', match: 'exact' });
  });

  test('limit, and what is refused', async () => {
    expect(await symbols('query=A')).toHaveLength(INSTRUMENT_SEARCH.byDefault);
    expect(await symbols(`query=A&limit=${INSTRUMENT_SEARCH.most}`)).toHaveLength(INSTRUMENT_SEARCH.most);
    for (const wrong of [
      '',
      'query=',
      'query=a%20b',
      `query=${'A'.repeat(41)}`,
      'query=A&limit=0',
      'query=A&limit=51',
    ]) {
      const { status, body } = await find(wrong);
      expect([wrong, status, body.error?.code]).toEqual([wrong, 400, 'VALIDATION_ERROR']);
    }
  });

  test('it takes no unit', async () => {
    const { headers } = await find('query=MSFT');
    expect(headers['x-quota-resource']).toBe('none');
  });
});
