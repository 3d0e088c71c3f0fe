import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sourceClient } from '../../../../adapters/market/source-client.ts';
import { alpaca, perMinute } from '../../../../adapters/market/stocks/alpaca.ts';
import { eodhd } from '../../../../adapters/market/stocks/eodhd.ts';
import { massive } from '../../../../adapters/market/stocks/massive.ts';
import { stockSource } from '../../../../adapters/market/stocks/stock-source.ts';
import { yahoo } from '../../../../adapters/market/stocks/yahoo.ts';
import { SourceUnavailable } from '../../../../domain/market/market-data.ts';
import { DAY } from '../../../../domain/time.ts';
import { type FaultServer, faultServer } from '../../../harness/exchanges/fault-server.ts';
import { testTools } from '../../../harness/exchanges/source-tools.ts';
import { MSFT, NOW } from './promises.ts';

const SAP = { ...MSFT, symbol: 'SAP.DE', venue: 'XETRA', quote_currency: 'EUR' };

let server: FaultServer;
let answered: unknown;
beforeAll(async () => {
  server = await faultServer(({ pathname }) => ({
    status: 200,
    json: pathname.startsWith('/exchange-symbol-list') ? [{ Code: 'SAP', Currency: 'EUR' }] : answered,
  }));
});
afterAll(() => server.close());

const junk = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.double(), fc.constantFrom('', '0x10', -1, 1e300, null));
const around = (good: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 3, arbitrary: good }, { weight: 1, arbitrary: junk });
const listOf = (row: fc.Arbitrary<unknown>) => around(fc.array(around(row), { maxLength: 3 }));
const price = around(fc.double({ min: 0.01, max: 1e4, noNaN: true }));
const seconds = around(fc.integer({ min: 1_760_000_000, max: 1_772_000_000 }));
const rowWith = (t: fc.Arbitrary<unknown>) =>
  fc.record({ t: around(t), o: price, h: price, l: price, c: price, v: price });
const date = around(fc.constantFrom('2026-02-03', '2026-02-30', '9999-12-31', '0000-01-01'));

const ANSWERS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  alpaca: fc.record({
    bars: listOf(rowWith(fc.constantFrom('2026-02-03T05:00:00Z', '2026-02-30T99:00:00Z', '0000-01-01T00:00:00Z'))),
    next_page_token: around(fc.constant(null)),
    corporate_actions: around(
      fc.record({ forward_splits: listOf(fc.record({ ex_date: date, new_rate: price, old_rate: price })) }),
    ),
  }),
  eodhd: listOf(
    fc.record({ date, open: price, high: price, low: price, close: price, adjusted_close: price, volume: price }),
  ),
  massive: fc.record({
    results: listOf(
      fc.oneof(
        rowWith(seconds.map((at) => (typeof at === 'number' ? at * 1_000 : at))),
        fc.record({ execution_date: date, split_from: price, split_to: price }),
        fc.record({ ex_dividend_date: date, cash_amount: price }),
      ),
    ),
    next_url: around(fc.constant(null)),
  }),
  yahoo: around(
    fc.record({
      meta: around(fc.constant({ currency: 'USD' })),
      timestamp: listOf(seconds),
      events: around(
        fc.record({
          splits: around(fc.record({ a: fc.record({ date: seconds, numerator: price, denominator: price }) })),
        }),
      ),
      indicators: around(
        fc.record({
          quote: around(
            fc
              .record({
                open: listOf(price),
                high: listOf(price),
                low: listOf(price),
                close: listOf(price),
                volume: listOf(price),
              })
              .map((each) => [each]),
          ),
          adjclose: around(fc.record({ adjclose: listOf(price) }).map((each) => [each])),
        }),
      ),
    }),
  ).map((result) => ({ chart: { result: [result], error: null } })),
};

function sourceOf(name: string) {
  const tools = testTools(NOW);
  const client = sourceClient({ source: name, baseUrl: server.url, allowance: perMinute(10_000) }, tools);
  const services = {
    alpaca: () => alpaca(client, { feed: 'sip' }),
    massive: () => massive(client, { baseUrl: server.url, years: 2 }),
    yahoo: () => yahoo(client, tools.timing),
    eodhd: () => eodhd(client, { key: 'k', years: 1, perDay: 20 }, tools.timing),
  };
  return stockSource(services[name as keyof typeof services](), tools.timing);
}

test.each(Object.keys(ANSWERS))('whatever %s answers, there are sound bars or it is unavailable', async (name) => {
  let served = 0;
  await fc.assert(
    fc.asyncProperty(ANSWERS[name] ?? fc.constant(null), async (answer) => {
      answered = answer;
      const bars = sourceOf(name).bars(name === 'eodhd' ? SAP : MSFT, '1d', NOW - 90 * DAY, NOW, NOW);
      const series = await bars.catch((error: unknown) => error);
      if (series instanceof SourceUnavailable) return;
      served += 1;
      expect(series).toMatchObject({ source: name, size: '1d', dropped: expect.any(Number) });
      const sound = (await bars).bars.every((bar) => {
        const range =
          bar.low > 0 && bar.low <= Math.min(bar.open, bar.close) && bar.high >= Math.max(bar.open, bar.close);
        return range && bar.split > 0 && bar.total > 0 && Number.isFinite(bar.high * bar.split * bar.total);
      });
      expect(sound).toBe(true);
    }),
    { numRuns: 150 },
  );
  expect(served).toBeGreaterThan(0);
});
