import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { observePegs, tripCircuit } from '../../../application/circuits/change-circuit.ts';
import { isStale } from '../../../domain/circuits/observe.ts';
import type { PegSource } from '../../../domain/circuits/peg.ts';
import { HOUR, MINUTE, type Millis } from '../../../domain/time.ts';
import { bringTo, quotesOf } from '../../builders/circuits.ts';
import { CLOCKED_STORAGES, type ClockedStorage, clockedStorage } from '../../harness/pegs/storages.ts';

const START = Date.parse('2026-03-02T12:00:00.000Z');
/** In bps: practically none. */
const PAR = 1;
/** The longest time between looks without a gap, so that days take few of them. */
const PACE = 10 * MINUTE;

describe.each(CLOCKED_STORAGES)('the monitor on %s', (name) => {
  let clocked: ClockedStorage;
  let announced: string[];
  beforeEach(async () => {
    clocked = await clockedStorage(name);
    await clocked.setClock(START);
    announced = [];
  });
  afterEach(() => clocked.close());

  /** The ports of the monitor while USDT drifts so far; null: no source answers. */
  function ports(drift: number | null, { autoTrip = true, at = START }: { autoTrip?: boolean; at?: Millis } = {}) {
    const quotes = drift === null ? [] : quotesOf(drift, new Date(at));
    const pegSource: PegSource | null = { quotes: async (coin) => (coin === 'USDT' ? quotes : []) };
    return {
      circuits: clocked.storage.circuits,
      transaction: clocked.storage.transaction,
      pegSource,
      settings: { autoTrip } as never,
      announce: ({ cause }: { cause: string }) => void announced.push(cause),
      announcePeg: (coin: string, { stale }: { stale: boolean }) =>
        void announced.push(`${coin} ${stale ? 'stale' : 'known'}`),
    };
  }

  async function lookAt(minutes: number, drift: number | null, options: { autoTrip?: boolean } = {}) {
    const at = START + minutes * MINUTE;
    await clocked.setClock(at);
    await observePegs(ports(drift, { ...options, at }));
  }

  const usdt = async () => {
    const [circuit] = await clocked.storage.circuits.all();
    if (!circuit) throw new Error('There is no circuit.');
    return circuit;
  };
  const state = async () => (await usdt()).state;
  const changes = () => announced.filter((line) => !line.includes(' '));

  /** Looks at par every 10 minutes, both ends included. */
  async function calm(from: Millis, to: Millis): Promise<void> {
    for (let at = from; at <= to; at += PACE) await lookAt(at / MINUTE, PAR);
  }

  test('a wick does not trip: two minutes beyond 2 %, nor 14 minutes beyond 1 %; a minute more does', async () => {
    let minute = 0;
    const go = async (looks: number, drift: number) => {
      for (let look = 0; look < looks; look++) await lookAt(minute++, drift);
    };
    await go(5, PAR);
    await go(2, 520);
    await go(5, PAR);
    await go(15, 130);
    await go(5, PAR);
    expect([await state(), changes()]).toEqual(['normal', []]);
    await go(16, 130);
    expect([await state(), changes()]).toEqual(['tripped', ['auto_trip']]);
  });

  test('the third minute running beyond 2 % trips', async () => {
    for (const minute of [0, 1]) await lookAt(minute, 200);
    expect(await state()).toBe('normal');
    await lookAt(2, 200);
    expect(await state()).toBe('tripped');
    expect((await usdt()).reason).toBe('A drift of 200 bps: at least 200 bps in 3 observations running.');
  });

  test('a tripped circuit warms when 24 h of calm are full, not a look sooner', async () => {
    await tripCircuit(ports(null), 'USDT', 'a rumour', 'operator');
    await calm(MINUTE, 23 * HOUR + 51 * MINUTE);
    expect(await state()).toBe('tripped');
    await lookAt(24 * 60 + 1, PAR);
    expect([await state(), changes()]).toEqual(['warming', ['trip', 'recovery']]);
  });

  test('a breach at 23:59 h begins the 24 h anew', async () => {
    await tripCircuit(ports(null), 'USDT', 'a rumour', 'operator');
    await calm(0, 23 * HOUR + 50 * MINUTE);
    await lookAt(24 * 60 - 1, 50);
    await calm(24 * HOUR, 47 * HOUR + 50 * MINUTE);
    expect(await state()).toBe('tripped');
    await lookAt(48 * 60, PAR);
    expect(await state()).toBe('warming');
  });

  test('a gap of 11 minutes begins the 24 h anew, one of 10 does not', async () => {
    await tripCircuit(ports(null), 'USDT', 'a rumour', 'operator');
    await calm(0, 12 * HOUR);
    expect((await usdt()).runs.below_since).toEqual(new Date(START));
    await calm(12 * HOUR + 11 * MINUTE, 36 * HOUR + MINUTE);
    expect(await state()).toBe('tripped');
    await lookAt(36 * 60 + 11, PAR);
    expect(await state()).toBe('warming');
  });

  test('below a quorum the state stays and is stale; both are announced once', async () => {
    await lookAt(0, PAR);
    for (const minute of [1, 2, 3]) await lookAt(minute, null);
    expect(isStale(await usdt(), new Date(START + 3 * MINUTE))).toBe(true);
    await lookAt(4, PAR);
    expect(isStale(await usdt(), new Date(START + 4 * MINUTE))).toBe(false);
    expect(announced).toEqual(['USDC stale', 'USDT stale', 'USDT known']);
  });

  test('a failed look after the clock was set back is announced too, and earlier observations count as stale', async () => {
    await lookAt(0, PAR);
    await lookAt(-180, null);
    expect(announced).toEqual(['USDC stale', 'USDT stale']);
    expect(isStale(await usdt(), new Date(START - 180 * MINUTE))).toBe(true);
    await lookAt(-179, PAR);
    expect(announced).toEqual(['USDC stale', 'USDT stale', 'USDT known']);
    expect(isStale(await usdt(), new Date(START - 179 * MINUTE))).toBe(false);
  });

  test('without auto-trip it observes and never trips, neither from normal nor from warming', async () => {
    for (let minute = 0; minute < 20; minute++) await lookAt(minute, 900, { autoTrip: false });
    expect([await state(), (await usdt()).peg?.drift_bps]).toEqual(['normal', 900]);
    await bringTo(clocked.storage.circuits, 'USDT', 'warming');
    for (let minute = 20; minute < 40; minute++) await lookAt(minute, 900, { autoTrip: false });
    expect([await state(), changes()]).toEqual(['warming', []]);
    await lookAt(40, 900);
    expect(await state()).toBe('tripped');
  });

  test('without auto-trip a tripped circuit still warms', async () => {
    await tripCircuit(ports(null), 'USDT', 'a rumour', 'operator');
    for (let at = 0; at <= 24 * HOUR; at += PACE) await lookAt(at / MINUTE, PAR, { autoTrip: false });
    expect(await state()).toBe('warming');
  });

  test('without exchanges nothing is looked at', async () => {
    await observePegs({ ...ports(900), pegSource: null });
    expect([(await usdt()).looked_at, announced]).toEqual([null, []]);
  });

  test('twenty workers in one minute make one observation, and three minutes of them make no longer run', async () => {
    for (const minute of [0, 1]) {
      const at = START + minute * MINUTE;
      await clocked.setClock(at);
      await Promise.all(Array.from({ length: 20 }, () => observePegs(ports(300, { at }))));
    }
    const observed = await clocked.storage.circuits.observations('USDT', new Date(START));
    expect(observed.map(({ observed_at }) => observed_at.getTime() - START)).toEqual([0, MINUTE]);
    expect([await state(), (await usdt()).runs.at_once, announced]).toEqual(['normal', 2, ['USDC stale']]);
    await lookAt(2, 300);
    expect(await state()).toBe('tripped');
  });

  test('the control of concurrent looks catches a store that reads a circuit before its turn', async () => {
    const { circuits } = clocked.storage;
    const hasty: typeof circuits = {
      ...circuits,
      async transition(coin, rule) {
        const before = (await circuits.all()).find((circuit) => circuit.coin === coin);
        return circuits.transition(coin, (circuit, now) => rule(before ?? circuit, now));
      },
    };
    await Promise.all(Array.from({ length: 20 }, () => observePegs({ ...ports(300), circuits: hasty })));
    expect((await circuits.observations('USDT', new Date(START))).length).toBeGreaterThan(1);
  });

  test('a fault with one coin does not prevent the observation of the other', async () => {
    const source = ports(PAR).pegSource;
    const broken: PegSource = {
      quotes: (coin) => (coin === 'USDC' ? Promise.reject(new Error('a bug')) : (source?.quotes(coin) ?? [])),
    } as PegSource;
    await expect(observePegs({ ...ports(PAR), pegSource: broken })).rejects.toThrow('a bug');
    while ((await usdt()).peg === null) await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await usdt()).peg?.drift_bps).toBe(PAR);
  });
});
