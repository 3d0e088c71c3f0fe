import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { type ExportPlaces, exportPlaces } from '../../../application/accounts/export-places.ts';
import { EXPORT } from '../../../domain/limits.ts';
import { Problem } from '../../../domain/problem.ts';
import { randomFrom } from '../../../scripts/random.ts';

/** Nobody is refused for the time that the wait took, unless the test says so. */
const LIMITS = { atOnce: 4, ofNetwork: 2, waiting: 6, wait: 100_000, again: 60_000 };
const SHORT = { ...LIMITS, wait: 1 };

const refusalOf = (taken: Promise<unknown>) =>
  taken.then(
    () => null,
    ({ code, status, retry_after_seconds, suggestion }: Problem) => ({ code, status, retry_after_seconds, suggestion }),
  );

/** Whether the promise is settled after all that can run now has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(
    () => (settled = true),
    () => (settled = true),
  );
  await turn();
  return settled;
}

describe('places for exports', () => {
  test('no network has more than its share, and the others find a place', async () => {
    const places = exportPlaces(SHORT);
    await places.take('a', 'one');
    await places.take('b', 'one');
    const full = await refusalOf(places.take('c', 'one'));
    expect(full).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', status: 429, retry_after_seconds: 60 });
    expect(full?.suggestion).toContain('close their connections');
    await places.take('d', 'two');
    await places.take('e', 'three');
    expect(await refusalOf(places.take('f', 'four'))).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      status: 503,
      retry_after_seconds: 60,
    });
  });

  test('an owner has one, wherever the second request comes from, and none in addition while it waits', async () => {
    const places = exportPlaces(LIMITS);
    const leave = await places.take('a', 'one');
    expect(await refusalOf(places.take('a', 'two'))).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    for (const [owner, network] of [
      ['b', 'one'],
      ['c', 'two'],
      ['d', 'two'],
    ] as const)
      await places.take(owner, network);
    const waiting = places.take('e', 'three');
    expect(await refusalOf(places.take('e', 'four'))).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    leave();
    (await waiting)();
    await places.take('a', 'one');
  });

  test('a place that is given back goes to the first who waits and whose network has a share left', async () => {
    const places = exportPlaces(LIMITS);
    const [leave] = [await places.take('a', 'one'), await places.take('b', 'one'), await places.take('c', 'two')];
    await places.take('d', 'two');
    const [third, other] = [places.take('e', 'two'), places.take('f', 'three')];
    expect([await isSettled(third), await isSettled(other)]).toEqual([false, false]);
    leave();
    expect([await isSettled(third), await isSettled(other)]).toEqual([false, true]);
  });

  test('a place is given back once, however often that is said', async () => {
    const places = exportPlaces({ ...SHORT, atOnce: 1 });
    const leave = await places.take('a', 'one');
    leave();
    await places.take('b', 'two');
    leave();
    expect(await refusalOf(places.take('c', 'three'))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  test('as many wait as may, of a network no more than its share; others are refused at once', async () => {
    const places = exportPlaces({ ...LIMITS, atOnce: 1, waiting: 3 });
    const leave = await places.take('a', 'one');
    const waiting = [places.take('b', 'two'), places.take('c', 'two')];
    expect(await refusalOf(places.take('d', 'two'))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    const last = places.take('e', 'three');
    expect(await refusalOf(places.take('f', 'four'))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    leave();
    for (const each of [...waiting, last]) (await each)();
  });

  test('who waited too long is not in the way of the others', async () => {
    const places = exportPlaces({ ...SHORT, atOnce: 1 });
    const leave = await places.take('a', 'one');
    for (let each = 0; each < 3 * SHORT.waiting; each += 1) {
      expect(await refusalOf(places.take(`late ${each}`, `of ${each}`))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    }
    leave();
    (await places.take('b', 'two'))();
  });

  test('those of the service: four networks are needed to take all', () => {
    expect(EXPORT.atOnce / EXPORT.ofNetwork).toBe(4);
  });
});

/** What a race over places breaks: more at once than there are, of a network, or of an owner; and who is left behind. */
async function raceOver(places: ExportPlaces, seed: string): Promise<readonly string[]> {
  const random = randomFrom(seed);
  const readers: { readonly owner: string; readonly network: string }[] = [];
  const broken = new Set<string>();
  const count = (isSame: (reader: (typeof readers)[number]) => boolean) => readers.filter(isSame).length;
  const read = async () => {
    const reader = { owner: `owner ${random.below(12)}`, network: `network ${random.below(4)}` };
    const leave = await places.take(reader.owner, reader.network).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      return null;
    });
    if (leave === null) return;
    readers.push(reader);
    if (readers.length > LIMITS.atOnce) broken.add('too many');
    if (count(({ network }) => network === reader.network) > LIMITS.ofNetwork) broken.add('too many of a network');
    if (count(({ owner }) => owner === reader.owner) > 1) broken.add('two of an owner');
    for (let turns = random.below(4); turns > 0; turns -= 1) await turn();
    readers.splice(readers.indexOf(reader), 1);
    leave();
  };
  const all = Array.from({ length: 8 }, async () => {
    for (let each = 0; each < 200; each += 1) {
      await read();
      await turn();
    }
  });
  await Promise.all(all);
  for (let each = 0; each < LIMITS.atOnce; each += 1) {
    if (!(await isSettled(places.take(`last ${each}`, `of ${each % 2}`)))) broken.add('a place was lost');
  }
  return [...broken];
}

describe('a race over places', () => {
  test('breaks nothing', async () => {
    expect(await raceOver(exportPlaces(LIMITS), 'places')).toEqual([]);
  });

  const plants: Readonly<Record<string, () => ExportPlaces>> = {
    'too many': () => exportPlaces({ ...LIMITS, atOnce: 5 }),
    'too many of a network': () => exportPlaces({ ...LIMITS, ofNetwork: 3 }),
    'two of an owner': () => {
      const places = exportPlaces(LIMITS);
      return { take: (owner, network) => places.take(`${owner} ${Math.random()}`, network) };
    },
    'a place was lost': () => {
      const places = exportPlaces(LIMITS);
      let taken = 0;
      return {
        async take(owner, network) {
          const leave = await places.take(owner, network);
          taken += 1;
          return taken === 40 ? () => undefined : leave;
        },
      };
    },
  };
  test.each(Object.keys(plants))('finds the planted fault: %s', async (fault) => {
    expect(await raceOver(plants[fault]?.() ?? exportPlaces(LIMITS), 'places')).toContain(fault);
  });
});
