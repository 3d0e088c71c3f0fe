import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { canonicalJson } from '../../../adapters/formats/canonical-json.ts';
import { checkLog } from '../../../application/log/check-log.ts';
import { resumeLog } from '../../../application/log/keep-log.ts';
import { logKeyOf, readCheckpoint, readTile } from '../../../application/log/read-log.ts';
import { readProof } from '../../../application/log/read-proof.ts';
import { auditLog } from '../../../clients/typescript/verify/audit.ts';
import { utf8 } from '../../../domain/log/encoding.ts';
import { vkeyText } from '../../../domain/log/notes/note.ts';
import { proofOf } from '../../../domain/log/tree/proof.ts';
import { MINUTE, SECOND } from '../../../domain/time.ts';
import {
  aWitnessedLog,
  FIRST_LOG_KEY,
  policyText,
  type WitnessedLog,
  witnessesOf,
} from '../../builders/witnessed-logs.ts';
import { LOG_KEY, logKeyFor, logPorts, seenInMemory, startNext } from '../../harness/kept-logs.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../harness/throwaway-folder.ts';
import { type RunningWitness, startWitness, stopWitness } from '../../harness/witness.ts';

// The machine may be busy with other tests.

const SECOND_LOG_KEY = logKeyOf(logKeyFor(2), 'log.test/log/2');

let folder: string;
let witness: RunningWitness;
let policy: string;
let ours: WitnessedLog;

beforeEach(async () => {
  folder = makeThrowawayFolder('witnessed-log');
  witness = await startWitness(folder, { logKeys: [FIRST_LOG_KEY] });
  policy = policyText({ W: witness });
  ours = aWitnessedLog(witnessesOf(policy));
});
afterEach(async () => {
  try {
    await stopWitness(witness);
  } finally {
    removeThrowawayFolder(folder);
  }
});

async function proof(index: number): Promise<string> {
  const { storage } = ours;
  const record_id = (await storage.log.recordAt(1, index)) ?? '';
  const [decision] = await storage.decisions.find([record_id], null);
  if (!decision) throw new Error(`The leaf ${index} is not that of a decision.`);
  const text = await readProof({ ...storage, canonicalJson }, decision, {
    leaf: 'decision',
    owner: false,
    evidence: false,
  });
  return proofOf(text ?? '').checkpoint;
}

test('a checkpoint is cosigned as the log grows; it is published at once, and proofs contain it', async () => {
  expect((await ours.tick()).witnessed).toEqual({ met: true, missing: new Map(), refusing: [] });
  await ours.submit();
  await ours.tick();
  const { checkpoint, witnessed, cosignatures } = await ours.trust(policy);
  expect([checkpoint.size, witnessed, cosignatures.map((each) => each.witness)]).toEqual([2, true, ['W']]);
  const text = await proof(1);
  expect(text).toMatch(/\n2\n/);
  expect(text.match(/^— stancebook-witness-/gm)).toHaveLength(1);
});

test('a stored cosignature that is not that of the witness is named', async () => {
  await ours.tick();
  const { storage } = ours;
  const faults: string[] = [];
  const note = (about: string, found: readonly string[]) => faults.push(...found.map((each) => `${about}: ${each}`));
  const known = { logKey: LOG_KEY, previousKey: null, witnesses: witnessesOf(policy), lastSeen: seenInMemory() };
  await checkLog({ ...storage, canonicalJson }, known, note);
  expect(faults).toEqual([]);
  const { checkpointsAfter } = storage.logEvidence;
  const logEvidence: typeof storage.logEvidence = {
    ...storage.logEvidence,
    checkpointsAfter: async (...page) =>
      (await checkpointsAfter(...page)).map((each) => ({
        ...each,
        further: each.further.map((line) => ({ ...line, signature: line.signature.map((byte) => byte ^ 1) })),
      })),
  };
  await checkLog({ ...storage, logEvidence, canonicalJson }, known, note);
  const witnessed = /^checkpoint of 1 leaf of \S+: its cosignature is not that of the key of the witness stancebook-/;
  expect(faults).toEqual([expect.stringMatching(witnessed)]);
});

/** What an audit of the second log says of the first one, by asking the witness. */
async function continued(log: number): Promise<readonly string[]> {
  const { storage } = ours;
  const served = async (path: string) =>
    path === 'checkpoint' ? utf8(await readCheckpoint(storage, log)) : readTile(storage, log, path);
  const ask = async (url: string) => {
    const reply = await fetch(url);
    return reply.ok ? new Uint8Array(await reply.arrayBuffer()) : null;
  };
  const both = policyText({ W: witness }, 'all', [vkeyText(SECOND_LOG_KEY), vkeyText(FIRST_LOG_KEY)]);
  const { lines } = await auditLog(served, both, null, { now: Math.floor(Date.now() / 1_000), ask });
  return lines.flatMap(({ subject, verdict, detail }) => (subject === 'continues' ? [`${verdict}: ${detail}`] : []));
}

test('a log that goes on by a new key is cosigned, and the witness of the old one says that it saw no more', async () => {
  await ours.tick();
  await ours.submit();
  await ours.tick();
  await startNext(ours.storage, ours.lastSeen);
  await stopWitness(witness);
  witness = await startWitness(folder, { logKeys: [FIRST_LOG_KEY, SECOND_LOG_KEY] });
  ours.change({ logKey: logKeyFor(2) });
  ours.change({ witnesses: witnessesOf(policyText({ W: witness }, 'all', [vkeyText(SECOND_LOG_KEY)])) });
  expect((await ours.tick()).witnessed?.met).toBe(true);
  expect(await continued(2)).toEqual([
    'holds: leaf 2: the log goes on with the 2 leaves of log.test/log/1; W saw no more',
  ]);
});

test('a log that does not grow is cosigned again, and its proofs stay the same', async () => {
  await ours.submit();
  await ours.tick();
  await ours.tick();
  const [before, first] = [await ours.trust(policy), await proof(1)];
  await sleep(1_100);
  await ours.tick();
  expect(await ours.trust(policy)).toEqual(before);
  ours.advance(5 * MINUTE);
  await ours.tick();
  const [timeBefore, timeAfter] = [before, await ours.trust(policy)].map(({ cosignatures }) => cosignatures[0]?.time);
  expect(timeAfter).toBeGreaterThan(timeBefore ?? Number.NaN);
  expect(await proof(1)).toBe(first);
});

test('a witness that is down delays a checkpoint by 10 seconds, and follows when it is back', async () => {
  await ours.tick();
  await stopWitness(witness, 'SIGKILL');
  await ours.submit();
  const { witnessed } = await ours.tick();
  expect([witnessed?.met, witnessed?.missing.get('W')]).toEqual([false, 'ECONNREFUSED']);
  expect((await ours.trust(policy)).checkpoint.size).toBe(1);
  ours.advance(10 * SECOND);
  expect(await ours.trust(policy)).toMatchObject({ checkpoint: { size: 2 }, signed: true, witnessed: false });
  await ours.submit();
  witness = await startWitness(folder, { logKeys: [FIRST_LOG_KEY] });
  ours.change({ witnesses: witnessesOf(policyText({ W: witness })) });
  expect((await ours.tick()).witnessed?.met).toBe(true);
  expect(await ours.trust(policy)).toMatchObject({ checkpoint: { size: 3 }, witnessed: true });
  // The leaf of the checkpoint that nobody cosigned is proved by the one that was.
  expect(await proof(1)).toMatch(/\n3\n/);
});

test('a witness whose size is not known here says it, and gets the proof from there', async () => {
  await ours.tick();
  await ours.submit();
  await ours.tick();
  await ours.submit();
  const forgetful = { ...ours.storage.signatures, reports: async () => [] };
  ours.change({ signatures: forgetful });
  expect((await ours.tick()).witnessed?.met).toBe(true);
  expect((await ours.trust(policy)).checkpoint.size).toBe(3);
});

describe('after somebody else used the key', () => {
  /** Another log of the same key and origin. */
  async function thief(leaves: number): Promise<void> {
    const other = aWitnessedLog(witnessesOf(policy));
    for (let i = 0; i < leaves; i++) await other.submit();
    await other.tick();
    expect((await other.tick()).witnessed?.met).toBe(true);
  }

  test('at a larger size, nothing is signed until log-new', async () => {
    await ours.tick();
    await thief(2);
    await ours.submit();
    await expect(ours.tick()).rejects.toThrow('The witness W refuses log.test/log/1: it knows 3 leaves; 2 are stored');
    const signed = await ours.storage.log.latest(1);
    await ours.submit();
    await expect(ours.tick()).rejects.toThrow('refuses');
    // A further worker, and a witness that does not answer, sign nothing either.
    ours.change(logPorts(ours.storage, ours.lastSeen));
    ours.change({ witnesses: witnessesOf(policyText({ W: { ...witness, url: 'http://127.0.0.1:9' } })) });
    await expect(ours.tick()).rejects.toThrow('refuses');
    expect(await ours.storage.log.latest(1)).toEqual(signed);

    await startNext(ours.storage, ours.lastSeen);
    ours.change({ logKey: logKeyFor(2) });
    await stopWitness(witness);
    witness = await startWitness(folder, { logKeys: [SECOND_LOG_KEY] });
    const next = policyText({ W: witness }, 'all', [vkeyText(SECOND_LOG_KEY)]);
    await expect(ours.tick()).rejects.toThrow(
      `LOG_POLICY_FILE has no line with the key of this log: add "log log.test/log/2`,
    );
    ours.change({ witnesses: witnessesOf(next) });
    expect((await ours.tick()).witnessed?.met).toBe(true);
    expect(await ours.trust(next, 2)).toMatchObject({ witnessed: true, checkpoint: { size: 4 } });
    // The thief had it cosigned before the witness dropped its line.
    expect(await continued(2)).toEqual([
      'FAILS: leaf 2: W cosigned 3 leaves of log.test/log/1; the log says that it had 2',
    ]);
  });

  test('at the same size, nothing is signed, and log-resume signs one checkpoint more', async () => {
    await ours.tick();
    await thief(1);
    await ours.submit();
    await expect(ours.tick()).rejects.toThrow('The witness W refuses log.test/log/1: it knows another tree');
    await ours.submit();
    await expect(ours.tick()).rejects.toThrow('refuses');
    expect((await ours.storage.log.latest(1))?.size).toBe(2);
    await resumeLog({ ...ours.storage, lastSeen: ours.lastSeen });
    await expect(ours.tick()).rejects.toThrow('refuses');
    expect((await ours.storage.log.latest(1))?.size).toBe(3);
    ours.change({ witnesses: witnessesOf(policyText({ W: witness }, 'none')) });
    await expect(ours.tick()).rejects.toThrow('refuses');
    ours.change({ witnesses: null });
    expect(await ours.tick()).toMatchObject({ guard: 'guarded', witnessed: null });
  });
});

test('workers that run at once do not stop each other', async () => {
  for (let i = 0; i < 5; i++) {
    await ours.submit();
    const rounds = await Promise.all([ours.tick(), ours.tick(), ours.tick()]);
    expect(rounds.flatMap(({ witnessed }) => witnessed?.refusing ?? [])).toEqual([]);
  }
  expect(await ours.trust(policy)).toMatchObject({ witnessed: true, checkpoint: { size: 6 } });
});

describe('with a note that is older than the log, as of a worker of another machine', () => {
  let older: WitnessedLog;
  beforeEach(async () => {
    for (let i = 0; i < 2; i += 1) {
      await ours.tick();
      await ours.submit();
    }
    await ours.tick();
    const lastSeen = seenInMemory();
    older = aWitnessedLog(null, lastSeen);
    await older.tick();
    older.change({ lastSeen: seenInMemory() });
    await older.submit();
    await older.tick();
    await older.submit();
    older.change({ lastSeen });
  });

  test('a log that lost leaves is not signed', async () => {
    older.change({ witnesses: witnessesOf(policy) });
    await expect(older.tick()).rejects.toThrow('it knows 3 leaves; 2 are stored');
    expect((await older.storage.log.latest(1))?.size).toBe(2);
  });

  test('a witness that does not answer stops nothing', async () => {
    older.change({ witnesses: witnessesOf(policyText({ W: { ...witness, url: 'http://127.0.0.1:9' } })) });
    expect(await older.tick()).toMatchObject({ leaves: 1, guard: 'guarded', witnessed: { met: false } });
  });
});

describe('without a note of what was seen', () => {
  test('a log with witnesses is signed once a quorum confirms it', async () => {
    await ours.tick();
    ours.change({
      lastSeen: seenInMemory(),
      witnesses: witnessesOf(policyText({ W: { ...witness, url: 'http://127.0.0.1:9' } })),
    });
    await ours.submit();
    await expect(ours.tick()).rejects.toThrow('no quorum of witnesses confirms its 1 leaf: W: bad port');
    expect((await ours.storage.log.latest(1))?.size).toBe(1);
    ours.change({ witnesses: witnessesOf(policy) });
    expect(await ours.tick()).toMatchObject({ leaves: 1, guard: 'guarded' });
  });

  test('log-resume lets it go on', async () => {
    await ours.tick();
    const lastSeen = seenInMemory();
    ours.change({ lastSeen, witnesses: witnessesOf(policyText({ W: { ...witness, url: 'http://127.0.0.1:9' } })) });
    await expect(ours.tick()).rejects.toThrow('no quorum');
    await resumeLog({ ...ours.storage, lastSeen });
    await ours.submit();
    expect(await ours.tick()).toMatchObject({ guard: 'guarded', witnessed: { met: false } });
  });

  test('a log that lost leaves is not signed', async () => {
    await ours.tick();
    const restored = aWitnessedLog(witnessesOf(policy));
    restored.change({ witnesses: null });
    await restored.tick();
    await ours.submit();
    await ours.tick();
    restored.change({ lastSeen: seenInMemory(), witnesses: witnessesOf(policy) });
    await expect(restored.tick()).rejects.toThrow('it knows 2 leaves; 1 is stored');
    expect((await restored.storage.log.latest(1))?.size).toBe(1);
  });
});
