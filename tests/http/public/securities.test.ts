import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { learnNames, learnShippedNames, newestNames, withdrawName } from '../../../application/market/names.ts';
import { readStatus } from '../../../application/operators/read-status.ts';
import { nameBook } from '../../../domain/market/name-book.ts';
import { nameFaults } from '../../../domain/market/name-faults.ts';
import { SHIPPED_NAMES } from '../../../domain/market/shipped-names.ts';
import { MINUTE } from '../../../domain/time.ts';
import { nameLearner } from '../../../infrastructure/background/log-watch.ts';
import { composeSweeps } from '../../../infrastructure/compose/compose-sweeps.ts';
import { learnBeforeTheFirst } from '../../../infrastructure/service.ts';
import { aStatement, learned } from '../../builders/names.ts';
import { aProcess } from '../../builders/processes.ts';
import { strangerAt } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

describe('what a release ships', () => {
  const book = nameBook(learned(...SHIPPED_NAMES));
  const read = (
    market: 'stock' | 'crypto',
    venue: string,
    name: string,
    date: string,
    quote_currency = 'USDT',
    asset_class: 'perp' | 'spot' = market === 'crypto' ? 'perp' : 'spot',
  ) => {
    return book.read({ market, venue, name, asset_class, quote_currency }, date, '2026-11-28')?.key ?? null;
  };

  test('can be learned in its order, without a contradiction', () => {
    for (const [at, statement] of SHIPPED_NAMES.entries()) {
      expect([statement.name, nameFaults(nameBook(learned(...SHIPPED_NAMES.slice(0, at))), statement)]).toEqual([
        statement.name,
        [],
      ]);
    }
    expect(book.problems).toEqual([]);
    expect(SHIPPED_NAMES.every(({ source }) => source.url?.startsWith('https://'))).toBe(true);
  });

  test.each([
    ['stock', 'NASDAQ', 'FB', '2021-03-01', 'META'],
    ['stock', 'ARCA', 'META', '2021-12-01', 'METV'],
    ['stock', 'NASDAQ', 'FB', '2026-01-05', 'FB'],
    ['stock', 'NASDAQ', 'GOOG', '2014-04-02', 'GOOGL'],
    ['stock', 'NASDAQ', 'GOOG', '2014-04-03', 'GOOG'],
    ['stock', 'NASDAQ', 'FOXA', '2019-03-18', 'TFCFA'],
    ['stock', 'NASDAQ', 'FOXA', '2019-03-19', 'FOXA'],
    ['crypto', 'BINANCE', 'MATIC', '2024-09-01', 'POL'],
    ['crypto', 'COINBASE', 'MATIC', '2024-09-20', 'POL'],
    ['crypto', 'BINANCE', 'LUNA', '2021-11-10', 'LUNC'],
    ['crypto', 'BINANCE', 'LUNA2', '2022-10-10', 'LUNA'],
    ['crypto', 'BYBIT', 'LUNA2', '2022-10-10', 'LUNA'],
    ['crypto', 'KRAKEN', 'LUNA', '2022-05-10', 'LUNC'],
    ['crypto', 'KRAKEN', 'LUNA', '2026-01-05', 'LUNC'],
    ['crypto', 'KRAKEN', 'LUNA2', '2026-01-05', 'LUNA'],
    ['crypto', 'OKX', 'LUNA', '2026-01-05', 'LUNA'],
    ['crypto', 'BYBIT', '1000NEIROCTO', '2026-01-05', '1000NEIROCTO'],
    ['crypto', 'KRAKEN', 'XBT', '2026-01-05', 'BTC'],
    ['crypto', 'BINANCE', '1000PEPE', '2026-01-05', 'PEPE'],
    ['crypto', 'BINANCE', '1000000MOG', '2026-01-05', 'MOG'],
    ['crypto', 'BYBIT', 'SHIB1000', '2026-01-05', 'SHIB'],
    ['crypto', 'BINANCE', '1INCH', '2026-01-05', '1INCH'],
    ['crypto', 'BINANCE', 'AGIX', '2024-06-01', 'AGIX'],
  ] as const)('%s %s %s on %s is %s', (market, venue, name, date, key) => {
    expect(read(market, venue, name, date)).toBe(key);
  });

  test('spot has names of its own', () => {
    const spot = (venue: string, name: string, date: string) => read('crypto', venue, name, date, 'USDT', 'spot');
    expect(spot('BINANCE', 'LUNA', '2022-05-10')).toBe('LUNC');
    expect(spot('BINANCE', 'LUNA', '2022-06-10')).toBe('LUNA');
    expect(spot('BINANCE', 'LUNC', '2022-06-10')).toBe('LUNC');
    for (const venue of ['BYBIT', 'OKX']) {
      expect([venue, spot(venue, 'LUNA', '2022-05-27'), spot(venue, 'LUNA', '2022-06-10')]).toEqual([
        ...[venue, null, 'LUNA'],
      ]);
    }
    for (const coin of ['SATS', 'CAT', 'CHEEMS']) expect(spot('BINANCE', `1000${coin}`, '2026-01-05')).toBe(coin);
  });

  test('prices have the name that the venue had on their day', () => {
    const called = (symbol: string, venue: string, date: string, asset_class: 'perp' | 'spot' = 'perp') =>
      book.nameOf({ market: 'crypto', symbol, venue, asset_class, quote_currency: 'USDT' }, date);
    expect(called('LUNC', 'BINANCE', '2021-11-10')).toBe('LUNA');
    expect(called('LUNC', 'BINANCE', '2022-10-10')).toBe('1000LUNC');
    expect(called('LUNC', 'BINANCE', '2022-10-10', 'spot')).toBe('LUNC');
    expect(called('LUNA', 'BINANCE', '2022-10-10')).toBe('LUNA2');
    expect(called('LUNC', 'KRAKEN', '2026-01-05', 'spot')).toBe('LUNA');
    expect(called('POL', 'BINANCE', '2024-09-12')).toBe('MATIC');
    expect(called('POL', 'BINANCE', '2024-09-13')).toBe('POL');
    expect(called('POL', 'COINBASE', '2026-01-05', 'spot')).toBe('POL');
  });

  test('a rename is no listing, so that it cuts no history', () => {
    const listedOn = (symbol: string) =>
      book.listedOn({ market: 'stock', symbol, venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' });
    expect(['TFCFA', 'TFCF', 'META'].map(listedOn)).toEqual([null, null, '2012-05-18']);
  });

  test('a counter is the security in its quote alone; 87001 has no 7001 next to it', () => {
    expect(read('stock', 'HKEX', '80700.HK', '2024-01-05', 'CNY')).toBe('0700.HK');
    expect(read('stock', 'HKEX', '87001.HK', '2024-01-05', 'CNY')).toBe('87001.HK');
    const tencent = { market: 'stock', symbol: '0700.HK', venue: 'HKEX', asset_class: 'spot' } as const;
    expect(book.nameOf({ ...tencent, quote_currency: 'CNY' }, '2024-01-05')).toBe('80700.HK');
    expect(book.nameOf({ ...tencent, quote_currency: 'HKD' }, '2024-01-05')).toBe('0700.HK');
    expect(read('stock', 'BSE', 'RELIANCE.BO', '2024-01-05', 'INR')).toBe('RELIANCE.NS');
  });
});

describe.each(STORAGES)('names of securities, on %s', (storage) => {
  let service: TestService;
  beforeEach(async () => {
    service = await openService(storage, { at: new Date('2026-01-30T12:00:00.000Z') });
  });
  afterEach(() => service.close());
  const get = (path: string) => strangerAt(service).get(`/api/v1/public/securities/${path}`);

  test('a security has its names, the others who had one, and the statements about it', async () => {
    expect((await get('stock/meta')).body).toEqual({
      ...{ market: 'stock', symbol: 'META', statements: [] },
      read_as: { symbol: 'META', names: [], others: [] },
    });
    await learnShippedNames(service.ports);
    const { status, body } = await get('stock/fb');
    expect(status).toBe(200);
    expect(body.read_as).toEqual({
      symbol: 'FB',
      names: [{ name: 'FB', key: 'FB', from: '2025-06-24', until: null }],
      others: [{ name: 'FB', key: 'META', from: '2012-05-18', until: '2022-06-09' }],
    });
    expect(body.statements).toMatchObject([
      { id: 1, key: 'META' },
      { id: 5, kind: 'reused', key: 'FB' },
    ]);
    expect((await get('crypto/XBT')).body.read_as.symbol).toBe('BTC');
    expect((await get('crypto/1000PEPE')).body.read_as).toMatchObject({ symbol: 'PEPE', others: [] });
  });

  test('all statements are JSON lines in their order, and shipped ones are learned once', async () => {
    await learnShippedNames(service.ports);
    expect((await learnShippedNames(service.ports)).learned).toEqual([]);
    const { text, headers } = await get('names');
    expect(headers['content-type']).toMatch(/^application\/jsonl/);
    const lines = text.trimEnd().split('\n');
    expect(lines).toHaveLength(SHIPPED_NAMES.length);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      name: 'FB',
      key: 'META',
      learned_at: '2026-01-30T12:00:00.000Z',
    });
    expect(lines.map((line) => service.ports.canonicalJson(JSON.parse(line)))).toEqual(lines);
    await withdrawName(service.ports, 1, 'test');
    expect((await learnShippedNames(service.ports)).learned).toEqual([]);
    expect((await get('names')).text.trimEnd().split('\n').at(-1)).toContain('"withdraws":1');
  });

  test('a statement of the release that cannot be learned keeps no other away, and is a problem of the status', async () => {
    const source = SHIPPED_NAMES.find(({ name }) => name === 'FB')?.source;
    await learnNames(service.ports, [aStatement({ name: 'FB', key: 'FB', ...(source && { source }) })], 'test');
    const lines: unknown[] = [];
    const write = (...line: readonly unknown[]) => lines.push(line);
    const learn = nameLearner(service.ports, { warn: write });
    await learn();
    const { statements } = await newestNames(service.ports.names);
    expect(statements.filter(({ name }) => name === 'METV')).toHaveLength(1);
    const named = lines.length;
    await learn();
    expect(lines).toHaveLength(named);
    expect(lines).toContainEqual([
      'A statement of the release about a name cannot be learned',
      { reason: expect.stringMatching(/stock FB is META from 2012-05-18: statement 1 says .*withdraw 1 first/) },
    ]);
    const { problems } = await readStatus(service.ports);
    expect(problems.filter(({ part }) => part === 'names')).toContainEqual({
      part: 'names',
      problem: expect.stringMatching(/stock FB is META from 2012-05-18, was not learned: statement 1 says/),
      action: expect.stringMatching(/securities withdraw ID/),
    });
    await withdrawName(service.ports, 1, 'test');
    expect((await learnShippedNames(service.ports)).refused).toEqual([]);
    expect((await readStatus(service.ports)).problems.filter(({ part }) => part === 'names')).toEqual([]);
  });

  test('a service starts without the statements of the release where they cannot be stored', async () => {
    const lines: unknown[] = [];
    const write = (message: string) => lines.push(message);
    const transaction = () => Promise.reject(new Error('refused'));
    await learnBeforeTheFirst({ ...service.ports, transaction }, { warn: write, error: write });
    expect(lines).toEqual([
      'The statements of the release about names were not learned; the job learn-names tries again',
    ]);
  });

  test('a service with decisions listens first: the job learns the statements of the release', async () => {
    const log = { warn: () => undefined, error: () => undefined };
    const evaluations = { ...service.ports.evaluations, firstSubmitted: async () => new Date() };
    await learnBeforeTheFirst({ ...service.ports, evaluations }, log);
    expect((await newestNames(service.ports.names)).statements).toEqual([]);
    await composeSweeps(service.ports)['learn-names']();
    expect((await newestNames(service.ports.names)).statements).toHaveLength(SHIPPED_NAMES.length);
  });

  test('while a process of release 0.5.0 runs, nothing is learned; once it has ended, all is', async () => {
    const { processes, clock } = service.ports;
    const learn = nameLearner(service.ports, { warn: () => undefined });
    await processes.report(
      aProcess({ process: 'new:1', faulty_records: { total: 0, newest: [] } }),
      [],
      await clock.now(),
    );
    await processes.report(aProcess({ process: 'old:1', release: '0.5.0' }), [], await clock.now());
    expect((await learn())?.getTime()).toBeGreaterThan(Date.now());
    expect((await newestNames(service.ports.names)).statements).toEqual([]);
    await service.arrange.advance(2 * MINUTE);
    expect(await learn()).toBeUndefined();
    expect((await newestNames(service.ports.names)).statements).toHaveLength(SHIPPED_NAMES.length);
  });

  test('a service without decisions knows them before it listens', async () => {
    await learnBeforeTheFirst(service.ports, { warn: () => undefined, error: () => undefined });
    expect((await newestNames(service.ports.names)).statements).toHaveLength(SHIPPED_NAMES.length);
  });

  test('a long import looks at each statement a few times, not at all of them for each', async () => {
    let reads = 0;
    const source = {
      name: 'desk',
      get kind() {
        reads += 1;
        return 'operator' as const;
      },
    };
    const lines = Array.from({ length: 300 }, (_, at) => aStatement({ name: `Z${at}`, key: `Z${at}`, source }));
    expect((await learnNames(service.ports, lines, 'test')).learned).toHaveLength(300);
    expect(reads).toBeLessThan(300 * 30);
  });

  test('what is no symbol is refused with what to send', async () => {
    const { status, body } = await get('stock/ME%20TA');
    expect(status).toBe(400);
    expect(body.error.details[0].message).toMatch(/Send a ticker/);
  });

  test('statements that apply to nothing are problems of the status', async () => {
    const by = (name: string, key: string) => aStatement({ name: 'ZZ', key, source: { kind: 'exchange', name } });
    await learnNames(service.ports, [by('NYSE', 'ZA'), by('SEC', 'ZB')], 'test');
    const { problems } = await readStatus(service.ports);
    expect(problems.filter(({ part }) => part === 'names').map(({ problem }) => problem)).toEqual([
      expect.stringMatching(/Statement 1 of NYSE, that stock ZZ is ZA .* contradicts statement 2/),
      expect.stringMatching(/Statement 2 of SEC, that stock ZZ is ZB .* contradicts statement 1/),
    ]);
  });
});
