import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { AskedTooOften, fieldsOf, MalformedAnswer } from '../../../adapters/market/candles.ts';
import { type SourceRequest, sourceClient } from '../../../adapters/market/source-client.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { HOUR, MINUTE, type Millis, SECOND } from '../../../domain/time.ts';
import { type Fault, type FaultServer, faultServer } from '../../harness/exchanges/fault-server.ts';
import { testTools } from '../../harness/exchanges/source-tools.ts';

const START = Date.UTC(2026, 2, 2, 12);
const BTC: Instrument = {
  market: 'crypto',
  symbol: 'BTC',
  venue: 'BINANCE',
  asset_class: 'spot',
  quote_currency: 'USDT',
};
const question: SourceRequest<unknown> = { about: BTC, path: '/price', read: (body) => fieldsOf(body).price };
const refused: Fault = { kind: 'status', status: 503 };

let server: FaultServer;
beforeEach(async () => {
  server = await faultServer(() => ({ status: 200, json: { price: '1.5', filler: 'x'.repeat(100) } }));
});
afterEach(() => server.close());

function clientOf(allowance = { perSecond: 1_000, burst: 1_000 }, deadline?: Millis) {
  const tools = testTools(START, deadline);
  return { tools, client: sourceClient({ source: 'test', baseUrl: server.url, allowance }, tools) };
}

const times = (count: number, fault: Fault) => Array.from({ length: count }, () => fault);

describe('a request that fails in passing is sent again', () => {
  test.each<[string, Fault, object]>([
    ['a server error', refused, { status: 503 }],
    ['a rate limit', { kind: 'status', status: 429 }, { status: 429 }],
    ['an answer that never comes', { kind: 'silence' }, { code: 'timeout' }],
    ['an answer that stops half-way', { kind: 'stall' }, { code: 'timeout' }],
    ['a connection that closes before the answer', { kind: 'reset' }, { code: 'UND_ERR_SOCKET' }],
    ['a connection that is closed on one side', { kind: 'half_closed' }, { code: 'UND_ERR_SOCKET' }],
    ['a connection that closes within the answer', { kind: 'cut' }, { code: 'UND_ERR_SOCKET' }],
    ['a page instead of JSON', { kind: 'text', text: '<html>' }, { code: 'malformed' }],
    ['another form than documented', { kind: 'text', text: '[]' }, { code: 'malformed' }],
  ])('%s', async (_, fault, reason) => {
    const endless = fault.kind === 'silence' || fault.kind === 'stall';
    const { client, tools } = clientOf(undefined, endless ? SECOND : undefined);
    server.faults.push(fault, fault);
    expect(await client.ask(question)).toBe('1.5');
    expect(server.asked).toHaveLength(3);
    // Full jitter over a second, then over two, with a generator that always draws one half.
    expect(tools.slept).toEqual([500, 1_000]);
    const instrument = 'crypto:BTC:BINANCE:spot:USDT';
    expect(tools.logged).toMatchObject([
      { message: 'A market data source failed', source: 'test', instrument, count: 1, ...reason },
      { message: 'A market data source answers again', source: 'test', count: 2 },
    ]);
  });

  test('up to three times', async () => {
    const { client } = clientOf();
    server.faults.push(...times(3, refused));
    await expect(client.ask(question)).rejects.toMatchObject({
      name: 'SourceUnavailable',
      message: 'test answered 503 (crypto:BTC:BINANCE:spot:USDT)',
    });
    expect(server.asked).toHaveLength(3);
  });
});

test('a refusal is not repeated', async () => {
  const { client } = clientOf();
  server.faults.push({ kind: 'status', status: 451 });
  await expect(client.ask(question)).rejects.toThrow('test answered 451');
  expect(server.asked).toHaveLength(1);
});

test('a source that answers 403 is not asked for ten minutes', async () => {
  const { client, tools } = clientOf();
  server.faults.push({ kind: 'status', status: 403 });
  await expect(client.ask(question)).rejects.toThrow('test answered 403');
  tools.advance(9 * MINUTE);
  await expect(client.ask(question)).rejects.toThrow(
    'test takes no request now, last error: answered 403 (crypto:BTC:BINANCE:spot:USDT)',
  );
  expect(server.asked).toHaveLength(1);
  tools.advance(MINUTE);
  expect(await client.ask(question)).toBe('1.5');
});

test('a redirect is not followed', async () => {
  const { client } = clientOf();
  const elsewhere: Fault = { kind: 'status', status: 302, headers: { location: '/elsewhere' } };
  server.faults.push(...times(3, elsewhere));
  await expect(client.ask(question)).rejects.toThrow('test gave no answer');
  expect(server.asked).toEqual(['/price', '/price', '/price']);
});

test('an answer of more than 16 MiB is given up, once', async () => {
  const { client } = clientOf();
  server.faults.push({ kind: 'text', text: `"${'x'.repeat(17 * 1024 * 1024)}"` });
  await expect(client.ask(question)).rejects.toThrow('test gave no answer: too_large');
  expect(server.asked).toHaveLength(1);
});

test('a source that nobody serves is unavailable', async () => {
  const { client, tools } = clientOf();
  await server.close();
  await expect(client.ask(question)).rejects.toThrow('test gave no answer: ECONNREFUSED');
  expect(tools.logged).toHaveLength(1);
  expect(client.health()).toMatchObject({ state: 'failing', failures: 3, last_error: 'gave no answer: ECONNREFUSED' });
});

test('a fault of the program is no fault of the source', async () => {
  const { client } = clientOf();
  const broken = () => {
    throw new RangeError('oops');
  };
  await expect(client.ask({ ...question, read: broken })).rejects.toThrow(RangeError);
});

describe('Retry-After', () => {
  const limited = (wait: string): Fault => ({ kind: 'status', status: 429, headers: { 'retry-after': wait } });

  test('holds the next attempt back', async () => {
    const { client, tools } = clientOf();
    server.faults.push(limited('7'));
    expect(await client.ask(question)).toBe('1.5');
    expect(tools.slept).toEqual([500, 6_500]);
  });

  test('that is long sends nobody before it has passed', async () => {
    const { client, tools } = clientOf();
    server.faults.push(limited('120'));
    await expect(client.ask(question)).rejects.toThrow('test answered 429');
    await expect(client.ask(question)).rejects.toThrow('test takes no request now');
    expect(server.asked).toHaveLength(1);
    tools.advance(120 * SECOND);
    expect(await client.ask(question)).toBe('1.5');
  });

  test('is kept for an hour at most', async () => {
    const { client, tools } = clientOf();
    server.faults.push(limited('999999999'));
    await expect(client.ask(question)).rejects.toThrow('test answered 429');
    tools.advance(HOUR);
    expect(await client.ask(question)).toBe('1.5');
  });
});

test('an answer may say itself that it is asked too often', async () => {
  const { client } = clientOf();
  let refusals = 1;
  const read = () => {
    if (refusals-- > 0) throw new AskedTooOften('EGeneral:Too many requests');
    return 'let through';
  };
  expect(await client.ask({ ...question, read })).toBe('let through');
});

test('requests keep to the allowance by what they cost', async () => {
  const { client, tools } = clientOf({ perSecond: 10, burst: 20 });
  for (let i = 0; i < 4; i++) await client.ask({ ...question, cost: 10 });
  expect(tools.slept).toEqual([1_000, 1_000]);
});

describe('a source that fails five times in a row', () => {
  async function opened() {
    const parts = clientOf();
    server.faults.push(...times(5, refused));
    for (let i = 0; i < 2; i++) await expect(parts.client.ask(question)).rejects.toThrow('test answered 503');
    expect(server.asked).toHaveLength(5);
    return parts;
  }

  test('is not asked for half a minute, and nothing is logged meanwhile', async () => {
    const { client, tools } = await opened();
    for (let i = 0; i < 10; i++) {
      await expect(client.ask(question)).rejects.toThrow(
        'test is paused after failures, last error: answered 503 (crypto:BTC:BINANCE:spot:USDT)',
      );
    }
    expect(server.asked).toHaveLength(5);
    expect(tools.logged).toMatchObject([
      { message: 'A market data source failed', count: 1, status: 503 },
      { message: 'A market data source is paused after failures', count: 5, status: 503 },
    ]);
    expect(client.health()).toMatchObject({ source: 'test', state: 'paused', failures: 5, last_success_at: null });
  });

  test('is tried by one request then, whose success closes it', async () => {
    const { client, tools } = await opened();
    tools.advance(30 * SECOND);
    expect(client.health().state).toBe('failing');
    const answers = await Promise.allSettled([client.ask(question), client.ask(question), client.ask(question)]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(server.asked).toHaveLength(6);
    expect(client.health()).toMatchObject({ state: 'healthy', failures: 0, last_error: 'answered 503' });
    expect(tools.logged.at(-1)).toEqual({ message: 'A market data source answers again', source: 'test', count: 5 });
  });

  test('is paused for twice as long when the trial fails', async () => {
    const { client, tools } = await opened();
    tools.advance(30 * SECOND);
    server.faults.push(refused);
    await expect(client.ask(question)).rejects.toThrow('test answered 503');
    expect(server.asked).toHaveLength(6);
    expect(tools.logged).toHaveLength(2);
    tools.advance(59 * SECOND);
    expect(client.health().state).toBe('paused');
    tools.advance(SECOND);
    expect(await client.ask(question)).toBe('1.5');
  });

  test('is not counted against by answers in between', async () => {
    const { client } = clientOf();
    for (let i = 0; i < 4; i++) {
      server.faults.push(refused, refused);
      expect(await client.ask(question)).toBe('1.5');
    }
    expect(client.health()).toMatchObject({ state: 'healthy', failures: 0 });
  });
});

test('an answer with another status counts where the question says so', async () => {
  const { client } = clientOf();
  server.faults.push({ kind: 'status', status: 404 });
  const read = (_: unknown, status: number) => (status === 404 ? 'unknown' : 'known');
  expect(await client.ask({ ...question, answers: [404], read })).toBe('unknown');
});

test('control characters of a source do not reach the text of the last error', async () => {
  const { client } = clientOf();
  server.faults.push({ kind: 'status', status: 429 });
  const read = () => {
    throw new MalformedAnswer(`error \u001b[31m${'x'.repeat(300)}`);
  };
  await expect(client.ask({ ...question, read })).rejects.toThrow('test sent an unexpected reply');
  const { last_error } = client.health();
  expect(last_error).toMatch(/^sent an unexpected reply: error {2}\[31mx+$/);
  expect(last_error).toHaveLength(200);
});
