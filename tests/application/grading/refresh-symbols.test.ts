import { beforeEach, expect, test } from '@jest/globals';
import { openMemory } from '../../../adapters/memory/storage.ts';
import { refreshSymbols } from '../../../application/market/refresh-symbols.ts';
import { SourceUnavailable } from '../../../domain/market/market-data.ts';
import type { SymbolFile } from '../../../domain/market/symbol-directory.ts';
import { HOUR } from '../../../domain/time.ts';

let now: number;
let storage: ReturnType<typeof openMemory>;
let fetches: number;
beforeEach(() => {
  now = Date.UTC(2026, 0, 30, 12);
  storage = openMemory({ now: () => new Date(now) });
  fetches = 0;
});

const TEN = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J'];

function files(nasdaq: readonly string[], other: readonly string[] = ['IBM'], created = now): readonly SymbolFile[] {
  return [
    { name: 'nasdaqlisted', created_at: new Date(created), symbols: nasdaq },
    { name: 'otherlisted', created_at: new Date(created), symbols: other },
  ];
}

function refresh(answer: readonly SymbolFile[] | Error) {
  const fetch = async () => {
    fetches += 1;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return refreshSymbols({ ...storage, canonicalJson: JSON.stringify }, { fetch });
}

const listed = async () => [...(await storage.listedSymbols.all()).listed].sort();

test('the first check stores both files', async () => {
  expect(await refresh(files(['MSFT', 'TXN']))).toEqual({ kind: 'stored', symbols: 3, reused: [], doubted: [] });
  expect(await listed()).toEqual(['IBM', 'MSFT', 'TXN']);
});

test('once a day: a check within 20 hours fetches nothing, a later one does', async () => {
  await refresh(files(['MSFT']));
  now += 20 * HOUR - 1;
  expect(await refresh(files(['TXN']))).toEqual({ kind: 'up_to_date' });
  expect(fetches).toBe(1);
  now += 1;
  expect(await refresh(files(['TXN']))).toMatchObject({ kind: 'stored' });
  expect(await listed()).toEqual(['IBM', 'TXN']);
});

test('a source that is down changes nothing and says why', async () => {
  await refresh(files(['MSFT']));
  now += 24 * HOUR;
  expect(await refresh(new SourceUnavailable('no line'))).toEqual({ kind: 'unavailable', reason: 'no line' });
  expect(await listed()).toEqual(['IBM', 'MSFT']);
  await expect(refresh(new TypeError('ours'))).rejects.toThrow('ours');
});

test('a file that lost more than half of its symbols is refused, and so is the other with it', async () => {
  await refresh(files(TEN));
  now += 24 * HOUR;
  const refused = { kind: 'refused', reason: 'The file nasdaqlisted has 4 symbols instead of 10.' };
  expect(await refresh(files(TEN.slice(0, 4), ['IBM', 'NEW']))).toEqual(refused);
  expect(await listed()).toEqual([...TEN, 'IBM'].sort());
  expect(await refresh(files(TEN.slice(0, 5)))).toMatchObject({ kind: 'stored' });
});

test('files that are older than the stored ones, or the same, change nothing', async () => {
  const created = now;
  await refresh(files(['MSFT']));
  now += 24 * HOUR;
  for (const stale of [created, created - HOUR]) {
    expect(await refresh(files(['TXN'], ['IBM'], stale))).toEqual({ kind: 'up_to_date' });
  }
  expect(await listed()).toEqual(['IBM', 'MSFT']);
});
