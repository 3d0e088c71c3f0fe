import { beforeAll, expect, test } from '@jest/globals';
import { startNextLog } from '../../../application/log/keep-log.ts';
import { signedCheckpoint } from '../../../application/log/witness-checkpoint.ts';
import { sha256Hex } from '../../../application/sha256.ts';
import { leafAudit } from '../../../domain/log/leaves/leaf-audit.ts';
import { noteText } from '../../../domain/log/notes/note.ts';
import { DAY } from '../../../domain/time.ts';
import { keptLog, logPorts, seenInMemory, sequence } from '../../harness/kept-logs.ts';
import type { Bench } from '../decisions/bench.ts';
import { evaluateAll } from '../decisions/evaluated.ts';

const DECISIONS = 30;

/** What a log that follows another one contains. */
export function nextLogContract(bench: Bench): void {
  const store = () => bench.storage().log;
  const startNext = () => startNextLog(logPorts(bench.storage(), seenInMemory()));
  const run = async (limit?: number) => {
    await bench.arrange().advance(DAY);
    await sequence(bench.storage(), limit === undefined ? {} : { limit });
  };
  /** SHA-256 of the newest signed checkpoint of a log. */
  const lastOf = async (log: number) => {
    const [stored, published] = [await store().find(log), await store().published(log)];
    const note = stored && published && signedCheckpoint(stored, published);
    if (!note) throw new Error(`The log ${log} has no checkpoint.`);
    return sha256Hex(noteText(note));
  };
  const types = async () => (await keptLog(bench.storage())).leaves.map(({ t }) => t);

  beforeAll(async () => {
    const agent = await bench.agent();
    const records: string[] = [];
    for (let i = 0; i < DECISIONS; i += 1) records.push((await bench.accepted(agent)).record_id);
    await run();
    await evaluateAll(bench);
    await bench.arrange().mark(records[0] ?? '', { quarantine_reason: 'made up' });
    for (let i = 0; i < 3; i += 1) await run();
  });

  test('starts with the hash of the last checkpoint before it, and imports what there is', async () => {
    const last = await lastOf(1);
    expect(await startNext()).toMatchObject({ log: 2 });
    for (let i = 0; i < 4; i += 1) await run();
    const { leaves } = await keptLog(bench.storage());
    expect(leaves[0]).toEqual({ t: 'log', last, v: 1 });
    const sorted = leaves.slice(1).map(({ t }) => t);
    expect(sorted.filter((t) => t === 'imported')).toHaveLength(DECISIONS);
    expect(sorted.filter((t) => t === 'outcome')).toHaveLength(DECISIONS);
    expect(sorted.filter((t) => t === 'closed')).toHaveLength(1);
    expect(sorted).not.toContain('decision');
  });

  test('follows a log whose import was not over: nothing is imported twice, and the files of that one stay', async () => {
    await startNext();
    await run(1);
    const unfinished = await keptLog(bench.storage());
    expect(unfinished.size).toBeLessThan(DECISIONS);
    await bench.accepted(await bench.agent());
    const last = await lastOf(3);
    expect(await startNext()).toMatchObject({ log: 4 });
    for (let i = 0; i < 4; i += 1) await run();
    const { bytes, leaves } = await keptLog(bench.storage());
    const audit = leafAudit();
    expect(bytes.flatMap((each) => audit.next(each) ?? [])).toEqual([]);
    expect(leaves[0]).toEqual({ t: 'log', last, v: 1 });
    expect(audit.counts()).toMatchObject({ decisions: 0, imported: DECISIONS + 1, graded: DECISIONS - 1, closed: 1 });
    expect(await store().latest(3)).toMatchObject({ size: unfinished.size });
    expect(await store().bundle(3, 0)).not.toBeNull();
  });

  test('follows a log that was never signed by naming the last checkpoint that was', async () => {
    const last = await lastOf(4);
    await startNext();
    await startNext();
    await run();
    expect((await keptLog(bench.storage())).leaves[0]).toEqual({ t: 'log', last, v: 1 });
    expect((await types()).filter((t) => t === 'imported')).toHaveLength(DECISIONS + 1);
  });
}
