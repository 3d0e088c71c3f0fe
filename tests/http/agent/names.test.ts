import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { learnNames, learnShippedNames } from '../../../application/market/names.ts';
import type { Submission } from '../../../domain/decisions/submission/submission.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { aStatement } from '../../builders/names.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { wisdom } from '../../harness/cohorts.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const AT = new Date('2026-01-30T15:00:00.000Z');
const SHARE = { market: 'stock', venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' } as const;

describe.each(STORAGES)('names in submissions, on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  beforeEach(async () => {
    service = await openService(storage, { at: AT });
    agent = await anAgentAt(service);
  });
  afterEach(() => service.close());

  /** A decision on a share at a day, in New York's session. */
  const share = (symbol: string, date: string, changes: Partial<Submission> = {}) =>
    aSubmission(new Date(`${date}T15:00:00.000Z`), {
      ...{ ...SHARE, symbol, horizon_kind: 'trading_days', horizon_value: 5 },
      ...changes,
    });
  const coin = (symbol: string, changes: Partial<Submission> = {}) => aSubmission(AT, { symbol, ...changes });
  const keyOf = ({ body }: { body: { cohort_key?: string } }) => body.cohort_key?.split(':')[1];
  const read = ({ body }: { body: { warnings: readonly { code: string; message: string }[] } }) =>
    body.warnings.find(({ code }) => code === 'SYMBOL_READ_AS')?.message;

  test('are read by the date of the anchor: FB, META, METV, FB again', async () => {
    await learnShippedNames(service.ports);
    const sent = [
      ['FB', '2021-03-01', 'meta'],
      ['META', '2021-12-01', 'metv'],
      ['META', '2022-06-09', 'meta'],
      ['METV', '2023-03-01', 'metv'],
      ['FB', '2025-07-01', 'fb'],
      ['META', '2020-03-02', 'meta'],
    ] as const;
    for (const [symbol, date, key] of sent) {
      const reply = await (await anAgentAt(service)).submit(share(symbol, date));
      expect([symbol, date, reply.status, keyOf(reply)]).toEqual([symbol, date, 201, key]);
    }
  });

  test('a warning names the security, and the others that had the name', async () => {
    await learnShippedNames(service.ports);
    expect(read(await agent.submit(share('FB', '2021-03-01')))).toMatch(
      /^FB was read as the security META\. At other times FB is the security FB from 2025-06-24\. To be read without a doubt/,
    );
    expect(read(await agent.preview(share('META', '2020-03-02')))).toMatch(
      /^META was read as the security META, which was called FB then\. At other times META is the security METV from 2021-06-30 to 2022-01-31\./,
    );
    expect(read(await agent.preview(share('FB', '2025-07-01')))).toMatch(
      /^FB was read as the security FB\. At other times/,
    );
    expect(read(await agent.preview(share('MSFT', '2021-03-01')))).toBeUndefined();
  });

  test('a view shows the name of then, the cohort and the cooldown go by the security', async () => {
    await learnShippedNames(service.ports);
    const { body } = await agent.submit(share('FB', '2021-03-01'));
    const { body: detail } = await agent.read(body.record_id);
    expect(detail).toMatchObject({ symbol: 'FB', name: 'FB', cohort_key: expect.stringContaining(':meta:') });
    const again = await agent.submit(share('META', '2022-06-10'));
    expect([again.status, again.body.error?.code]).toEqual([429, 'DUPLICATE_SUBMISSION']);
    expect((await agent.submit(share('META', '2021-12-01'))).status).toBe(201);
    const { body: list } = await agent.get('/api/v1/agent/decisions?symbol=META');
    expect(list.items.map((each: { name?: string }) => each.name)).toEqual(['FB']);
    const { body: without } = await agent.get('/api/v1/agent/decisions?symbol=METV');
    expect(without.items).toMatchObject([{ symbol: 'META', name: 'META' }]);
  });

  test('a name that nobody had is refused with who had it', async () => {
    await learnShippedNames(service.ports);
    const { status, body } = await agent.submit(share('FB', '2023-03-01'));
    expect([status, body.error.code]).toEqual([422, 'INVALID_SYMBOL']);
    expect(body.error.suggestion).toBe(
      'No security was FB on 2023-03-01: it is the security META from 2012-05-18 to 2022-06-09, FB from 2025-06-24. Send META, or another time.',
    );
    expect(keyOf(await agent.submit(share('META', '2023-03-01')))).toBe('meta');
  });

  test('a warning advises the name of that date, and a refusal no key that is another security then', async () => {
    await learnShippedNames(service.ports);
    const warning = read(await agent.preview(share('FB', '2021-12-15')));
    expect(warning).toMatch(/or the name that the security had on that date\.$/);
    expect(keyOf(await agent.submit(share('META', '2021-12-15')))).toBe('metv');
    const lost = aStatement({ name: 'LOST', from: '2013-01-02', until: '2014-01-02', key: 'META' });
    await learnNames(service.ports, [lost], 'x');
    const { body } = await agent.submit(share('LOST', '2021-12-15'));
    expect(body.error.suggestion).toMatch(/^No security was LOST on 2021-12-15: .* Send FB, or another time\.$/);
    expect(keyOf(await agent.submit(share('FB', '2021-12-15')))).toBe('meta');
  });

  test('what sources contradict each other on is refused with both, and what a merger ended with its successor', async () => {
    await learnShippedNames(service.ports);
    const by = (name: string, key: string) => aStatement({ name: 'ZZ', key, source: { kind: 'exchange', name } });
    await learnNames(service.ports, [by('NYSE', 'ZZA'), by('SEC', 'ZZB')], 'x');
    const { status, body } = await agent.submit(share('ZZ', '2021-12-15'));
    expect([status, body.error.suggestion]).toEqual([
      422,
      'On 2021-12-15 ZZ had ended at NASDAQ, or statements about it contradict each other: it is the security ' +
        'ZZA from 2012-05-18, ZZB from 2012-05-18. Send ZZA, or ZZB, or another time.',
    ]);
    const merged = await agent.submit(coin('AGIX', { venue: 'BINANCE', quote_currency: 'USDT' }));
    expect([merged.status, merged.body.error.suggestion]).toEqual([
      422,
      'No security was AGIX on 2026-01-30: it is the security AGIX until 2024-07-01. On 2024-07-01 AGIX was merged into ' +
        'FET. Send another time.',
    ]);
  });

  test('a key whose line has another name shows that name, and a warning says in which units prices are', async () => {
    await learnShippedNames(service.ports);
    const perp = { venue: 'BINANCE', asset_class: 'perp', quote_currency: 'USDT' } as const;
    const sent = await agent.submit(coin('PEPE', perp));
    expect([sent.status, keyOf(sent)]).toEqual([201, 'pepe']);
    expect(read(sent)).toMatch(
      /^PEPE was read as the security PEPE, which was called 1000PEPE then\. Prices and targets are per 1000PEPE, which is 1000 PEPE\./,
    );
    expect((await agent.read(sent.body.record_id)).body.name).toBe('1000PEPE');
    expect(read(await agent.preview(coin('PEPE', { ...perp, asset_class: 'spot' })))).toBeUndefined();
    expect(read(await agent.preview(coin('BTC', perp)))).toBeUndefined();
    const counter = { venue: 'HKEX', symbol: '0700.HK' } as const;
    const yuan = await agent.preview(share('0700.HK', '2026-01-29', { ...counter, quote_currency: 'CNY' }));
    expect(read(yuan)).toMatch(/^0700\.HK was read as the security 0700\.HK, which was called 80700\.HK then\./);
  });

  test('what the name is at another venue now is not said of other times', async () => {
    await learnShippedNames(service.ports);
    const spot = { venue: 'BINANCE', asset_class: 'spot', quote_currency: 'USDT' } as const;
    const warning = read(await agent.preview(coin('1000PEPE', spot)));
    expect(warning).toMatch(
      /At another venue, quote or class, or by another source, 1000PEPE is the security PEPE from/,
    );
    expect(warning).not.toMatch(/At other times/);
  });

  test('one coin has one cooldown under all of its names; a contract of 1,000 is the coin', async () => {
    await learnShippedNames(service.ports);
    const perp = { venue: 'BINANCE', asset_class: 'perp', quote_currency: 'USDT' } as const;
    const first = await agent.submit(coin('1000PEPEUSDT', perp));
    expect([first.status, keyOf(first)]).toEqual([201, 'pepe']);
    expect(read(first)).toMatch(/^1000PEPE was read as the security PEPE\./);
    expect((await agent.read(first.body.record_id)).body.name).toBe('1000PEPE');
    expect((await agent.submit(coin('PEPE', { venue: 'OKX', quote_currency: 'USDT' }))).status).toBe(429);
    expect(keyOf(await agent.submit(coin('XBT', { venue: 'KRAKEN', quote_currency: 'USD' })))).toBe('btc');
    expect((await agent.submit(coin('BTC', { venue: 'KRAKEN', quote_currency: 'USD' }))).status).toBe(429);
    expect(keyOf(await agent.submit(coin('1INCH', { venue: 'BINANCE', quote_currency: 'USDT' })))).toBe('1inch');
    expect(keyOf(await agent.submit(coin('MATIC', { venue: 'COINBASE', quote_currency: 'USD' })))).toBe('pol');
  });

  test('an index of Shanghai is no bank of Shenzhen', async () => {
    const china = { quote_currency: 'CNY' } as const;
    const index = await agent.submit(share('000001', '2026-01-29', { ...china, venue: 'SSE' }));
    const bank = await agent.submit(share('000001', '2026-01-29', { ...china, venue: 'SZSE' }));
    expect([keyOf(index), keyOf(bank)]).toEqual(['000001.ss', '000001']);
    expect((await agent.submit(share('000001.SS', '2026-01-29', { ...china, venue: 'SSE' }))).status).toBe(429);
    expect((await agent.submit(share('000001.SS', '2026-01-29', { ...china, venue: 'SZSE' }))).status).toBe(422);
    const { body } = await wisdom(agent, { market: 'stock', symbol: '000001', venue: 'SSE' });
    expect(body.query.symbol).toBe('000001.SS');
  });

  test('a statement that is learned later counts what is there under the other security, and each view says so', async () => {
    const sent = await agent.submit(share('FB', '2021-03-01'));
    const { body: before } = await agent.read(sent.body.record_id);
    expect([keyOf(sent), before.counted_as]).toEqual(['fb', undefined]);
    const { learned } = await learnShippedNames(service.ports);
    const counted_as = {
      symbol: 'META',
      cohort_key: sent.body.cohort_key.replace(':fb:', ':meta:'),
      since: learned[0]?.learned_at.toISOString(),
    };
    const { body: detail } = await agent.read(sent.body.record_id);
    expect(detail).toEqual({ ...before, counted_as });
    const lists = await Promise.all(
      ['META', 'FB'].map(async (symbol) => (await agent.get(`/api/v1/agent/decisions?symbol=${symbol}`)).body.items),
    );
    expect(lists).toMatchObject([[{ symbol: 'FB', cohort_key: sent.body.cohort_key, counted_as }], []]);
    // The cooldown of what was received goes by what was read then, a new submission by the names of now.
    const again = await agent.submit(share('FB', '2021-03-01'));
    expect([again.status, keyOf(again)]).toEqual([201, 'meta']);
    expect((await agent.read(again.body.record_id)).body.counted_as).toBeUndefined();
  });

  /** As another process does: this one does not see it before it reads the names again. */
  const learnElsewhere = (said: Parameters<typeof aStatement>[0]) =>
    learnNames({ ...service.ports, names: { ...service.ports.names } }, [aStatement(said)], 'x');

  test('a plan made before the newest statement is made again', async () => {
    await agent.submit(share('MSFT', '2021-03-01'));
    await learnElsewhere({ name: 'MSFT', from: '1986-03-13', until: '2024-01-02', key: 'MSFT~2' });
    const { status, body } = await agent.submit(share('MSFT', '2021-03-02'));
    expect([status, body.cohort_key]).toEqual([201, expect.stringContaining('stock:msft~2:')]);
    expect((await agent.submit(share('MSFT~2', '2021-03-03'))).status).toBe(429);
    expect((await agent.submit(share('MSFT~3', '2021-03-03'))).status).toBe(422);
  });

  test('a symbol that another process learned since is not refused, alone or in a group', async () => {
    expect((await agent.submit(share('QQZZQ', '2021-03-01'))).status).toBe(422);
    await learnElsewhere({ name: 'QQZZQ', key: 'QQZZQ' });
    expect(keyOf(await agent.submit(share('QQZZQ', '2021-03-01')))).toBe('qqzzq');
    await learnElsewhere({ name: 'QQZZR', key: 'QQZZR' });
    const { horizon_kind, horizon_value, ...body } = share('QQZZR', '2021-03-01');
    const horizons = [5, 10].map((value) => ({ horizon_kind, horizon_value: value }));
    const grouped = await request(service.app)
      .post('/api/v1/agent/decision-groups')
      .set('x-api-key', (await anAgentAt(service)).api_key)
      .send({ ...body, horizons });
    expect(grouped.status).toBe(201);
  });

  test('a filter is a key or a name of the date of as_of, and the reply says what it was read as', async () => {
    await learnShippedNames(service.ports);
    const asked = async (query: Readonly<Record<string, string>>) => (await wisdom(agent, query)).body;
    const fb = await asked({ market: 'stock', symbol: 'FB' });
    expect(fb.query.symbol).toBe('FB');
    expect(fb.read_as.others).toEqual([{ name: 'FB', key: 'META', from: '2012-05-18', until: '2022-06-09' }]);
    expect((await asked({ market: 'stock', symbol: 'FB', as_of: '2021-03-01T00:00:00Z' })).query.symbol).toBe('META');
    expect((await asked({ market: 'stock', symbol: 'METV' })).read_as.names).toHaveLength(2);
    const pepe = await asked({ market: 'crypto', symbol: '1000PEPE' });
    expect([pepe.query.symbol, pepe.read_as.names.length]).toEqual(['PEPE', 1]);
    expect((await asked({ market: 'crypto', symbol: '1000PEPEUSDT' })).query.symbol).toBe('PEPE');
    const perp = await agent.submit(
      coin('1000PEPEUSDT', { venue: 'BINANCE', asset_class: 'perp', quote_currency: 'USDT' }),
    );
    const { body: own } = await agent.get('/api/v1/agent/decisions?symbol=1000PEPEUSDT&venue=BINANCE');
    expect(own.items.map((each: { record_id: string }) => each.record_id)).toEqual([perp.body.record_id]);
    expect(await asked({ market: 'stock', symbol: 'MSFT' })).not.toHaveProperty('read_as');
    const { body } = await agent.get('/api/v1/public/cohorts?market=stock&symbol=FB');
    expect(body.read_as.symbol).toBe('FB');
  });
});
