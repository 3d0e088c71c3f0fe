import { beforeAll, describe, expect, test } from '@jest/globals';
import { canonicalJson } from '../../../adapters/formats/canonical-json.ts';
import { appendLeaves } from '../../../application/log/append-batch.ts';
import { checkLog } from '../../../application/log/check-log.ts';
import { keepLog } from '../../../application/log/keep-log.ts';
import { logKeyOf, readCheckpoint, readTile, storedKey } from '../../../application/log/read-log.ts';
import { readProof } from '../../../application/log/read-proof.ts';
import { signedCheckpoint } from '../../../application/log/witness-checkpoint.ts';
import { sha256Hex } from '../../../application/sha256.ts';
import type { LogLeaf } from '../../../domain/log/leaves/leaf.ts';
import { leafAudit } from '../../../domain/log/leaves/leaf-audit.ts';
import { checkpointOf } from '../../../domain/log/notes/checkpoint.ts';
import { noteOf, noteText } from '../../../domain/log/notes/note.ts';
import { proofOf } from '../../../domain/log/tree/proof.ts';
import { tilePath } from '../../../domain/log/tree/tile.ts';
import { DAY, MINUTE } from '../../../domain/time.ts';
import { keptLog, logKeyFor, newestLogPorts, sequence, startNext } from '../../harness/kept-logs.ts';
import { race } from '../adapters.ts';
import type { Bench } from '../decisions/bench.ts';
import { evaluateAll } from '../decisions/evaluated.ts';

const DECISIONS = 12;

/** What a log that goes on with another one contains. */
export function nextLogContract(bench: Bench): void {
  const store = () => bench.storage().log;
  const run = async () => {
    await bench.arrange().advance(2 * MINUTE);
    await sequence(bench.storage());
  };
  const newest = async () => (await store().newest())?.log ?? 0;
  const proof = async (record_id: string, leaf: 'decision' | 'outcome') => {
    const [decision] = await bench.storage().decisions.find([record_id], null);
    if (!decision) throw new Error(`There is no ${record_id}.`);
    return readProof({ ...bench.storage(), canonicalJson }, decision, { leaf, owner: false, evidence: false });
  };
  const checked = async () => {
    const faults: string[] = [];
    const note = (about: string, found: readonly string[]) => faults.push(...found.map((each) => `${about}: ${each}`));
    const logs = await checkLog({ ...bench.storage(), canonicalJson }, null, note);
    return { faults, logs: logs.map(({ origin, leaves }) => `${origin} ${leaves}`) };
  };
  const decisions = (leaves: readonly LogLeaf[]) => leaves.filter(({ t }) => t === 'decision');

  let records: string[];
  beforeAll(async () => {
    await run();
    const agent = await bench.agent();
    records = [];
    for (let i = 0; i < DECISIONS; i += 1) records.push((await bench.accepted(agent)).record_id);
    await run();
    await bench.arrange().advance(DAY);
    await evaluateAll(bench);
    for (let i = 0; i < 3; i += 1) await run();
  });

  describe('a log that goes on with the stored leaves of another one', () => {
    test('has them as they are, says so in a leaf, and appends what is pending under its mark', async () => {
      const before = await keptLog(bench.storage());
      const [first = ''] = records;
      const leaves = await store().leavesOf(1, first);
      const agent = await bench.agent();
      const waiting = await bench.accepted(agent);
      const root = expect.stringMatching(/^[0-9a-f]{64}$/);
      expect(await startNext(bench.storage())).toMatchObject({
        ...{ log: 2, origin: 'log.test/log/2', kept: before.size, seen: { of: 'log.test/log/1', size: before.size } },
      });
      await run();
      records.push(waiting.record_id);
      const after = await keptLog(bench.storage());
      expect(after.bytes.slice(0, before.size)).toEqual(before.bytes);
      expect(after.rootOfLeaves).toEqual(after.root);
      const added = after.leaves.slice(before.size).filter(({ t }) => t !== 'snapshot');
      expect(added).toEqual([
        { t: 'continues', of: 'log.test/log/1', root, size: before.size, v: 1 },
        expect.objectContaining({ t: 'decision', v: 2 }),
      ]);
      expect(new Set(decisions(after.leaves).map((leaf) => JSON.stringify(leaf))).size).toBe(DECISIONS + 1);
      expect(after.leaves.filter(({ t }) => t === 'imported')).toEqual([]);
      const audit = leafAudit();
      expect(after.bytes.flatMap((each) => audit.next(each) ?? [])).toEqual([]);
      expect([leaves, await store().leavesOf(2, first)]).toEqual([await store().leavesOf(1, first), leaves]);
      expect(await checked()).toEqual({
        faults: [],
        logs: [`log.test/log/1 ${before.size}`, `log.test/log/2 ${after.size}`],
      });
    });

    test('leaves to that one what it signed: its checkpoint, its tiles, and the proofs of its leaves', async () => {
      const [first = ''] = records;
      const log = await newest();
      const [checkpoint, proofs] = [
        await readCheckpoint(bench.storage(), log),
        [await proof(first, 'decision'), await proof(first, 'outcome')],
      ];
      const { size } = checkpointOf(noteOf(checkpoint).text);
      const own = tilePath({ level: 'entries', index: 0, width: size });
      const bundle = await readTile(bench.storage(), log, own);
      await startNext(bench.storage());
      const later = await bench.accepted(await bench.agent());
      await run();
      await bench.arrange().advance(DAY);
      expect(await readCheckpoint(bench.storage(), log)).toBe(checkpoint);
      expect(await readTile(bench.storage(), log, own)).toEqual(bundle);
      expect([await proof(first, 'decision'), await proof(first, 'outcome')]).toEqual(proofs);
      const beyond = tilePath({ level: 'entries', index: 0, width: size + 1 });
      await expect(readTile(bench.storage(), log, beyond)).rejects.toThrow('does not have this file');
      await expect(readTile(bench.storage(), log + 1, own)).rejects.toThrow('does not have this file');
      const next = proofOf((await proof(later.record_id, 'decision')) ?? '');
      expect(next.checkpoint).toMatch(new RegExp(`^log\\.test/log/${log + 1}\n`));
      expect(await store().recordAt(log, next.index)).toBe(later.record_id);
      expect((await store().logsOfTree(log)).map(({ log: each }) => each)).toEqual(
        Array.from({ length: log + 1 }, (_, i) => i + 1),
      );
    });

    test('is asked for proofs of a leaf only from the log that signed it first', async () => {
      const log = await newest();
      const sizes = await Promise.all([log - 1, log].map(async (each) => (await store().latest(each))?.size ?? 0));
      const [before = 0, after = 0] = sizes;
      const each = await store().firstWithEach(log, [0, before - 1, after - 1, after]);
      expect([...each].map(([index, proving]) => [index, proving.log]).toSorted()).toEqual(
        [
          [0, 1],
          [before - 1, log - 1],
          [after - 1, log],
        ].toSorted(),
      );
      expect(await store().firstWith(log - 1, after - 1)).toBeNull();
    });

    test('counts what waited for it as late, and one head of the audit log a day', async () => {
      const since = await bench.now();
      await bench.accepted(await bench.agent());
      await bench.arrange().advance(20 * MINUTE);
      await startNext(bench.storage());
      await run();
      expect(await store().lateDecisions(await newest(), since)).toBe(1);
      const days = (await store().heads()).map(({ day }) => day);
      expect(new Set(days).size).toBe(days.length);
      expect((await checked()).faults).toEqual([]);
    });

    test('is one of several that are started at once, each of which goes on with the one before', async () => {
      const before = await newest();
      await race(5, async (n) => {
        if (n % 2 === 0) await startNext(bench.storage()).catch(() => null);
        else await keepLog(await newestLogPorts(bench.storage()), { interval: MINUTE }).catch(() => null);
      });
      await run();
      const continued = (await keptLog(bench.storage())).leaves.flatMap((leaf) =>
        leaf.t === 'continues' ? [leaf.of] : [],
      );
      expect(await newest()).toBeGreaterThan(before);
      expect(continued).toEqual(Array.from({ length: (await newest()) - 1 }, (_, i) => `log.test/log/${i + 1}`));
      expect((await checked()).faults).toEqual([]);
    });
  });

  test('a log of an earlier release that imported all decisions stays as it is, and another one goes on with it', async () => {
    const log = (await newest()) + 1;
    const origin = `log.test/log/${log}`;
    const key = logKeyOf(logKeyFor(log), origin);
    const [ended, signed] = [await store().newest(), await store().signed(log - 1)];
    const note = ended && signed && signedCheckpoint(ended, signed);
    const last = note && sha256Hex(noteText(note));
    await bench.storage().transaction(async (stores) => {
      await stores.log.lock();
      await stores.log.start({ log, origin, key_id: key.id }, null);
      await stores.signatures.addKey(log, storedKey(key));
      await appendLeaves(stores.log, log, null, [{ leaf: { t: 'log', last, v: 1 }, event: null }]);
    });
    await bench.arrange().advance(2 * DAY);
    for (let i = 0; i < 3; i += 1) await run();
    const imported = await keptLog(bench.storage());
    expect(imported.leaves.filter(({ t }) => t === 'imported')).toHaveLength(records.length + 2);
    const [first = ''] = records;
    const proved = await proof(first, 'decision');
    expect(proofOf(proved ?? '').checkpoint).toContain(origin);
    await startNext(bench.storage());
    await run();
    const { leaves } = await keptLog(bench.storage());
    expect(leaves[imported.size]).toMatchObject({ t: 'continues', of: origin, size: imported.size });
    expect(await proof(first, 'decision')).toBe(proved);
    expect((await store().logsOfTree(log)).map(({ log: each }) => each)).toEqual([log, log + 1]);
    expect((await store().logsOfTree(1)).map(({ log: each }) => each)).not.toContain(log);
    expect((await checked()).faults).toEqual([]);
  });
}
