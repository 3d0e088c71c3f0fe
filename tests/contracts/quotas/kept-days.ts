import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { Storage } from '../../../application/ports.ts';
import { WINDOWS } from '../../../domain/limits.ts';
import type { KeptStore, KeptSubject } from '../../../domain/quotas/pools.ts';
import { DAY, windowStart } from '../../../domain/time.ts';
import { race } from '../adapters.ts';
import type { DecisionContract } from '../decisions/bench.ts';

const aKeptSubject = (rows: number, bytes = 1_000): KeptSubject => ({
  hash: randomBytes(32),
  most: { rows, bytes },
});

const one = (subjects: readonly KeptSubject[], bytes = 0) =>
  ({ kind: 'publication', rows: 1, bytes, subjects }) as const;

export const keptDaysContract: DecisionContract = {
  name: 'what is kept for ever in a day',
  promises(bench) {
    const kept = () => bench.storage().kept;

    test('is counted up to the rows of the limit; the refusal names the subject, what it has used, and the time', async () => {
      const owner = aKeptSubject(2);
      expect(await kept().keep(one([owner], 7))).toBeNull();
      expect(await kept().keep(one([owner], 8))).toBeNull();
      const at = await bench.now();
      expect(await kept().keep(one([owner]))).toEqual({ subject: owner, used: { rows: 2, bytes: 15 }, at });
    });

    test('is counted up to the bytes of the limit, and a smaller one passes where a larger one does not', async () => {
      const owner = aKeptSubject(10, 100);
      expect(await kept().keep(one([owner], 60))).toBeNull();
      expect(await kept().keep(one([owner], 41))).toMatchObject({ used: { rows: 1, bytes: 60 } });
      expect(await kept().keep(one([owner], 40))).toBeNull();
      expect(await kept().keep(one([aKeptSubject(10, 100)], 101))).toMatchObject({ used: { rows: 0, bytes: 0 } });
    });

    test('limits of 0 keep nothing; a limit that was lowered refuses, one that was raised has room', async () => {
      expect(await kept().keep(one([aKeptSubject(0)]))).toMatchObject({ used: { rows: 0 } });
      const owner = aKeptSubject(2);
      const under = (rows: number) => kept().keep(one([{ ...owner, most: { rows, bytes: 0 } }]));
      expect([await under(2), await under(2), await under(3)]).toEqual([null, null, null]);
      expect(await under(1)).toMatchObject({ used: { rows: 3 } });
    });

    test('counts against each subject, or against none', async () => {
      const [owner, other, network] = [aKeptSubject(10), aKeptSubject(10), aKeptSubject(2)];
      expect(await kept().keep(one([owner, network]))).toBeNull();
      expect(await kept().keep(one([other, network]))).toBeNull();
      const refusal = await kept().keep(one([owner, network]));
      expect(refusal).toMatchObject({ subject: network, used: { rows: 2 } });
      const last = { ...owner, most: { rows: 1, bytes: 0 } };
      expect(await kept().keep(one([last]))).toMatchObject({ used: { rows: 1 } });
    });

    test('kinds and subjects are apart', async () => {
      const owner = aKeptSubject(1);
      expect(await kept().keep(one([owner]))).toBeNull();
      expect(await kept().keep({ ...one([owner]), kind: 'acceptance' })).toBeNull();
      expect(await kept().keep(one([aKeptSubject(1)]))).toBeNull();
    });

    test('the day ends at 00:00 UTC, and a clock that is set back goes on with the day before', async () => {
      const owner = aKeptSubject(1);
      const midnight = windowStart(await bench.now(), DAY).getTime() + DAY;
      await bench.arrange().freeze(new Date(midnight - 1));
      expect(await kept().keep(one([owner]))).toBeNull();
      await bench.arrange().freeze(new Date(midnight));
      expect(await kept().keep(one([owner]))).toBeNull();
      await bench.arrange().freeze(new Date(midnight - 1));
      expect(await kept().keep(one([owner]))).toMatchObject({ used: { rows: 1 } });
    });

    test('nothing is counted where the transaction fails', async () => {
      const owner = aKeptSubject(1);
      const failing = bench.storage().transaction(async (stores) => {
        await stores.kept.keep(one([owner], 5));
        throw new Error('The write failed.');
      });
      await expect(failing).rejects.toThrow('The write failed.');
      expect(await kept().keep(one([owner]))).toBeNull();
    });

    test('of 20 at once from four owners of a network, no more are kept than each owner and the network may', async () => {
      expect(await keptAtOnce(kept())).toEqual({ mostOfOwner: 3, ofNetwork: 10 });
    });

    test('of 20 at once the bytes are those of the limit, and what a failed write counted is given back', async () => {
      expect(await keptWithFailures(bench.storage().transaction)).toBe(5);
    });

    test('days are forgotten after a week, and none of them opens again', async () => {
      const owner = aKeptSubject(1);
      const { admission } = bench.storage();
      const first = await bench.now();
      expect(await kept().keep(one([owner]))).toBeNull();
      await bench.arrange().freeze(new Date(first.getTime() + WINDOWS.keepDays + 2 * DAY));
      await admission.prune();
      expect(await admission.prune()).toBeGreaterThan(0);
      expect(await kept().keep(one([owner]))).toBeNull();
      await bench.arrange().freeze(first);
      expect(await kept().keep(one([owner]))).toMatchObject({ used: { rows: 1 } });
    });
  },
};

/** Four owners of three each, behind a network of ten. A store that reads and then writes passes both. */
export async function keptAtOnce(kept: Pick<KeptStore, 'keep'>) {
  const owners = Array.from({ length: 4 }, () => aKeptSubject(3));
  const network = aKeptSubject(10);
  const keepers = await race(20, async (worker) => {
    const owner = owners[worker % owners.length] ?? network;
    return (await kept.keep(one([owner, network]))) === null ? owner : null;
  });
  const counts = owners.map((owner) => keepers.filter((keeper) => keeper === owner).length);
  return { mostOfOwner: Math.max(...counts), ofNetwork: counts.reduce((sum, count) => sum + count, 0) };
}

/** Each second write fails after it was counted: how many are kept in all, those included that still find room afterwards. */
export async function keptWithFailures(transaction: Storage['transaction']): Promise<number> {
  const owner = aKeptSubject(20, 50);
  const work = (fails: boolean) =>
    transaction(async ({ kept }) => {
      if ((await kept.keep(one([owner], 10))) !== null) return false;
      if (fails) throw new Error('The write failed.');
      return true;
    }).catch(() => false);
  const atOnce = await race(20, (worker) => work(worker % 2 === 1));
  const later = [];
  while (later.length < 10) later.push(await work(false));
  return [...atOnce, ...later].filter(Boolean).length;
}
