import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { calendarOf } from '../../../domain/market/calendars/by-venue.ts';
import { runCommand } from '../../../infrastructure/commands/run-command.ts';
import { type OpenedDatabase, onPostgres } from '../../contracts/decisions/adapters.ts';
import { anAgentAt, strangerAt, type TestAgent } from '../../harness/callers.ts';
import { openService, type TestService } from '../../harness/service.ts';

/** As an agent writes it, as the service names it, the unit of its prices, and the reference of its market. */
const CALLS = [
  ['HKEX', '0700', '0700.HK', 'HKD', 'hkd', '2800.HK', '2024-05-06T01:30:00.000Z', '2024-05-10T08:00:00.000Z'],
  ['TSE', '7203', '7203.T', 'JPY', 'jpy', '1306.T', '2024-05-07T00:00:00.000Z', '2024-05-13T06:00:00.000Z'],
  [
    'NSE',
    'RELIANCE',
    'RELIANCE.NS',
    'INR',
    'inr',
    'NIFTYBEES.NS',
    '2024-05-06T03:45:00.000Z',
    '2024-05-10T10:00:00.000Z',
  ],
  ['LSE', 'VOD', 'VOD.L', 'GBp', 'gbp', 'ISF.L', '2024-05-07T07:00:00.000Z', '2024-05-13T15:30:00.000Z'],
  ['XETRA', 'SAP', 'SAP.DE', 'EUR', 'eur', 'EXS1.DE', '2024-05-06T07:00:00.000Z', '2024-05-10T15:30:00.000Z'],
] as const;

let opened: OpenedDatabase;
let folder: string;
let service: TestService;
let agent: TestAgent;

async function importDays(venue: string, symbol: string, quote: string, slope: number): Promise<string> {
  const sessions = calendarOf({ market: 'stock', venue }).sessions(Date.parse('2024-01-01'), Date.parse('2024-06-30'));
  const rows = sessions.map(({ date }, day) => {
    const [open, close] = [100 + slope * day + (day % 3), 100.5 + slope * day + ((day + 1) % 4)];
    return [date, open, Math.max(open, close) + 1, Math.min(open, close) - 1, close, 1000].join();
  });
  const path = join(folder, `${symbol}.csv`);
  await writeFile(path, ['Date,Open,High,Low,Close,Volume', ...rows].join('\n'));
  const secret = 'a secret of the tests, long enough for them';
  const environment = {
    ...{ PATH: process.env.PATH, DATABASE_URL: opened.serviceUrl, SESSION_SECRET: secret, PASSWORD_PEPPER: secret },
    ...{ DATA_DIR: folder, MARKET_DATA_BARS_DIR: join(folder, 'bars'), MARKET_DATA_NETWORK: 'false' },
  };
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const identity = `stock:${symbol}:${venue}:spot:${quote}`;
  const code = await runCommand(['import-bars', path, identity, '--size', '1d'], environment, {
    print: say,
    complain: say,
  });
  expect([code, lines.join('\n')]).toEqual([0, expect.stringContaining(`${sessions.length} rows`)]);
  return lines.join('\n');
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stancebook-venues-'));
  opened = await onPostgres(4);
  for (const [venue, , symbol, sent, , reference] of CALLS) {
    const quote = sent === 'GBp' ? 'GBX' : sent;
    await importDays(venue, symbol, quote, 1);
    await importDays(venue, reference, quote, 0.1);
  }
  service = await openService('postgres', {
    opened,
    at: new Date('2026-11-29T12:00:00.000Z'),
    env: {
      ...{ MARKET_DATA_BARS_DIR: join(folder, 'bars'), LIMIT_COOLDOWN_SECONDS: '0' },
      ...{ WISDOM_MIN_PRODUCERS: '1', WISDOM_MIN_SAMPLES: '1' },
    },
  });
  agent = await anAgentAt(service);
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

test('a number without its venue is refused with the symbols that it may be', async () => {
  const sent = await strangerAt(service).get('/api/v1/public/cohorts?market=stock&symbol=0700');
  expect(sent.status).toBe(422);
  const [detail] = sent.body.error.details;
  expect(detail).toMatchObject({ path: 'symbol', received: '0700' });
  expect(detail.message).toMatch(/Send one of 0700\.HK, .*0700\.TW/);
  const named = ['symbol=0700.HK', 'symbol=600000', 'symbol=VOD', 'symbol=0700&venue=TWSE'];
  for (const query of named) {
    const { status } = await strangerAt(service).get(`/api/v1/public/cohorts?market=stock&${query}`);
    expect([query, status]).toEqual([query, 200]);
  }
});

describe.each(CALLS)(
  'a retroactive decision at %s on %s',
  (venue, sent, symbol, quote, group, reference, opens, ends) => {
    const identity = { market: 'stock', venue, asset_class: 'spot' };
    let record_id: string;

    test('is accepted under its symbol, in its unit, and is graded by imported days', async () => {
      const call = { direction: 'bullish', horizon_kind: 'trading_days', horizon_value: 5 };
      const submission = {
        ...identity,
        ...call,
        symbol: sent,
        quote_currency: quote,
        data_cutoff: '2024-05-05T21:00:00Z',
      };
      const { status, body } = await agent.submit(submission);
      const unit = quote === 'GBp' ? 'GBX' : quote;
      expect(status).toBe(201);
      record_id = body.record_id;
      await service.settle();
      const { body: record } = await strangerAt(service).read(record_id);
      expect(record).toMatchObject({
        ...{ symbol, venue, quote_currency: unit },
        cohort_key: expect.stringContaining(`stock:${symbol.toLowerCase()}:spot:${group}:`),
        window: { end_time: ends },
        outcome: { entry: { time: opens }, exit: { time: ends }, source: 'bar-files' },
      });
      const { raw_return, market } = record.outcome;
      expect(raw_return).toBeGreaterThan(0);
      expect(market).toMatchObject({ instrument: expect.stringContaining(`stock:${reference}:${venue}:spot:`) });
      expect(market.move).not.toBeCloseTo(raw_return, 4);
    });

    test('counts in the public cohort of its venue and quote, and in no other', async () => {
      const count = async (query: Readonly<Record<string, string>>) => {
        const all = { market: 'stock', symbol, include_retroactive: 'true', ...query };
        const { status, body } = await strangerAt(service).get(`/api/v1/public/cohorts?${new URLSearchParams(all)}`);
        return [status, body.overview?.sample_count];
      };
      expect(await count({ venue, quote_currency: quote })).toEqual([200, 1]);
      expect(await count({ venue, symbol: sent })).toEqual([200, 1]);
      expect(await count({})).toEqual([200, 1]);
      expect(await count({ quote_currency: quote === 'EUR' ? 'USD' : 'EUR' })).toEqual([200, null]);
    });
  },
);
