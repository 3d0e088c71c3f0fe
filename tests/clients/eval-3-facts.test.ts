import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Stancebook } from '../../clients/typescript/client.ts';
import { calendarOf } from '../../domain/market/calendars/by-venue.ts';
import type { Instrument } from '../../domain/market/instrument.ts';
import { type MarketData, OutOfReach, openCoverage } from '../../domain/market/market-data.ts';
import type { Millis } from '../../domain/time.ts';
import { aSubmission } from '../builders/decisions.ts';
import { chanceFrom } from '../domain/grading/look-ahead/chance.ts';
import { anAgentAt, type TestAgent } from '../harness/callers.ts';
import { openService, type TestService } from '../harness/service.ts';
import { bodyIn, type McpStage, openMcpStage } from '../http/mcp/stage.ts';
import { runPython } from './python/run-python.ts';

// What eval/3 adds to an outcome arrives unchanged by every way that an agent has.

const AT = new Date('2026-03-02T12:00:00.000Z');
const ACME: Instrument = {
  ...{ market: 'stock', symbol: 'MSFT', venue: 'NASDAQ' },
  ...{ asset_class: 'spot', quote_currency: 'USD' },
};
const FROM = Date.parse('2025-06-02T13:30:00Z');
const LEAP = Date.parse('2026-01-15T14:30:00Z');
const STRAY = Date.parse('2026-01-14T14:30:00Z');

/** A price that falls to half over a night, of which the source says that it has no action, and an open of 100 times before it. */
function network(): MarketData {
  const { normal } = chanceFrom(5);
  let last = 80;
  const bars = calendarOf(ACME)
    .sessions(FROM, AT.getTime())
    .map(({ open: start, close: end }) => {
      const [first, close] = [last * Math.exp(0.004 * normal()), last * Math.exp(0.01 * normal())];
      last = close;
      const unit = start < LEAP ? 1 : 0.5;
      const [open, closed] = [first * unit * (start === STRAY ? 100 : 1), close * unit];
      const [high, low] = [Math.max(open, closed) + 0.1, Math.min(open, closed) - 0.1];
      return { start, end, open, high, low, close: closed, volume: 1_000, split: 1, total: 1 };
    });
  const within = (from: Millis, to: Millis) => bars.filter(({ start, end }) => start >= from && end <= to);
  return {
    describe: async () => ({
      ...{ source: 'network', sizes: ['1d'], history_from: FROM, delisted_at: null, cadence: 'end_of_day' },
    }),
    coverage: async () => [openCoverage('network', () => FROM)],
    bars: async ({ symbol }, size, from, to) => {
      if (symbol !== ACME.symbol) throw new OutOfReach(`no bars of ${symbol}`);
      return { source: 'network', size, dropped: 0, bars: within(from, to) };
    },
    actions: async () => ({
      lists: [{ source: 'network', from: '2025-06-02', until: '2026-03-02' }],
      ...{ actions: [], none: [], listed_on: null },
    }),
  };
}

let service: TestService;
let stage: McpStage;
let agent: TestAgent;
let record_id: string;
beforeAll(async () => {
  service = await openService('postgres', { at: AT, ports: () => ({ marketData: network() }) });
  stage = await openMcpStage(service.app);
  agent = await anAgentAt(service);
  const call = { ...ACME, direction: 'bearish', horizon_kind: 'trading_days', horizon_value: 5 } as const;
  const price_targets = { entry: 60, targets: [{ price: 20 }], stop_loss: { price: 95, kind: 'hard' } } as const;
  const submission = { ...aSubmission(new Date('2026-01-13T14:30:00Z'), call), price_targets };
  const { status, body } = await agent.submit(submission);
  if (status !== 201) throw new Error(JSON.stringify(body));
  ({ record_id } = body);
  await service.settle();
});
afterAll(async () => {
  await stage.close();
  await service.close();
});

test('the facts of eval/3 are the same over HTTP, MCP and both clients, to the owner and to others', async () => {
  const url = new URL('/', stage.url).href;
  const other = await anAgentAt(service);
  const seen = [];
  for (const { api_key, read } of [agent, other]) {
    const { status, body } = await read(record_id);
    expect([status, body.lifecycle_state ?? 'evaluated']).toEqual([200, 'evaluated']);
    const mcp = await stage.connect({ 'x-api-key': api_key });
    const reply = await mcp.callTool({ name: 'get_decision', arguments: { record_id } });
    expect(bodyIn(reply)).toEqual(body);
    expect(await new Stancebook({ url, apiKey: api_key }).decision(record_id)).toEqual(body);
    const script =
      'import json, sys; from stancebook import Stancebook; ' +
      'print(json.dumps(Stancebook(url=sys.argv[1], api_key=sys.argv[2]).decision(sys.argv[3])))';
    const python = await runPython(['-c', script, url, api_key, record_id]);
    expect([python.status, python.stderr]).toEqual([0, '']);
    expect(JSON.parse(python.stdout)).toEqual(body);
    seen.push(body.outcome);
  }
  const [own, public_] = seen;
  const facts = {
    ...{ prices_left_out: { path: 1, history: 0 }, suspected_price: false, suspected_split: false, market: null },
    ...{ night_leap: expect.closeTo(0.5, 1), history_from: expect.stringMatching(/^2025-\d\d-\d\d$/) },
  };
  expect(own).toMatchObject(facts);
  expect(own.left_out).toHaveLength(1);
  expect(own.levels.entry_reached).toBe(true);
  expect(public_).toMatchObject(facts);
  expect(public_).not.toHaveProperty('left_out');
});
