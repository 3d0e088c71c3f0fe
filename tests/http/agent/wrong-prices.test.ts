import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { strToU8, zipSync } from 'fflate';
import { importBars } from '../../../adapters/market/files/bar-import.ts';
import { recompute } from '../../../application/grading/recompute.ts';
import { DIRECTIONS, type Direction } from '../../../domain/decisions/call.ts';
import type { Submission } from '../../../domain/decisions/submission/submission.ts';
import { QUOTA } from '../../../domain/limits.ts';
import type { RawBar } from '../../../domain/market/bars.ts';
import { calendarOf } from '../../../domain/market/calendars/by-venue.ts';
import { type Instrument, instrumentKey } from '../../../domain/market/instrument.ts';
import { DAY, HOUR, type Millis, utcDate } from '../../../domain/time.ts';
import { runCommand } from '../../../infrastructure/commands/run-command.ts';
import { type OpenedDatabase, onPostgres } from '../../contracts/decisions/adapters.ts';
import { chanceFrom } from '../../domain/grading/look-ahead/chance.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { gradedCalls, wisdom } from '../../harness/cohorts.ts';
import { until } from '../../harness/event-source.ts';
import { anOwnerWithAgent } from '../../harness/owners.ts';
import { openService, type TestService } from '../../harness/service.ts';

// What an operator imports, an agent submits and a reader gets, where a price or an action is wrong, or only looks so
// (evaluation-3.md, "Why").

const AT = new Date('2026-03-02T12:00:00.000Z');
const FIXTURES = join(import.meta.dirname, '../../fixtures/prices');

let opened: OpenedDatabase;
let service: TestService;
let folder: string;
let bars: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stancebook-wrong-'));
  bars = join(folder, 'bars');
  opened = await onPostgres(4);
  const env = { LIMIT_COOLDOWN_SECONDS: '0', LIMIT_RETROACTIVE_PER_DAY: '1000', MARKET_DATA_BARS_DIR: bars };
  service = await openService('postgres', { at: AT, env, opened });
});
afterEach(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

/** Imports as an operator does. */
async function imported(
  instrument: Instrument,
  size: string,
  rows: readonly string[] | Uint8Array,
  terms: readonly string[] = [],
) {
  const file = join(folder, `${instrument.symbol}-${size}.csv`);
  await writeFile(file, rows instanceof Uint8Array ? rows : rows.join('\n'));
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const secret = 'a secret of the tests, long enough for them';
  const environment = {
    ...{ DATABASE_URL: opened.serviceUrl, SESSION_SECRET: secret, PASSWORD_PEPPER: secret },
    ...{ DATA_DIR: folder, MARKET_DATA_BARS_DIR: bars, MARKET_DATA_NETWORK: 'false' },
  };
  const args = ['import-bars', file, instrumentKey(instrument), '--size', size, ...terms];
  const code = await runCommand(args, environment, { print: say, complain: say });
  // A running service sees a new folder within a second.
  if (code === 0)
    await until(async () => (await service.ports.marketData.coverage(instrument, AT.getTime())).length > 0);
  return { code, output: lines.join('\n') };
}

async function actionsFile(...rows: readonly string[]): Promise<string> {
  const file = join(folder, 'actions.csv');
  await writeFile(file, ['at,kind,value', ...rows].join('\n'));
  return file;
}

function stock(symbol: string, venue = 'NASDAQ', quote_currency = 'USD'): Instrument {
  return { market: 'stock', symbol, venue, asset_class: 'spot', quote_currency };
}

interface Day {
  readonly date: string;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/** Sessions in which the price moves by about 1 %, the same for the same instrument. */
function daysOf(instrument: Instrument, from: string, to: string): Day[] {
  const { normal } = chanceFrom(12);
  let last = 120;
  return calendarOf(instrument)
    .sessions(Date.parse(from), Date.parse(to) + DAY)
    .map(({ open: at }) => {
      const open = round(last * Math.exp(0.005 * normal()));
      const close = round(open * Math.exp(0.01 * normal()));
      last = close;
      return { date: utcDate(at), open, close, high: Math.max(open, close) + 0.2, low: Math.min(open, close) - 0.2 };
    });
}

function round(price: number): number {
  return Math.round(price * 100) / 100;
}

function times(day: Day, factor: number): Day {
  const { date, open, high, low, close } = day;
  return { date, open: open * factor, high: high * factor, low: low * factor, close: close * factor };
}

function csv(days: readonly Day[]): string[] {
  const rows = days.map(({ date, open, high, low, close }) => `${date},${open},${high},${low},${close},1000`);
  return ['Date,Open,High,Low,Close,Volume', ...rows];
}

/** A call at the open of the session of a date, so old that it is graded at once. */
function callOf(instrument: Instrument, date: string, sessions: number, direction: Direction = 'neutral'): Submission {
  const { open } = calendarOf(instrument).currentOrNext(Date.parse(date));
  const horizon = { horizon_kind: 'trading_days', horizon_value: sessions } as const;
  return { ...instrument, direction, ...horizon, data_cutoff: new Date(open).toISOString() };
}

async function graded(agent: TestAgent, calls: readonly Submission[]) {
  const ids = await gradedCalls(service, [agent], calls);
  const replies = [];
  for (const id of ids) {
    const { status, body } = await agent.read(id);
    const again = await recompute(service.ports, id);
    expect([status, again.kind, body.evaluation]).toMatchObject([200, 'same', { last_error: null }]);
    replies.push(body);
  }
  return replies;
}

/** What others read of calls of five owners, each of whom makes all of them. */
async function overviewOf(calls: readonly Submission[]) {
  const agents = await Promise.all(Array.from({ length: 5 }, () => anAgentAt(service)));
  await gradedCalls(service, agents, calls);
  const [reader] = agents;
  if (!reader) throw new Error('There is no agent.');
  const { body, text, status } = await wisdom(reader, { market: 'stock', include_retroactive: 'true', limit: 100 });
  if (status !== 200) throw new Error(text);
  return body;
}

test('a split of 1:12 without its action is suspected, in no cohort, and counted', async () => {
  const acme = stock('ACME');
  const days = daysOf(acme, '2025-09-02', '2026-02-20');
  const split = days.map((day) => (day.date < '2026-01-15' ? day : times(day, 12)));
  const { code, output } = await imported(acme, '1d', csv(split));
  expect([code, output]).toEqual([0, expect.stringContaining('2026-01-15')]);
  const before = [callOf(acme, '2025-12-01', 5), callOf(acme, '2025-12-08', 5, 'bullish')];
  const across = [callOf(acme, '2026-01-12', 5), callOf(acme, '2026-01-13', 10, 'bullish')];
  const { overview, items } = await overviewOf([...before, ...across]);
  expect(overview.sample_count).toBe(10);
  expect(overview.ungraded).toEqual({ rejected: 0, data_unavailable: [], suspected: 10 });
  expect(items).toHaveLength(10);
  const owner = await anOwnerWithAgent(service);
  const { agent } = owner;
  const [own] = await graded(agent, [...across.slice(1), ...before]);
  expect(own.outcome).toMatchObject({ suspected_split: true, suspected_price: false, night_leap: null });
  const { body: track } = await owner.get(`/agents/${agent.agent_id}/track-record`);
  const { retroactive } = track;
  expect(retroactive).toMatchObject({ submission_count: 3, evaluated_count: 2, unavailable_count: 1 });
  expect(retroactive.ungraded).toEqual({ rejected: 0, data_unavailable: [], suspected: 1 });
  expect(Object.values(retroactive.result_distribution).reduce((a, b) => Number(a) + Number(b))).toBe(2);
  const { body: board } = await owner.get('/dashboard');
  expect(board.decisions.by_state.evaluated).toBe(3);
  expect(Object.values(board.decisions.by_bucket).reduce((a, b) => Number(a) + Number(b))).toBe(2);
});

test('a split of 1:12 without its action waits for the prices and the action that may come, and earns nothing', async () => {
  const acme = stock('ACME');
  const days = daysOf(acme, '2025-09-02', '2026-02-20');
  const split = days.map((day) => (day.date < '2026-01-15' ? day : times(day, 12)));
  await imported(acme, '1d', csv(split));
  await imported(stock('CALM'), '1d', csv(days));
  await service.settle();
  const noon = new Date('2026-01-14T12:00:00Z');
  await service.arrange.freeze(noon);
  const agent = await anAgentAt(service);
  const data_cutoff = noon.toISOString();
  const { record_id } = (await agent.submit({ ...callOf(acme, '2026-01-14', 2, 'bullish'), data_cutoff })).body;
  await agent.submit({ ...callOf(stock('CALM'), '2026-01-14', 4, 'bullish'), data_cutoff });
  await service.arrange.freeze(new Date('2026-01-17T12:00:00Z'));
  await service.settle();
  const waiting = (await agent.state(record_id)).body;
  expect([waiting.lifecycle_state, waiting.evaluation.last_error]).toEqual([
    'deferred',
    expect.stringMatching(/^suspected_price: The prices since 2026-01-15T14:30/),
  ]);
  await service.arrange.freeze(new Date('2026-01-21T15:00:00Z'));
  await service.settle();
  const ended = (await agent.read(record_id)).body;
  expect(ended).toMatchObject({ submission_origin: 'realtime', outcome: { suspected_split: true } });
  const { quota } = (await agent.get('/api/v1/public/auth/status?include=quota')).body;
  expect(quota.query.credit).toBe(QUOTA.queryCredit); // Of the calm one, which ends on the same day.
});

test('one close of a hundred times the price: neutral is not free, and all else is as without it', async () => {
  const [clean, spiked, lacking] = [stock('CLEAN'), stock('SPIKE'), stock('LACK')];
  const days = daysOf(clean, '2025-09-02', '2026-02-20');
  const at = days.findIndex(({ date }) => date === '2026-01-05');
  const wrong = (day: Day) => ({ ...day, close: day.close * 100, high: day.close * 100 });
  await imported(clean, '1d', csv(days));
  await imported(spiked, '1d', csv(days.map((day, i) => (i === at ? wrong(day) : day))));
  await imported(lacking, '1d', csv(days.filter((_, i) => i !== at)));
  const agent = await anAgentAt(service);
  const after = days.slice(at + 1, at + 21).map(({ date }) => date);
  const callsOf = (instrument: Instrument) => after.map((date) => callOf(instrument, date, 1));
  const outcomes = (await graded(agent, callsOf(spiked))).map(({ outcome }) => outcome);
  const without = (await graded(agent, callsOf(lacking))).map(({ outcome }) => outcome);
  expect(outcomes.map(({ prices_left_out }) => prices_left_out.history)).toEqual(after.map(() => 1));
  expect(outcomes.map(factsOf)).toEqual(without.map(factsOf));
  expect(new Set(outcomes.map(({ had_said }) => had_said.neutral)).size).toBeGreaterThan(1);

  const over = days.slice(at - 3, at).map(({ date }) => date);
  const within = (instrument: Instrument) =>
    over.flatMap((date) => DIRECTIONS.map((direction) => callOf(instrument, date, 10, direction)));
  const [found, true_] = [await graded(agent, within(spiked)), await graded(agent, within(clean))];
  const measured = ({ result_bucket, outcome }: (typeof found)[number]) => {
    const { entry, exit, raw_return, z, sigma_d, omega, tau } = outcome;
    return { result_bucket, entry, exit, raw_return, z, sigma_d, omega, tau };
  };
  expect(found.map(measured)).toEqual(true_.map(measured));
  expect(found.map(({ outcome }) => outcome.prices_left_out)).toEqual(found.map(() => ({ path: 1, history: 0 })));
});

test('other wrong prices: each outcome is that of the series without them, or is counted nowhere', async () => {
  const days = daysOf(stock('CLEAN'), '2025-09-02', '2026-02-20');
  const [from, until] = ['2026-01-12', '2026-01-15'];
  const isWrong = ({ date }: Day) => date >= from && date < until;
  const changed = (change: (day: Day) => Day | null) =>
    days.flatMap((day) => (isWrong(day) ? (change(day) ?? []) : [day]));
  const only = (date: string, change: (day: Day) => Day) => days.map((day) => (day.date === date ? change(day) : day));
  const right = { CLEAN: days, LACKS: days.filter(({ date }) => date !== '2026-01-13') };
  const known: Readonly<Record<string, readonly [wrong: readonly Day[], like: keyof typeof right | 'suspected']>> = {
    PENCE: [changed((day) => times(day, 100)), 'suspected'],
    POUNDS: [days.map((day) => (day.date >= from ? times(day, 0.01) : day)), 'suspected'],
    YENS: [days.map((day) => (day.date >= from ? times(day, 150) : day)), 'suspected'],
    ZERO: [only('2026-01-13', (day) => times(day, 0)), 'LACKS'],
    MINUS: [only('2026-01-13', (day) => times(day, -1)), 'LACKS'],
    CROSS: [only('2026-01-13', (day) => ({ ...day, high: day.low, low: day.high })), 'LACKS'],
    WILD: [only('2026-01-13', (day) => ({ ...day, high: day.high * 100 })), 'CLEAN'],
    DEEP: [only('2026-01-13', (day) => ({ ...day, low: day.low / 100 })), 'CLEAN'],
  };
  const agent = await anAgentAt(service);
  const calls = (symbol: string) => DIRECTIONS.map((direction) => callOf(stock(symbol), '2026-01-09', 10, direction));
  for (const [symbol, series] of Object.entries(right)) await imported(stock(symbol), '1d', csv(series));
  const outcomes = {
    CLEAN: await graded(agent, calls('CLEAN')),
    LACKS: await graded(agent, calls('LACKS')),
    suspected: [],
  };
  for (const [symbol, [wrong, like]] of Object.entries(known)) {
    expect([symbol, (await imported(stock(symbol), '1d', csv(wrong))).code]).toEqual([symbol, 0]);
    const [found, expected] = [await graded(agent, calls(symbol)), outcomes[like]];
    for (const [index, { result_bucket, outcome }] of found.entries()) {
      const flags = [symbol, outcome.suspected_split || outcome.suspected_price];
      expect(flags).toEqual([symbol, like === 'suspected']);
      if (like !== 'suspected')
        expect([symbol, result_bucket, outcome.z]).toEqual([
          symbol,
          expected[index].result_bucket,
          expected[index].outcome.z,
        ]);
    }
  }
  const ids = (await agent.get('/api/v1/agent/decisions?limit=50')).body.items.map(
    ({ record_id }: { record_id: string }) => record_id,
  );
  const batch = await agent.batch(ids.slice(0, 32));
  expect([batch.status, batch.body.items.length]).toEqual([200, Math.min(32, ids.length)]);
  expect((await wisdom(agent, { market: 'stock', include_retroactive: 'true' })).status).toBe(200);
});

/** The facts but for what was left out, and the days and prices that only the owner sees. */
function factsOf(outcome: Record<string, unknown>) {
  const { prices_left_out: _, left_out: __, ...facts } = outcome;
  return facts;
}

describe('a stock that stands still: each session repeats one price', () => {
  const from = '2025-12-01';
  const days = daysOf(stock('STALE'), '2025-09-02', '2026-02-20');
  const last = days.findLast(({ date }) => date < from)?.close ?? 0;
  const flat = { open: last, high: last, low: last, close: last };
  const standing = days.map((day) => (day.date >= from && day.date < '2026-01-12' ? { ...day, ...flat } : day));
  /** With the volume of those that stand; without it the file has no column of volumes. */
  const rows = (volume?: number) => {
    const [header = '', ...prices] = csv(standing);
    if (volume === undefined) return [header, ...prices].map((row) => row.slice(0, row.lastIndexOf(',')));
    return [
      header,
      ...prices.map((row, i) => (standing[i]?.open === last ? row.replace(/1000$/, String(volume)) : row)),
    ];
  };
  const named = /! 28 bars in a row from 2025-12-01.* repeat the price .*Leave out bars without a trade/;
  const endOf = async (call: Submission) => {
    const agent = await anAgentAt(service);
    const [id = ''] = await gradedCalls(service, [agent], [call]);
    return (await agent.read(id)).body;
  };

  test('with a volume of 0 nothing trades: no_trade, and the import has nothing to name', async () => {
    const stale = stock('STALEA');
    const { code, output } = await imported(stale, '1d', rows(0));
    expect([code, output]).toEqual([0, expect.not.stringMatching(/repeat the price/)]);
    const { lifecycle_state, evaluation } = await endOf(callOf(stale, '2025-12-08', 5));
    expect([lifecycle_state, evaluation.last_error]).toEqual(['data_unavailable', expect.stringMatching(/^no_trade/)]);
  });

  test('without a volume the import names it, and a history of it is below_resolution', async () => {
    const stale = stock('STALEB');
    const { code, output } = await imported(stale, '1d', rows());
    expect([code, output]).toEqual([0, expect.stringMatching(named)]);
    const { lifecycle_state, evaluation } = await endOf(callOf(stale, '2026-01-06', 1));
    expect([lifecycle_state, evaluation.last_error]).toEqual([
      'data_unavailable',
      expect.stringMatching(/^below_resolution/),
    ]);
  });

  test('where more than half of the opens before a decision repeat a close, it is a carried open', async () => {
    const stale = stock('STALEC');
    await imported(stale, '1d', rows());
    const [few, many] = [await endOf(callOf(stale, '2025-12-04', 3)), await endOf(callOf(stale, '2026-01-20', 3))];
    expect([few.outcome.carried_open, many.outcome.carried_open]).toEqual([false, true]);
  });
});

describe('a dividend above the price', () => {
  const acme = stock('ACME');
  const days = daysOf(acme, '2025-09-02', '2026-02-20');
  const calls = DIRECTIONS.map((direction) => callOf(acme, '2026-01-12', 5, direction));

  test('is refused at import, which says what to send', async () => {
    const actions = await actionsFile('2026-01-15,dividend,250');
    const { code, output } = await imported(acme, '1d', csv(days), ['--actions', actions]);
    expect([code, output]).toEqual([1, expect.stringMatching(/2026-01-15 has a dividend of 250, .*pence for GBX/)]);
  });

  test('in a file that was written past the import is not believed: no return is a loss of everything', async () => {
    const sessions = calendarOf(acme).sessions(Date.parse('2025-09-02'), Date.parse('2026-02-21'));
    const rows = days.map(({ date: _, ...prices }, i): RawBar => {
      const session = sessions[i];
      return { start: session?.open ?? 0, end: session?.close ?? 0, ...prices, volume: 1_000, adj_close: null };
    });
    await importBars(bars, {
      ...{ instrument: acme, size: '1d', bars: rows, source: 'a test', licence: 'none', imported_at: AT },
      about: { time_zone: 'America/New_York', cadence: 'end_of_day' },
      actions: [{ at: Date.parse('2026-01-15T14:30:00Z'), kind: 'dividend', value: 250 }],
    });
    const outcomes = await graded(await anAgentAt(service), calls);
    const [bullish, bearish, neutral] = outcomes.map(({ result_bucket }) => result_bucket);
    expect(new Set([bullish, bearish, neutral]).size).toBeGreaterThan(1);
    for (const { outcome } of outcomes) expect(Math.abs(outcome.raw_return)).toBeLessThan(0.2);
  });
});

describe('bars of an hour', () => {
  const acme = stock('ACME');
  const days = daysOf(acme, '2025-09-02', '2026-02-20');
  const session = Date.parse('2026-01-12T14:30:00Z');
  /** From so many minutes after the open on; what begins before the open is at half of the price. */
  const hours = (firstOf: (open: Millis) => readonly Millis[]) => {
    const each = days.filter(({ date }) => date >= '2026-01-02');
    const rows = each.flatMap(({ date, open, high, low, close }) => {
      const at = Date.parse(`${date}T14:30:00Z`);
      return firstOf(at).map((start, i, all) => {
        const prices = i === all.length - 1 ? [open, high, low, close] : [open, open + 0.1, open - 0.1, open + 0.05];
        const traded = start < at ? prices.map((price) => price / 2) : prices;
        return [new Date(start).toISOString(), ...traded, 100].join();
      });
    });
    return ['datetime,open,high,low,close,volume', ...rows];
  };
  const entryOf = async () => {
    const [{ outcome }] = await graded(await anAgentAt(service), [callOf(acme, '2026-01-12', 3, 'bullish')]);
    return outcome.entry;
  };
  const openOf = days.find(({ date }) => date === '2026-01-12')?.open;

  test('on the clock: that of 09:00 is left out and counted, and the entry is the open of the next one', async () => {
    await imported(acme, '1d', csv(days));
    const clock = hours((open) => Array.from({ length: 7 }, (_, i) => open - HOUR / 2 + i * HOUR));
    const { code, output } = await imported(acme, '1h', clock);
    expect([code, output]).toEqual([0, expect.stringMatching(/begin before their session/)]);
    expect(output).toMatch(/sessions have bars and none at their open/);
    expect(await entryOf()).toEqual({
      time: new Date(session + HOUR / 2).toISOString(),
      price: openOf,
      adjusted_price: openOf,
    });
  });

  test('from the open, after one of before the open: the entry is the open of the session', async () => {
    await imported(acme, '1d', csv(days));
    const whole = hours((open) => [open - HOUR, ...Array.from({ length: 7 }, (_, i) => open + i * HOUR)]);
    expect((await imported(acme, '1h', whole)).code).toBe(0);
    expect(await entryOf()).toEqual({ time: new Date(session).toISOString(), price: openOf, adjusted_price: openOf });
  });
});

test('days of Shanghai with the stamp T16:00:00Z are those of the session that begins then', async () => {
  const pufa = stock('600001', 'SSE', 'CNY');
  const days = daysOf(pufa, '2025-09-01', '2026-02-13');
  const moments = days.map((day) => ({ ...day, date: `${utcDate(Date.parse(day.date) - DAY)}T16:00:00Z` }));
  const { code } = await imported(pufa, '1d', csv(moments));
  expect(code).toBe(0);
  const [{ outcome }] = await graded(await anAgentAt(service), [callOf(pufa, '2026-01-12', 5, 'bullish')]);
  const [first, last] = ['2026-01-12', '2026-01-16'].map((date) => days.find((day) => day.date === date));
  expect(outcome.entry).toMatchObject({ time: '2026-01-12T01:30:00.000Z', price: first?.open });
  expect(outcome.exit).toMatchObject({ time: '2026-01-16T07:00:00.000Z', price: last?.close });
});

describe('GME and AMC of January and February 2021', () => {
  const [gme, amc] = [stock('GME', 'NYSE'), stock('AMC', 'NYSE')];
  const calls = ['2021-01-11', '2021-01-20', '2021-01-26', '2021-02-01'].flatMap((date) => [
    callOf(gme, date, 5, 'bullish'),
    callOf(amc, date, 5, 'bearish'),
  ]);
  const withTerms = async (terms: readonly string[]) => {
    for (const instrument of [gme, amc]) {
      const text = await readFixture(instrument);
      expect(await imported(instrument, '1d', text.trim().split('\n'), terms)).toMatchObject({ code: 0 });
    }
  };

  test.each(['a list', 'none'])('with %s nothing is left out or flagged, and all is counted', async (how) => {
    const dates = (await readFixture(gme)).match(/^20\d\d-\d\d-\d\d/gm) ?? [];
    const none = await actionsFile(...dates.map((date) => `${date},none`));
    await withTerms(how === 'none' ? ['--actions', none] : ['--actions-until', '2021-03-05']);
    const { overview, items } = await overviewOf(calls);
    expect([overview.sample_count, items.length]).toEqual([40, 40]);
    const outcomes = (await graded(await anAgentAt(service), calls)).map(({ outcome }) => outcome);
    for (const each of outcomes) {
      expect(each).toMatchObject({ suspected_split: false, suspected_price: false, left_out: [] });
      expect(each.prices_left_out).toEqual({ path: 0, history: 0 });
    }
    expect(Math.max(...outcomes.map(({ night_leap }) => night_leap ?? 0))).toBeCloseTo(4.1, 1);
  });

  test('without either the windows with a leap are suspected, and counted as such', async () => {
    await withTerms([]);
    const { overview } = await overviewOf(calls);
    const suspected = overview.ungraded?.suspected ?? 0;
    expect(suspected).toBeGreaterThanOrEqual(20);
    expect(overview.sample_count + suspected).toBe(40);
  });
});

function readFixture({ symbol }: Instrument): Promise<string> {
  return readFile(join(FIXTURES, `${symbol.toLowerCase()}-2021.csv`), 'utf8');
}

describe('files of FMP and LEAN grade as plain columns do', () => {
  const units = (price: number) => Math.round(price * 10_000);
  const leanZip = (name: string, lines: readonly string[]) => zipSync({ [name]: strToU8(`${lines.join('\n')}\n`) });
  /** Each day in hours from its open, of which the last is half an hour. */
  const hoursOf = (days: readonly Day[]) =>
    days.flatMap(({ date, open, close, high, low }) =>
      ['09:30', '10:30', '11:30', '12:30', '13:30', '14:30', '15:30'].map((clock, i) => {
        const [from, to] = [i, i + 1].map((n) => round(open + ((close - open) * n) / 7)) as [number, number];
        return { date, clock, open: from, close: to, high: Math.max(high, from, to), low: Math.min(low, from, to) };
      }),
    );
  /** FMP writes the newest row first, and times of the exchange without an offset. */
  const fmp = (rows: readonly (Day & { readonly clock?: string })[], symbol: string) =>
    strToU8(
      JSON.stringify(
        rows
          .map(({ date, clock, ...prices }) => ({
            ...{ symbol, date: clock === undefined ? date : `${date} ${clock}:00`, ...prices, volume: 1000 },
            ...(clock === undefined && { change: 0.1, changePercent: 0.1, vwap: prices.close }),
          }))
          .reverse(),
      ),
    );
  const lean = (rows: readonly (Day & { readonly clock?: string })[], name: string) =>
    leanZip(
      `${name.toLowerCase()}.csv`,
      rows.map(({ date, clock = '00:00', open, high, low, close }) => {
        const prices = [open, high, low, close].map(units).join();
        return `${date.replaceAll('-', '')} ${clock},${prices},1000`;
      }),
    );

  test('in days and in hours, digit for digit', async () => {
    const [plain, ofFmp, ofLean] = [stock('PLAIN'), stock('FMPX'), stock('LEANX')];
    const days = daysOf(plain, '2025-06-02', '2025-10-31').map((day) => ({
      ...day,
      high: round(day.high),
      low: round(day.low),
    }));
    const hours = hoursOf(days);
    const clocked = hours.map(({ date, clock, open, high, low, close }) =>
      [`${date} ${clock}`, open, high, low, close, 1000].join(),
    );
    const files = [
      [plain, csv(days), ['Date,Open,High,Low,Close,Volume', ...clocked], 'plain columns'],
      [ofFmp, fmp(days, 'FMPX'), fmp(hours, 'FMPX'), 'FMP'],
      [ofLean, lean(days, 'LEANX'), lean(hours, 'LEANX'), 'LEAN daily or hourly'],
    ] as const;
    for (const [instrument, daily, hourly, format] of files) {
      const found = await imported(instrument, '1d', daily);
      expect([found.code, found.output]).toEqual([0, expect.stringContaining(`read as ${format};`)]);
      expect((await imported(instrument, '1h', hourly)).code).toBe(0);
    }
    const agent = await anAgentAt(service);
    const calls = ([instrument]: (typeof files)[number]) =>
      ['2025-09-02', '2025-09-15', '2025-10-01'].flatMap((date, i) => [
        callOf(instrument, date, i + 1, 'bullish'),
        callOf(instrument, date, 5, 'neutral'),
      ]);
    const outcomes: unknown[] = [];
    for (const file of files)
      outcomes.push(
        (await graded(agent, calls(file))).map(({ outcome, result_bucket }) => ({ result_bucket, ...outcome })),
      );
    expect(outcomes[1]).toEqual(outcomes[0]);
    expect(outcomes[2]).toEqual(outcomes[0]);
  });
});
