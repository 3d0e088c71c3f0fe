import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type PegExchangeName, pegSources } from '../../../adapters/market/pegs/peg-sources.ts';
import { observePegs } from '../../../application/circuits/change-circuit.ts';
import type { CircuitSnapshot } from '../../../domain/circuits/circuit.ts';
import type { RawPegQuote } from '../../../domain/circuits/peg.ts';
import { DAY, HOUR, MINUTE, type Millis, SECOND } from '../../../domain/time.ts';
import { type PegMarket, pegServer } from '../../harness/exchanges/peg-server.ts';
import { march2023, minutesOf } from '../../harness/pegs/march-2023.ts';
import { CLOCKED_STORAGES, type ClockedStorage, clockedStorage } from '../../harness/pegs/storages.ts';

const days = march2023();

const isWhole = process.env.PLAYED_DAYS === 'whole';

/**
 * In the short form the exchanges are asked over HTTP from two hours before the trip until four hours after it; their quotes
 * of the other minutes are passed in directly, and PostgreSQL looks at fewer (`looksOf`). `npm run played-days` asks them
 * in every minute.
 */
const asks = isWhole
  ? { from: days.from, to: days.from + days.minutes * MINUTE }
  : { from: Date.parse('2023-03-11T00:00:00Z'), to: Date.parse('2023-03-11T06:00:00Z') };

interface Played extends ClockedStorage {
  readonly name: string;
  readonly looks: ReadonlySet<Millis>;
  readonly changes: CircuitSnapshot[];
}

let played: readonly Played[];
let requestCount: number;
const failed: unknown[] = [];
/** Minutes in which the exchanges' interfaces differed from their markets. */
const different: unknown[] = [];

/** Once for both storages: the exchanges return the same to either. */
beforeAll(async () => {
  const storages = CLOCKED_STORAGES.map(async (name) => ({
    ...{ name, looks: looksOf(name), changes: [] },
    ...(await clockedStorage(name)),
  }));
  played = await Promise.all(storages);
  let now = days.from;
  const server = await pegServer((exchange) => marketAt(now, exchange));
  const { url } = server;
  const timing = { now: () => now, sleep: async () => undefined, random: () => 0.5 };
  const log = { info: () => undefined, warn: (...args: unknown[]) => void failed.push(args) };
  const addresses = { kraken: url, coinbase: url, bitstamp: url, gemini: url };
  const exchanges = pegSources(addresses, { timing, log, deadline: 10 * SECOND });
  let looking: Promise<unknown> = Promise.resolve();
  for (const minute of minutesOf(days)) {
    now = minute;
    const said = quotesAt(minute);
    const isAsked = minute >= asks.from && minute < asks.to;
    const quotes = isAsked ? await exchanges.quotes('USDC') : said;
    if (isAsked) different.push(...(isDeepStrictEqual(quotes, said) ? [] : [{ minute, quotes, said }]));
    await looking;
    const looks = played.filter(({ looks }) => looks.has(minute));
    looking = Promise.all(looks.map((each) => look(each, minute, quotes)));
  }
  await looking;
  requestCount = server.asked.length;
  await server.close();
}, 300_000);
afterAll(async () => {
  for (const { close } of played) await close();
});

async function look({ storage, changes, setClock }: Played, now: Millis, quotes: readonly RawPegQuote[]) {
  await setClock(now);
  await observePegs({
    circuits: storage.circuits,
    pegSource: { quotes: async (coin) => (coin === 'USDC' ? quotes : []) },
    settings: { autoTrip: true } as never,
    announce: (change) => void changes.push(change),
    announcePeg: () => undefined,
  });
}

/** Bitstamp a little above Kraken, Gemini a little below, so that the median is what Kraken's trades were. */
const OFFSETS: Readonly<Record<PegExchangeName, number>> = {
  kraken: 0,
  coinbase: 0,
  bitstamp: 0.0005,
  gemini: -0.0005,
};

function marketAt(time: Millis, exchange: PegExchangeName): PegMarket {
  const last = Math.round((days.priceAt(time) + OFFSETS[exchange]) * 100_000) / 100_000;
  return { last, bid: last - 0.0001, ask: last + 0.0001, at: new Date(time - 4 * SECOND) };
}

/** The quotes of the three exchanges of USDC; Gemini sends no time. */
function quotesAt(time: Millis): readonly RawPegQuote[] {
  return (['kraken', 'bitstamp', 'gemini'] as const).map((source) => {
    const { last, at } = marketAt(time, source);
    return { source, price: last, at: source === 'gemini' ? null : at };
  });
}

const minutes = Array.from(minutesOf(days), (at) => ({
  at,
  drift: Math.round(Math.abs(days.priceAt(at) - 1) * 1e10) / 1e6,
}));

/** The first minute later than `after` that ends a stretch of `length` equal minutes, each looked at. */
function endOf(length: number, after: Millis, alike: (drift: number) => boolean): Millis {
  const later = minutes.filter(({ at }) => at > after);
  const end = later.findIndex(
    (_, index) => index >= length && later.slice(index - length, index + 1).every(({ drift }) => alike(drift)),
  );
  return later[end]?.at ?? Number.NaN;
}

/** When the circuit trips, and when it warms: 24 hours after the last breach. */
const tripped = endOf(15, days.from, (drift) => drift >= 100);
const warming = endOf(DAY / MINUTE, tripped, (drift) => drift < 50);

/** The longest time between two looks that is no gap. */
const PACE = 10 * MINUTE;

/**
 * The minutes that a storage looks at. In memory each one; on PostgreSQL, in the short form, those in which the exchanges are asked, those
 * within an hour of the last breach and of the warming, and every tenth of the others.
 */
function looksOf(name: string): ReadonlySet<Millis> {
  const isNear = (at: Millis, time: Millis) => Math.abs(at - time) <= HOUR;
  const isAmong = (at: Millis) => at >= asks.from && at < asks.to;
  const isLooked = (at: Millis) => at % PACE === 0 || isAmong(at) || isNear(at, warming) || isNear(at, warming - DAY);
  return new Set(minutes.map(({ at }) => at).filter((at) => isWhole || name === 'memory' || isLooked(at)));
}

describe.each(CLOCKED_STORAGES)('March 2023, minute by minute through the exchanges’ interfaces, on %s', (name) => {
  const own = () => {
    const found = played.find((each) => each.name === name);
    if (!found) throw new Error(`${name} was not played.`);
    return found;
  };

  test('every minute that is looked at is observed as its median', async () => {
    const observed = await own().storage.circuits.observations('USDC', new Date(0));
    expect(observed).toHaveLength(isWhole || name === 'memory' ? 5_760 : 1_118);
    const { looks } = own();
    expect(observed.map(({ observed_at, drift_bps }) => ({ at: observed_at.getTime(), drift: drift_bps }))).toEqual(
      minutes.filter(({ at }) => looks.has(at)),
    );
    expect(observed.every(({ sources }) => sources.length === 3)).toBe(true);
  });

  test('trips 15 minutes into the first drift that stays beyond 1 %, holds, warms 24 h after the last breach', () => {
    expect(own().changes.map(({ coin, from, to, cause, at }) => [coin, from, to, cause, at.getTime()])).toEqual([
      ['USDC', 'normal', 'tripped', 'auto_trip', tripped],
      ['USDC', 'tripped', 'warming', 'recovery', warming],
    ]);
    expect(new Date(tripped).toISOString()).toMatch(/^2023-03-11T02:/);
    expect(new Date(warming).toISOString()).toMatch(/^2023-03-14T14:/);
  });

  test('the other coin, which no source quoted, is unchanged', async () => {
    const [usdt, usdc] = await own().storage.circuits.all();
    expect([usdt?.state, usdt?.peg, usdc?.state]).toEqual(['normal', null, 'warming']);
  });
});

test('the lowest price was 0.874, and each exchange was asked once a minute and returned its market', () => {
  expect(Math.max(...minutes.map(({ drift }) => drift))).toBe(1_260);
  expect(requestCount).toBe((3 * (asks.to - asks.from)) / MINUTE);
  expect(different).toEqual([]);
  expect(failed).toEqual([]);
});
