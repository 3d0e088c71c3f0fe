import { describe, expect, test } from '@jest/globals';
import { nameBook } from '../../../domain/market/name-book.ts';
import { nameFaults } from '../../../domain/market/name-faults.ts';
import { type NamedLine, type NameStatement, renameDoubt } from '../../../domain/market/name-statement.ts';
import { aStatement, FACEBOOK, learned } from '../../builders/names.ts';

const TODAY = '2026-11-28';
const stock = (name: string): NamedLine => ({
  ...{ market: 'stock', name, venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' },
});
const perp = (name: string, venue = 'BINANCE'): NamedLine => ({
  ...{ market: 'crypto', name, venue, asset_class: 'perp', quote_currency: 'USDT' },
});
const keyOf = (line: NamedLine, date: string, ...said: readonly NameStatement[]) =>
  nameBook(learned(...said)).read(line, date, TODAY)?.key ?? null;

describe('a name is read by its date', () => {
  const facebook = nameBook(learned(...FACEBOOK));
  test.each([
    ['FB', '2021-03-01', 'META', 'FB'],
    ['FB', '2022-06-08', 'META', 'FB'],
    ['META', '2022-06-09', 'META', 'META'],
    ['META', '2021-12-01', 'METV', 'META'],
    ['METV', '2024-01-02', 'METV', 'METV'],
    ['FB', '2025-06-24', 'FB', 'FB'],
    ['MSFT', '2021-03-01', 'MSFT', 'MSFT'],
  ])('%s on %s is %s, called %s', (name, date, key, called) => {
    expect(facebook.read(stock(name), date, TODAY)).toMatchObject({ key, name: called });
  });

  test('a name that nobody had is the security that has it now, if that was listed then', () => {
    expect(facebook.read(stock('META'), '2020-01-06', TODAY)).toMatchObject({ key: 'META', name: 'FB' });
    expect(facebook.read(stock('META'), '2022-03-01', TODAY)).toMatchObject({ key: 'META', name: 'FB' });
    expect(facebook.read(stock('FB'), '2023-01-05', TODAY)).toBeNull();
    expect(facebook.read(stock('META'), '2011-01-05', TODAY)).toBeNull();
  });

  test('others who had the name, and the date of the next change, come with the reading', () => {
    const reading = facebook.read(stock('META'), '2021-12-01', TODAY);
    expect(reading?.until).toBe('2022-01-31');
    expect(reading?.others).toEqual([{ name: 'META', key: 'META', from: '2022-06-09', until: null }]);
  });

  test('a security has one name at a time, over its renames', () => {
    const meta = {
      market: 'stock',
      symbol: 'META',
      venue: 'NASDAQ',
      asset_class: 'spot',
      quote_currency: 'USD',
    } as const;
    expect(facebook.nameOf(meta, '2022-06-08')).toBe('FB');
    expect(facebook.nameOf(meta, '2022-06-09')).toBe('META');
    expect(facebook.namesOf(meta, '2022-01-01', '2023-01-01')).toEqual([
      { key: 'META', name: 'FB', from: '2022-01-01', until: '2022-06-09', factor: 1 },
      { key: 'META', name: 'META', from: '2022-06-09', until: '2023-01-01', factor: 1 },
    ]);
    expect(facebook.namesOf({ ...meta, symbol: 'MSFT' }, '2022-01-01', '2023-01-01')).toEqual([
      { key: 'MSFT', name: 'MSFT', from: '2022-01-01', until: '2023-01-01', factor: 1 },
    ]);
  });

  test('a later security under a taken key has a number, and its name without it', () => {
    const book = nameBook(learned(aStatement({ name: 'ZZ', from: '2024-05-01', key: 'ZZ~2', kind: 'reused' })));
    const zz = {
      market: 'stock',
      symbol: 'ZZ~2',
      venue: 'NASDAQ',
      asset_class: 'spot',
      quote_currency: 'USD',
    } as const;
    expect(book.read(stock('ZZ'), '2025-01-02', TODAY)).toMatchObject({ key: 'ZZ~2', name: 'ZZ' });
    expect(book.nameOf(zz, '2025-01-02')).toBe('ZZ');
  });

  test('a delisting or merger ends a name', () => {
    const old = aStatement({ name: 'FOXA', from: '2013-07-01', key: 'TFCFA' });
    const merged = aStatement({ name: 'FOXA', from: '2019-03-20', key: 'TFCFA', kind: 'merged', successor: 'DIS' });
    expect(keyOf(stock('FOXA'), '2019-03-19', old, merged)).toBe('TFCFA');
    expect(keyOf(stock('FOXA'), '2019-03-20', old, merged)).toBeNull();
  });

  test('only by a source of its rank or a higher one, and on the lines that it is about', () => {
    const line = (said: Partial<NameStatement>) => aStatement({ market: 'crypto', name: 'ABC', key: 'ABC', ...said });
    const by = (kind: 'exchange' | 'vendor') => ({ kind, name: kind }) as const;
    const listed = line({ source: by('exchange') });
    const ends = { from: '2024-01-02', kind: 'delisted' } as const;
    const spot = { ...perp('ABC'), asset_class: 'spot' } as const;
    expect(keyOf(spot, '2025-01-01', listed, line({ ...ends, source: by('vendor') }))).toBe('ABC');
    expect(keyOf(spot, '2025-01-01', listed, line({ ...ends, source: by('exchange') }))).toBeNull();
    for (const only of [
      { asset_class: 'perp' },
      { asset_class: 'perp', venue: 'BINANCE' },
      { quote: 'USDT' },
    ] as const) {
      const other = { ...spot, quote_currency: 'USD' };
      expect(keyOf(other, '2025-01-01', listed, line({ ...ends, ...only }))).toBe('ABC');
      expect(keyOf(perp('ABC'), '2024-01-01', listed, line({ ...ends, ...only }))).toBe('ABC');
      expect(keyOf(perp('ABC'), '2025-01-01', listed, line({ ...ends, ...only }))).toBeNull();
    }
    const spotOnly = line({ asset_class: 'spot' });
    expect(keyOf(spot, '2025-01-01', spotOnly, line({ ...ends, asset_class: 'perp' }))).toBe('ABC');
  });

  test('an end without a statement before it ends the name as its own key', () => {
    const agix = { market: 'crypto', name: 'AGIX', key: 'AGIX', from: '2024-07-01' } as const;
    const merged = aStatement({ ...agix, kind: 'merged', successor: 'FET' });
    expect(keyOf(perp('AGIX'), '2024-06-30', merged)).toBe('AGIX');
    expect(keyOf(perp('AGIX'), '2024-07-01', merged)).toBeNull();
    const reused = aStatement({ ...agix, from: '2026-01-05', key: 'AGIX~2', kind: 'reused' });
    expect(['2024-06-30', '2025-01-01', TODAY].map((date) => keyOf(perp('AGIX'), date, merged, reused))).toEqual([
      ...['AGIX', null, 'AGIX~2'],
    ]);
    const there = { ...merged, venue: 'BINANCE' };
    expect(keyOf(perp('AGIX', 'OKX'), '2025-01-01', there)).toBe('AGIX');
    const dated = nameBook(learned(merged)).listedOn({ ...perp('AGIX'), symbol: 'AGIX' });
    expect(dated).toBeNull();
  });

  test('before a rename whose old name is not stated, the name is that of the key', () => {
    const book = nameBook(learned(aStatement({ name: 'NEW', from: '2024-05-01', key: 'OLD~2', kind: 'renamed' })));
    const old = { ...stock('OLD'), symbol: 'OLD~2' };
    expect([book.nameOf(old, '2024-04-30'), book.nameOf(old, '2024-05-01')]).toEqual(['OLD', 'NEW']);
    expect(book.namesOf(old, '2024-01-01', '2025-01-01').map(({ name }) => name)).toEqual(['OLD', 'NEW']);
  });

  test('a ratio, and contracts of many, change the units of the next stretch', () => {
    const old = aStatement({ name: 'OLD', until: '2024-05-01', key: 'OLD' });
    const renamed = aStatement({ name: 'NEW', from: '2024-05-01', key: 'OLD', kind: 'renamed', ratio: 1000 });
    const factors = (...said: readonly NameStatement[]) =>
      nameBook(learned(...said))
        .namesOf({ ...stock('OLD'), symbol: 'OLD' }, '2024-01-01', '2025-01-01')
        .map(({ factor }) => factor);
    expect(factors(old, renamed)).toEqual([1, 0.001]);
    expect(factors(renamed)).toEqual([1, 0.001]);
    const contract = aStatement({ name: '1000OLD', from: '2024-05-01', key: 'OLD', kind: 'counter', units: 1000 });
    expect(factors(old, contract)).toEqual([1, 1000]);
  });

  test('a line ends with its last name, by whatever kind of statement, and codes are no names', () => {
    const endOf = (...said: readonly NameStatement[]) =>
      nameBook(learned(...said)).endedOn({ ...stock('OLD'), symbol: 'OLD' });
    const old = aStatement({ name: 'OLD', until: '2024-05-01', key: 'OLD' });
    const renamed = aStatement({ name: 'NEW', from: '2024-05-01', key: 'OLD', kind: 'renamed' });
    const delisted = aStatement({ name: 'NEW', from: '2025-05-01', key: 'OLD', kind: 'delisted' });
    expect([endOf(), endOf(old), endOf(old, renamed), endOf(old, renamed, delisted)]).toEqual([
      ...[null, '2024-05-01', null, '2025-05-01'],
    ]);
    expect(endOf(aStatement({ ...delisted, name: 'OLD' }))).toBe('2025-05-01');
    expect(endOf({ ...old, kind: 'code' })).toBeNull();
    expect(endOf(old, aStatement({ name: 'OLD', from: '2026-01-05', key: 'OLD~2', kind: 'reused' }))).toBe(
      '2024-05-01',
    );
  });

  test('a listing at one venue begins the history there alone', () => {
    const book = nameBook(learned(aStatement({ name: 'ZZ', venue: 'NYSE', from: '2024-05-01', key: 'ZZ' })));
    const dates = ['NYSE', 'NASDAQ'].map((venue) => book.listedOn({ ...stock('ZZ'), symbol: 'ZZ', venue }));
    expect(dates).toEqual(['2024-05-01', null]);
  });
});

describe('a name is read by its line', () => {
  const contract = aStatement({
    ...{ market: 'crypto', name: '1000PEPE', venue: 'BINANCE', asset_class: 'perp', quote: 'USDT' },
    ...{ from: '2023-05-05', key: 'PEPE', kind: 'counter', units: 1000 },
  });
  const code = aStatement({ market: 'crypto', name: 'XBT', from: '2009-01-03', key: 'BTC', kind: 'code' });

  test('at its venue, in its asset class and quote', () => {
    expect(keyOf(perp('1000PEPE'), '2025-01-01', contract)).toBe('PEPE');
    expect(keyOf(perp('1000PEPE', 'BYBIT'), '2025-01-01', contract)).toBe('1000PEPE');
    expect(keyOf({ ...perp('1000PEPE'), asset_class: 'spot' }, '2025-01-01', contract)).toBe('1000PEPE');
  });

  test('so is the name that its prices have; a code is none', () => {
    const book = nameBook(learned(contract, code));
    const pepe = {
      market: 'crypto',
      symbol: 'PEPE',
      venue: 'BINANCE',
      asset_class: 'perp',
      quote_currency: 'USDT',
    } as const;
    expect(book.nameOf(pepe, '2025-01-01')).toBe('1000PEPE');
    expect(book.nameOf({ ...pepe, asset_class: 'spot' }, '2025-01-01')).toBe('PEPE');
    expect(book.nameOf({ ...pepe, symbol: 'BTC' }, '2025-01-01')).toBe('BTC');
    expect(book.read(perp('XBT', 'OKX'), '2025-01-01', TODAY)?.key).toBe('BTC');
  });

  test('a statement about a venue goes before one about all of them', () => {
    const everywhere = aStatement({ market: 'crypto', name: 'MATIC', from: '2019-04-26', key: 'POL' });
    const there = aStatement({ market: 'crypto', name: 'MATIC', venue: 'OKX', from: '2019-04-26', key: 'MATIC~2' });
    expect(keyOf(perp('MATIC', 'OKX'), '2025-01-01', everywhere, there)).toBe('MATIC~2');
    expect(keyOf(perp('MATIC'), '2025-01-01', everywhere, there)).toBe('POL');
  });
});

describe('who states it', () => {
  const by = (kind: 'operator' | 'exchange' | 'vendor', key: string, name: string = kind) =>
    aStatement({ name: 'ZZ', key, source: { kind, name } });

  test('operators win over exchanges, these over vendors, in any order', () => {
    expect(keyOf(stock('ZZ'), TODAY, by('vendor', 'A'), by('operator', 'B'), by('exchange', 'C'))).toBe('B');
    expect(keyOf(stock('ZZ'), TODAY, by('exchange', 'C'), by('vendor', 'A'))).toBe('C');
  });

  test('contradicting ones apply to nothing, so that the next rank does, and are a problem', () => {
    const both = [by('exchange', 'A', 'NYSE'), by('exchange', 'B', 'SEC')];
    expect(keyOf(stock('ZZ'), TODAY, ...both)).toBeNull();
    expect(keyOf(stock('ZZ'), TODAY, ...both, by('vendor', 'C'))).toBe('C');
    expect(keyOf(stock('ZZ'), TODAY, ...both, by('vendor', 'C'), by('vendor', 'D', 'other'))).toBeNull();
    expect(keyOf(stock('ZZ'), TODAY, ...both, by('operator', 'C'))).toBe('C');
    expect(nameBook(learned(...both)).readFilter({ market: 'stock', name: 'ZZ' }, TODAY).symbol).toBe('ZZ');
    const { problems } = nameBook(learned(...both));
    expect(problems.map((each) => [each.statement.id, each.reason, each.with])).toEqual([
      [1, 'contradicts', [2]],
      [2, 'contradicts', [1]],
    ]);
  });

  test('contradict each other also over venue, class and quote, where a line has both', () => {
    const [venue, quote] = [by('exchange', 'A'), by('exchange', 'B')];
    const problems = (a: Partial<NameStatement>, b: Partial<NameStatement>) =>
      nameBook(learned({ ...venue, ...a }, { ...quote, ...b })).problems.map(({ statement }) => statement.id);
    expect(problems({ venue: 'NYSE' }, { quote: 'USD' })).toEqual([1, 2]);
    expect(problems({ venue: 'NYSE' }, { venue: 'NASDAQ' })).toEqual([]);
    expect(problems({ venue: 'NYSE' }, {})).toEqual([]);
    expect(problems({ venue: 'NYSE', until: '2020-01-02' }, { quote: 'USD', from: '2020-01-02' })).toEqual([]);
    const both = [
      { ...venue, venue: 'NASDAQ' },
      { ...quote, quote: 'USD' },
    ];
    expect(keyOf(stock('ZZ'), TODAY, ...both)).toBeNull();
  });

  test('a withdrawn one does not apply, and is not counted as contradicting', () => {
    const [one, other] = [by('exchange', 'A', 'NYSE'), by('exchange', 'B', 'SEC')];
    const book = nameBook(learned(one, other, { ...one, withdraws: 1 }));
    expect(book.read(stock('ZZ'), TODAY, TODAY)?.key).toBe('B');
    expect(book.problems).toEqual([]);
    expect(book.newest).toBe(3);
  });
});

describe('a rename is believed as little as a price', () => {
  const renamed = (said: Partial<NameStatement>) =>
    aStatement({ name: 'METV', from: '2022-01-31', key: 'METV', kind: 'renamed', ...said });
  const vendor = { kind: 'vendor', name: 'lists' } as const;

  test.each([
    [{ last_close: 100, first_open: 119 }, 1, null],
    [{ last_close: 100, first_open: 121 }, 1, 'contradicted'],
    [{ last_close: 100, first_open: 82 }, 1, 'contradicted'],
    [{ last_close: 100, first_open: 51 }, 2, null],
    [{ last_close: 100, first_open: 100 }, 2, 'contradicted'],
    [{ last_close: 100, first_open: 100, both_on: '2022-01-31' }, 1, 'contradicted'],
  ] as const)('%o with ratio %s: %s', (prices, ratio, doubt) => {
    expect(renameDoubt(renamed({ prices, ratio }))).toBe(doubt);
  });

  test("a vendor's without prices waits, applies to nothing, and is a problem", () => {
    const waiting = renamed({ source: vendor, key: 'OTHER' });
    const book = nameBook(learned(waiting));
    expect(book.read(stock('METV'), '2024-01-02', TODAY)?.key).toBe('METV');
    expect(book.problems).toMatchObject([{ statement: { id: 1 }, reason: 'waits', with: [] }]);
  });

  test("an operator's that prices contradict is refused with what to send", () => {
    const prices = { last_close: 100, first_open: 50 };
    const [fault] = nameFaults(nameBook([]), renamed({ prices }));
    expect(fault).toMatch(
      /the last close before 2022-01-31 is 100, the first open of METV 50.*send the ratio .*2 fits/,
    );
    expect(nameFaults(nameBook([]), renamed({ prices, ratio: 2 }))).toEqual([]);
    expect(nameFaults(nameBook([]), renamed({ prices, source: vendor }))).toEqual([]);
  });
});

describe('what cannot be learned', () => {
  const faults = (statement: NameStatement, ...before: readonly NameStatement[]) =>
    nameFaults(nameBook(learned(...before)), statement).join('\n');

  test('two statements of one source about one name on one date', () => {
    const before = aStatement({ name: 'FB', until: '2022-06-09', key: 'META' });
    expect(faults(aStatement({ name: 'FB', from: '2022-06-08', key: 'FB~2' }), before)).toMatch(/withdraw 1 first/);
    expect(faults(aStatement({ name: 'FB', from: '2022-06-09', key: 'FB~2' }), before)).toBe('');
  });

  test('a reuse by the security that had the name before', () => {
    const reuse = aStatement({ name: 'ZZ', from: '2025-06-24', key: 'ZZ', kind: 'reused' });
    expect(faults(reuse)).toBe('ZZ is the key of the security that was ZZ before: send the key ZZ~2');
    expect(faults({ ...reuse, key: 'ZZ~2' })).toBe('');
    const second = aStatement({ name: 'ZZ', from: '2020-01-02', until: '2021-01-04', key: 'ZZ~2', kind: 'reused' });
    expect(faults({ ...reuse, key: 'ZZ~2' }, second)).toMatch(/send the key ZZ~3/);
    expect(faults({ ...reuse, key: 'ZZ~5' })).toMatch(/no security has the key ZZ~4: send the key ZZ~2/);
  });

  test.each([
    [{ name: 'fb' }, /name fb is no symbol/],
    [{ name: 'BRK-B' }, /name BRK-B is no symbol: send BRK.B/],
    [{ name: '00700.HK', venue: 'HKEX' }, /name 00700.HK is no symbol at HKEX: send 0700.HK/],
    [{ name: '000001', venue: 'SSE' }, /name 000001 is no symbol at SSE: send 000001.SS/],
    [{ market: 'crypto', name: 'FBUSD', key: 'XBT' }, /key XBT is no symbol: send BTC/],
    [{ venue: 'NASDAQ' }, /one security at all venues of the United States: leave venue NASDAQ out/],
    [{ name: '0700.HK', key: '0700.HK', venue: 'XHKG' }, /venue XHKG is none: send HKEX/],
    [{ market: 'crypto', venue: 'binance' }, /venue binance is none: send BINANCE/],
    [{ market: 'crypto', venue: 'HKEX' }, /venue HKEX is none: send BINANCE, /],
    [{ name: '0700.HK', key: '0700.HK', venue: 'HKEX', quote: 'EUR' }, /quote EUR is none at HKEX: send HKD or CNY/],
    [{ name: 'VOD.L', key: 'VOD.L', venue: 'LSE', quote: 'GBp' }, /quote GBp is none at LSE: send GBX/],
    [{ from: '2022-02-30' }, /from 2022-02-30 is no date/],
    [{ key: 'FB~1' }, /key FB~1 is none/],
    [{ from: '2022-02-30x' }, /from 2022-02-30x is no date/],
    [{ until: '2012-05-18' }, /send a date after from/],
    [{ units: 1 }, /a whole number above 1/],
    [{ ratio: 2 }, /a listed name has no ratio/],
    [{ kind: 'merged' }, /send as successor/],
    [{ kind: 'delisted', until: '2024-01-01' }, /leave until out/],
    [{ asset_class: 'perp' }, /stock has no perp/],
  ] as const)('%o', (said, message) => {
    expect(faults(aStatement({ name: 'FB', key: 'FB', ...said }))).toMatch(message);
  });
});
