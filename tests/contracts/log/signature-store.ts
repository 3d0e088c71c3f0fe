import { beforeAll, describe, expect, test } from '@jest/globals';
import type { LogStore, StoredCheckpoint } from '../../../domain/log/log-store.ts';
import { MINUTE, SECOND } from '../../../domain/time.ts';
import { keptLog, LOG_KEY, sequence } from '../../harness/kept-logs.ts';
import { race } from '../adapters.ts';
import type { Bench } from '../decisions/bench.ts';

/** The promises of the store of signatures, and those of checkpoints that wait for witnesses. */
export function signatureStoreContract(bench: Bench): void {
  const store = () => bench.storage().signatures;
  const log = (): LogStore => bench.storage().log;
  const bytes = (value: number, length = 72) => new Uint8Array(length).fill(value);
  const plain = <Line extends { readonly signature: Uint8Array | null }>(lines: readonly Line[]) =>
    lines.map((line) => ({ ...line, signature: line.signature && [...line.signature] }));

  /** Appends a leaf, without a signature. */
  async function grow(): Promise<number> {
    await bench.accepted(await bench.agent());
    await bench.arrange().advance(2 * MINUTE);
    await sequence(bench.storage(), { unsigned: true });
    return (await keptLog(bench.storage())).size;
  }

  beforeAll(async () => {
    await sequence(bench.storage());
  });

  test('the key of a log is noted when it starts; each key stays, in the order in which they came', async () => {
    const [first] = await store().keys(1);
    expect([...(first?.public_key ?? [])]).toEqual([...LOG_KEY.publicKey]);
    expect(first?.key_id).toBe((await log().find(1))?.key_id);
    await bench.arrange().advance(MINUTE);
    await race(20, () => store().addKey(1, { key_id: '00000001', public_key: bytes(1, 32) }));
    await store().addKey(1, { key_id: '00000001', public_key: bytes(2, 32) });
    const keys = await store().keys(1);
    expect(keys.map(({ key_id, public_key }) => [key_id, public_key[0]])).toEqual([
      [first?.key_id, LOG_KEY.publicKey[0]],
      ['00000001', 1],
    ]);
    expect(keys[1]?.since.getTime()).toBeGreaterThan(first?.since.getTime() ?? Number.NaN);
    expect(await store().keys(2)).toEqual([]);
  });

  test('of each key the first signature of a checkpoint stays', async () => {
    const line = { name: 'w.test', id: '0000000a', signature: bytes(1) };
    await store().addSignature(1, 1, line);
    await race(20, (i) => store().addSignature(1, 1, { ...line, signature: bytes(i) }));
    await bench.arrange().advance(SECOND);
    const other = { name: 'a.test', id: '0000000a', signature: bytes(3) };
    await store().addSignature(1, 1, other);
    expect(plain(await store().signatures(1, 1))).toEqual(plain([line, other]));
    expect(await store().signatures(1, 2)).toEqual([]);
  });

  test('a report replaces the one before it, unless that is of a larger size', async () => {
    const report = {
      name: 'w.test',
      id: '0000000b',
      signature: bytes(1),
      cosigned_at: await bench.now(),
      refused: false,
    };
    await store().report(1, { ...report, size: 7 });
    await store().report(1, { ...report, size: 6, signature: bytes(2) });
    expect(plain(await store().reports(1))).toEqual(plain([{ ...report, size: 7 }]));
    await store().report(1, { ...report, size: 7, signature: null, cosigned_at: null, refused: true });
    expect(await store().reports(1)).toEqual([
      { ...report, size: 7, signature: null, cosigned_at: null, refused: true },
    ]);
    expect(await store().reports(2)).toEqual([]);
  });

  describe('a checkpoint that waits for witnesses', () => {
    const signed = (size: number, patience: number) =>
      log().sign(1, size, { id: '0000000c', signature: bytes(1, 64) }, patience);
    const sizeOf = (checkpoint: StoredCheckpoint | null) => checkpoint?.size;

    test('is published with a quorum, or when its patience ends', async () => {
      const before = sizeOf(await log().published(1));
      const size = await grow();
      await signed(size, 10 * SECOND);
      expect(sizeOf(await log().published(1))).toBe(before);
      await bench.arrange().advance(9 * SECOND);
      expect(sizeOf(await log().published(1))).toBe(before);
      expect(await log().firstWith(1, size - 1)).toBeNull();
      await bench.arrange().advance(SECOND);
      expect(await log().published(1)).toMatchObject({ size, key_id: '0000000c' });
      const next = await grow();
      await signed(next, 10 * SECOND);
      await store().meetQuorum(1, next);
      expect(sizeOf(await log().published(1))).toBe(next);
    });

    test('proves its leaves for good once a quorum had it; a smaller one does not replace it later', async () => {
      const size = await grow();
      await signed(size, 0);
      expect(sizeOf(await log().firstWith(1, size - 1))).toBe(size);
      const next = await grow();
      await signed(next, 0);
      await store().meetQuorum(1, next);
      expect(sizeOf(await log().firstWith(1, size - 1))).toBe(next);
      await store().meetQuorum(1, size);
      const last = await grow();
      await signed(last, 0);
      await store().meetQuorum(1, last);
      expect(sizeOf(await log().firstWith(1, size - 1))).toBe(next);
      expect(sizeOf(await log().firstWith(1, next))).toBe(last);
      const each = await log().firstWithEach(1, [size - 1, next, last, next - 1]);
      expect([...each].map(([index, { size: proved }]) => [index, proved]).toSorted(byIndex)).toEqual(
        [
          [size - 1, next],
          [next - 1, next],
          [next, last],
        ].toSorted(byIndex),
      );
    });
  });
}

const byIndex = ([a = 0]: readonly number[], [b = 0]: readonly number[]) => a - b;
