import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { learnNames, newestNames } from '../../../application/market/names.ts';
import { refreshSymbols, type SymbolRefresh } from '../../../application/market/refresh-symbols.ts';
import { calendarOf } from '../../../domain/market/calendars/by-venue.ts';
import { SourceUnavailable } from '../../../domain/market/market-data.ts';
import type { NameStatement } from '../../../domain/market/name-statement.ts';
import type { SymbolFile } from '../../../domain/market/symbol-directory.ts';
import { DAY, HOUR } from '../../../domain/time.ts';
import { type OpenedDecisions, onMemory, onPostgres } from '../../contracts/decisions/adapters.ts';

// A ticker that comes back after more than five sessions off the lists is a new security (securities.md section 2).
// Lists are read every weekday at 07:00 in New York, from Monday, 2 March 2026 on.

const LINE = { market: 'stock', venue: 'NYSE', asset_class: 'spot', quote_currency: 'USD' } as const;
const OTHERS = Array.from({ length: 300 }, (_, at) => `A${at}`);
const sessions = calendarOf(LINE).sessions(Date.UTC(2026, 2, 2), Date.UTC(2026, 11, 31));

let opened: OpenedDecisions;
let day: number;

describe.each([
  { storage: 'memory', open: onMemory as () => Promise<OpenedDecisions> },
  { storage: 'postgres', open: () => onPostgres(4) },
])('$storage', ({ open }) => {
  beforeEach(async () => {
    opened = await open();
    day = 0;
  });
  afterEach(() => opened.close());

  test('six sessions off the lists: another security has it, and its former name has ended', async () => {
    await lists(['ZZ', ...OTHERS]);
    await lists(OTHERS, 6);
    expect(await lists(['ZZ', ...OTHERS])).toMatchObject({ kind: 'stored', reused: ['ZZ'], doubted: [] });
    expect(await keysOf('ZZ', '2026-03-02', '2026-03-03', '2026-03-10', '2026-03-11')).toEqual([
      ...['ZZ', null, null, 'ZZ~2'],
    ]);
    const { statements } = await newestNames(opened.storage.names);
    const source = { kind: 'exchange', name: 'Nasdaq Trader, lists of 2026-03-11' };
    expect(statements).toMatchObject([
      { name: 'ZZ', key: 'ZZ', kind: 'delisted', from: '2026-03-03', source },
      { name: 'ZZ', key: 'ZZ~2', kind: 'reused', from: '2026-03-11', source },
    ]);
    expect(await lists(['ZZ', ...OTHERS])).toMatchObject({ reused: [] });
  });

  test('five sessions off the lists: it is the same security', async () => {
    await lists(['ZZ', ...OTHERS]);
    await lists(OTHERS, 5);
    expect(await lists(['ZZ', ...OTHERS])).toMatchObject({ kind: 'stored', reused: [] });
    expect(await keysOf('ZZ', '2026-03-02', '2026-04-01')).toEqual(['ZZ', 'ZZ']);
  });

  test('days without a list are no evidence: the last one before the return counts', async () => {
    await lists(['ZZ', ...OTHERS]);
    await lists(OTHERS, 2);
    day += 20;
    expect(await lists(['ZZ', ...OTHERS])).toMatchObject({ kind: 'stored', reused: [] });
  });

  test('a third security has the next key', async () => {
    for (let round = 0; round < 3; round += 1) {
      await lists(['ZZ', ...OTHERS]);
      await lists(OTHERS, 6);
    }
    expect(await keysOf('ZZ', '2026-03-02', '2026-03-11', dateOf(14))).toEqual(['ZZ', 'ZZ~2', 'ZZ~3']);
  });

  test.each([
    ['that it is the same', { name: 'ZZ', from: '2010-01-01', key: 'ZZ', kind: 'listed' }, 'ZZ'],
    ['which security it is', { name: 'ZZ', from: '2026-03-10', key: 'ZZ~2', kind: 'reused' }, 'ZZ~2'],
    ['that another one is renamed', { name: 'ZZ', from: '2026-03-11', key: 'YY', kind: 'renamed' }, 'YY'],
  ] as const)('an operator who states %s is believed', async (_, statement, key) => {
    await lists(['ZZ', ...OTHERS]);
    await lists(OTHERS, 6);
    await stated(statement);
    expect(await lists(['ZZ', ...OTHERS])).toMatchObject({ reused: [] });
    expect(await keysOf('ZZ', '2026-04-01')).toEqual([key]);
  });

  test('a ticker whose security was renamed is a key of its own', async () => {
    await stated({ name: 'ZZ', from: '2012-05-18', until: '2026-03-03', key: 'YY', kind: 'listed' });
    await stated({ name: 'YY', from: '2026-03-03', key: 'YY', kind: 'renamed' });
    await lists(['ZZ', ...OTHERS]);
    await lists(['YY', ...OTHERS], 6);
    expect(await lists(['ZZ', 'YY', ...OTHERS])).toMatchObject({ reused: ['ZZ'] });
    expect(await keysOf('ZZ', '2026-03-02', '2026-03-05', '2026-03-11')).toEqual(['YY', null, 'ZZ']);
  });

  test('a list that fails, or lacks more than a tenth, changes nothing: no ticker of it becomes new', async () => {
    await lists(['ZZ', ...OTHERS]);
    const short = OTHERS.slice(0, 190);
    const reason = '111 of 302 symbols are in none of the files any more.';
    expect(await lists(short, 7)).toEqual({ kind: 'refused', reason });
    expect(await refreshed(new SourceUnavailable('no line'))).toMatchObject({ kind: 'unavailable' });
    expect(await lists(['ZZ', ...OTHERS])).toMatchObject({ kind: 'stored', reused: [], doubted: [] });
    expect((await newestNames(opened.storage.names)).statements).toEqual([]);
  });

  test('after 90 days without a list, up to half may be gone', async () => {
    await lists(OTHERS);
    day += 60;
    expect(await lists(OTHERS.slice(0, 180))).toMatchObject({ kind: 'refused' });
    day += 3;
    expect(await lists(OTHERS.slice(0, 180))).toMatchObject({ kind: 'stored' });
  });

  test('more than 25 that come back at once are doubted: a list was short', async () => {
    await lists(OTHERS);
    await lists(OTHERS.slice(26), 6);
    const back = await lists(OTHERS);
    expect(back).toMatchObject({ kind: 'stored', reused: [] });
    expect('doubted' in back ? back.doubted : []).toHaveLength(26);
    expect(await keysOf('A0', '2026-03-02', '2026-04-01')).toEqual(['A0', 'A0']);
    expect(await doubtedReturns()).toMatchObject([
      { actor: 'lists', subject: 'names', detail: { tickers: { length: 26 } } },
    ]);
  });

  test('what is stated while the lists are read, and contradicts a return, leaves that one doubted and all its names', async () => {
    await lists(['YY', 'ZZ', ...OTHERS]);
    await lists(OTHERS, 6);
    const source = { kind: 'exchange', name: 'Nasdaq Trader, lists of 2026-03-11' } as const;
    const other = { market: 'stock', name: 'ZZ', from: '2026-03-11', key: 'QQ', kind: 'listed', source } as const;
    const back = await refreshed(['YY', 'ZZ', ...OTHERS], () => learnNames(ports(), [other], 'a test'));
    expect(back).toMatchObject({ kind: 'stored', reused: ['YY'], doubted: ['ZZ'] });
    const { statements } = await newestNames(opened.storage.names);
    expect(statements.map(({ name, kind }) => [name, kind])).toEqual([
      ['ZZ', 'listed'],
      ['YY', 'delisted'],
      ['YY', 'reused'],
    ]);
    expect(await doubtedReturns()).toMatchObject([{ detail: { tickers: ['ZZ'] } }]);
  });

  test('returns that are believed leave no entry of doubt', async () => {
    await lists(['ZZ', ...OTHERS]);
    await lists(OTHERS, 6);
    await lists(['ZZ', ...OTHERS]);
    expect(await doubtedReturns()).toEqual([]);
  });
});

/** The result of the last of the lists, one a session, each with these tickers. */
async function lists(symbols: readonly string[], count = 1): Promise<SymbolRefresh> {
  let last: SymbolRefresh = { kind: 'up_to_date' };
  for (let left = count; left > 0; left -= 1) last = await refreshed(symbols);
  return last;
}

/** @param between runs after the names were read, before the first statement is learned */
async function refreshed(answer: readonly string[] | Error, between?: () => Promise<unknown>): Promise<SymbolRefresh> {
  const created_at = new Date((sessions[day]?.open ?? 0) - 2 * HOUR);
  day += 1;
  await opened.arrange.freeze(created_at);
  const fetch = async (): Promise<readonly SymbolFile[]> => {
    if (answer instanceof Error) throw answer;
    return [
      { name: 'nasdaqlisted', created_at, symbols: answer },
      { name: 'otherlisted', created_at, symbols: ['IBM'] },
    ];
  };
  let first = between;
  const transaction: OpenedDecisions['storage']['transaction'] = async (work) => {
    const run = first;
    first = undefined;
    await run?.();
    return opened.storage.transaction(work);
  };
  return refreshSymbols({ ...ports(), transaction }, { fetch });
}

async function doubtedReturns() {
  return opened.storage.audit.list({ action: 'doubt_returned_tickers' }, 10);
}

function ports() {
  return { ...opened.storage, canonicalJson: JSON.stringify };
}

function dateOf(session: number): string {
  return sessions[session]?.date ?? '';
}

async function stated(statement: Omit<NameStatement, 'source' | 'market'>) {
  const source = { kind: 'operator', name: 'a test' } as const;
  await learnNames(ports(), [{ ...statement, market: 'stock', source }], 'a test');
}

/** What the name is on each date, to somebody who asks much later. */
async function keysOf(name: string, ...dates: readonly string[]) {
  const book = await newestNames(opened.storage.names);
  const today = new Date(Date.parse('2026-12-01') + DAY).toISOString().slice(0, 10);
  return dates.map((date) => book.read({ ...LINE, name }, date, today)?.key ?? null);
}
