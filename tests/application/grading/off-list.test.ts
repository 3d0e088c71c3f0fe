import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { barFiles } from '../../../adapters/market/files/bar-files.ts';
import { importBars } from '../../../adapters/market/files/bar-import.ts';
import { namedFiles } from '../../../adapters/market/named-source.ts';
import { type CurrentSymbols, currentSymbols } from '../../../adapters/market/symbols/current-symbols.ts';
import { evaluateDue } from '../../../application/grading/evaluate-due.ts';
import { recompute } from '../../../application/grading/recompute.ts';
import { knownNames, learnNames, newestNames } from '../../../application/market/names.ts';
import { refreshSymbols } from '../../../application/market/refresh-symbols.ts';
import { verifyInstruments } from '../../../application/market/verify-instruments.ts';
import type { Ports } from '../../../application/ports.ts';
import { calendarOf } from '../../../domain/market/calendars/by-venue.ts';
import { type MarketData, openCoverage } from '../../../domain/market/market-data.ts';
import type { NameStatement } from '../../../domain/market/name-statement.ts';
import { MINUTE } from '../../../domain/time.ts';
import { type OpenedDecisions, onMemory, onPostgres } from '../../contracts/decisions/adapters.ts';
import type { Change } from '../../contracts/decisions/bench.ts';
import { type SweepBench, sweepBench } from './bench.ts';

// A stock that leaves the list of its exchange within the window (securities.md section 4). The decision is of Monday
// 2 March 2026 and of five sessions, its last one being that of Friday; the last print is that of Wednesday.

const ACME = { market: 'stock', symbol: 'ACME', venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' } as const;
const CALL = { ...ACME, horizon_kind: 'trading_days', horizon_value: 5 } as const;
const LAST_PRINT = '2026-03-04T21:00:00.000Z';
const OTHERS = Array.from({ length: 60 }, (_, at) => `A${at}`);
const calendar = calendarOf(ACME);

/** A price that moves by 1 % a session, up and down. */
function daysUntil(date: string) {
  return calendar.sessions(Date.parse('2025-10-01'), Date.parse(`${date}T23:00:00Z`)).map((session, at) => {
    const [open, close] = at % 2 === 0 ? [100, 101.37] : [101.37, 100];
    const range = { high: 101.61, low: 99.83, volume: 1_000, adj_close: null };
    return { start: session.open, end: session.close, open, close, ...range };
  });
}

let store: string;
let opened: OpenedDecisions;
let bench: SweepBench;
let ports: Ports & { readonly symbols: CurrentSymbols };
let id: string;

describe.each([
  { storage: 'memory', open: onMemory as () => Promise<OpenedDecisions> },
  { storage: 'postgres', open: () => onPostgres(4) },
])('$storage', ({ open }) => {
  beforeEach(async () => {
    store = await mkdtemp(join(tmpdir(), 'stancebook-off-list-'));
    opened = await open();
  });
  afterEach(async () => {
    await opened.close();
    await rm(store, { recursive: true });
  });

  test.each(['files that end', 'a source that goes on'])(
    '%s: it is graded to its last print once it has been off the lists for five sessions',
    async (kind) => {
      await decided(kind);
      await listedAt('2026-03-05T12:00:00Z', OTHERS);
      // The window has ended, and every try would be used up before the five sessions are over.
      expect(await stateAt('2026-03-07T12:00:00Z')).toMatchObject(UNGRADED);
      expect(await stateAt('2026-03-11T19:59:00Z')).toMatchObject(UNGRADED);
      expect(await stateAt('2026-03-11T20:30:00Z')).toMatchObject(GRADED);
      expect(await recompute(ports, id)).toMatchObject({ kind: 'same' });
    },
  );

  test('while its ticker is listed, two sessions without bars are a halt', async () => {
    await decided('a source that goes on');
    await listedAt('2026-03-05T12:00:00Z', ['ACME', ...OTHERS]);
    expect(await stateAt('2026-03-11T20:30:00Z')).toMatchObject(HALTED);
  });

  test('files that lie under the former key grade what a statement moved', async () => {
    await decided('files by names');
    await written('2026-03-09');
    const { symbol } = ACME;
    await stated({ market: 'stock', name: symbol, from: '2001-01-02', key: 'ACMX', kind: 'listed' });
    expect(await bench.read(id)).toMatchObject({ symbol: 'ACMX', received_symbol: symbol });
    await verifyInstruments(ports);
    expect(await stateAt('2026-03-11T20:30:00Z')).toMatchObject({
      lifecycle_state: 'evaluated',
      facts: { source: 'bar-files' },
    });
    expect(await recompute(ports, id)).toMatchObject({ kind: 'same' });
  });

  test('prices after it left are believed: it trades elsewhere', async () => {
    await decided('a source that goes on');
    await listedAt('2026-03-04T12:00:00Z', OTHERS);
    await written('2026-03-12');
    expect(await stateAt('2026-03-12T22:00:00Z')).toMatchObject({
      lifecycle_state: 'evaluated',
      facts: { delisted_exit: false, exit: { time: '2026-03-06T21:00:00.000Z' } },
    });
  });

  test('once an operator states that it is delisted, it is graded when the window has settled', async () => {
    await decided('files that end');
    await stated({ market: 'stock', name: 'ACME', from: '2026-03-05', key: 'ACME', kind: 'delisted' });
    expect(await stateAt('2026-03-06T20:00:00Z')).toMatchObject(UNGRADED);
    expect(await stateAt('2026-03-06T21:31:00Z')).toMatchObject(GRADED);
  });

  test('a statement that prices contradict delists nothing', async () => {
    await decided('a source that goes on');
    await stated({ market: 'stock', name: 'ACME', from: '2026-03-04', key: 'ACME', kind: 'delisted' });
    expect(await stateAt('2026-03-06T21:31:00Z')).toMatchObject(UNGRADED);
  });

  test('it stays off the lists when another security gets its ticker, and is graded by its own prices', async () => {
    await decided('a source that goes on', { ...CALL, horizon_value: 10 });
    for (const day of ['05', '06', '09', '10', '11', '12']) await listedAt(`2026-03-${day}T12:00:00Z`, OTHERS);
    await listedAt('2026-03-13T12:00:00Z', ['ACME', ...OTHERS]);
    const line = { ...ACME, name: 'ACME' };
    const book = await newestNames(ports.names);
    expect(['2026-03-04', '2026-03-13'].map((date) => book.read(line, date, '2026-03-13')?.key)).toEqual([
      ...['ACME', 'ACME~2'],
    ]);
    expect(await stateAt('2026-03-13T20:29:00Z')).toMatchObject(UNGRADED);
    expect(await stateAt('2026-03-13T20:30:00Z')).toMatchObject(GRADED);
  });

  test('a security whose name has changed is looked for under its new one', async () => {
    await decided('a source that goes on');
    await stated({ market: 'stock', name: 'ACMX', from: '2026-03-05', key: 'ACME', kind: 'renamed' });
    await listedAt('2026-03-05T12:00:00Z', ['ACMX', ...OTHERS]);
    expect(await stateAt('2026-03-11T20:30:00Z')).toMatchObject(HALTED);
  });
});

const UNGRADED = { facts: null };
const HALTED = { lifecycle_state: 'evaluated', facts: { halted: true, delisted_exit: false } };
const GRADED = {
  lifecycle_state: 'evaluated',
  last_error: null,
  facts: { method: 'eval/3', delisted_exit: true, exit: { time: LAST_PRINT } },
};

/** Submitted and verified on Monday, while it is listed. */
async function decided(kind: string, call: Change = CALL) {
  const files = barFiles(store);
  const goesOn: MarketData = {
    ...files,
    coverage: async () => [openCoverage('bar-files', () => Number.NEGATIVE_INFINITY)],
  };
  const names = () => knownNames(opened.storage.names);
  const sources = new Map([
    ['files that end', files],
    ['files by names', namedFiles(files, names, Date.now)],
  ]);
  bench = await sweepBench(opened, sources.get(kind) ?? goesOn);
  const packaged = { listed: ['ACME', ...OTHERS], past: [] };
  ports = { ...bench.ports, symbols: currentSymbols(store, bench.ports.listedSymbols, packaged) };
  await written('2026-02-27');
  await listedAt('2026-03-02T12:00:00Z', ['ACME', ...OTHERS]);
  id = await bench.submit(call, { method: 'eval/3' });
  await verifyInstruments(ports);
  await written('2026-03-04');
}

async function written(until: string) {
  const about = { time_zone: 'America/New_York', cadence: 'continuous' } as const;
  const terms = { actions: null, source: 'a test', licence: 'none', imported_at: new Date(0) };
  await importBars(store, { instrument: ACME, size: '1d', bars: daysUntil(until), about, ...terms });
}

/** The list of the exchange at a time. */
async function listedAt(time: string, symbols: readonly string[]) {
  const created_at = new Date(time);
  await opened.arrange.freeze(created_at);
  const files = [
    { name: 'nasdaqlisted', created_at, symbols },
    { name: 'otherlisted', created_at, symbols: ['IBM'] },
  ] as const;
  expect(await refreshSymbols(ports, { fetch: async () => files })).toMatchObject({ kind: 'stored' });
  await ports.symbols.reload();
}

async function stated(statement: Omit<NameStatement, 'source'>) {
  await learnNames(ports, [{ ...statement, source: { kind: 'operator', name: 'a test' } }], 'a test');
}

/** The decision at a time, after every sweep that was due by then. */
async function stateAt(time: string) {
  const at = new Date(time);
  for (;;) {
    const { next } = await evaluateDue(ports);
    if (next === null || next > at) break;
    await opened.arrange.freeze(new Date(Math.max(next.getTime(), (await ports.clock.now()).getTime() + MINUTE)));
  }
  await opened.arrange.freeze(at);
  await evaluateDue(ports);
  return bench.read(id);
}
