import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { AskedTooOften, fieldsOf } from '../../../adapters/market/answer.ts';
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
      { source: 'test', instrument, attempt: 1, ...reason },
      { source: 'test', instrument, attempt: 2, ...reason },
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
  await expect(client.ask(question)).rejects.toThrow('test takes no request now');
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
  expect(tools.logged).toHaveLength(3);
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
      await expect(client.ask(question)).rejects.toThrow('test is left alone after failures');
    }
    expect(server.asked).toHaveLength(5);
    expect(tools.logged).toHaveLength(5);
    expect(client.health()).toMatchObject({ source: 'test', state: 'open', failures: 5, last_success_at: null });
  });

  test('is tried by one request then, whose success closes it', async () => {
    const { client, tools } = await opened();
    tools.advance(30 * SECOND);
    expect(client.health().state).toBe('half_open');
    const answers = await Promise.allSettled([client.ask(question), client.ask(question), client.ask(question)]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(server.asked).toHaveLength(6);
    expect(client.health()).toMatchObject({ state: 'closed', failures: 0 });
  });

  test('is not asked for twice as long when the trial fails', async () => {
    const { client, tools } = await opened();
    tools.advance(30 * SECOND);
    server.faults.push(refused);
    await expect(client.ask(question)).rejects.toThrow('test answered 503');
    expect(server.asked).toHaveLength(6);
    tools.advance(59 * SECOND);
    expect(client.health().state).toBe('open');
    tools.advance(SECOND);
    expect(await client.ask(question)).toBe('1.5');
  });

  test('is not counted against by answers in between', async () => {
    const { client } = clientOf();
    for (let i = 0; i < 4; i++) {
      server.faults.push(refused, refused);
      expect(await client.ask(question)).toBe('1.5');
    }
    expect(client.health()).toMatchObject({ state: 'closed', failures: 0 });
  });
});

test('an answer with another status counts where the question says so', async () => {
  const { client } = clientOf();
  server.faults.push({ kind: 'status', status: 404 });
  const read = (_: unknown, status: number) => (status === 404 ? 'unknown' : 'known');
  expect(await client.ask({ ...question, answers: [404], read })).toBe('unknown');
});
