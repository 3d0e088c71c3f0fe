import { expect, test } from '@jest/globals';
import { canonicalJson } from '../../../adapters/formats/canonical-json.ts';
import { openMemory } from '../../../adapters/memory/storage.ts';
import { ed25519Verify } from '../../../application/ed25519.ts';
import { keepLog } from '../../../application/log/keep-log.ts';
import { logKeyOf } from '../../../application/log/read-log.ts';
import { readProof, readProofs } from '../../../application/log/read-proof.ts';
import { sha256 } from '../../../application/sha256.ts';
import { leafBytes } from '../../../domain/log/leaves/leaf.ts';
import { openingOf } from '../../../domain/log/leaves/opening.ts';
import { isStated, opensLeaf, ownerClaims } from '../../../domain/log/leaves/verify-opening.ts';
import { checkpointOf } from '../../../domain/log/notes/checkpoint.ts';
import { checkSignatures, noteOf } from '../../../domain/log/notes/note.ts';
import { isIncluded, proofOf } from '../../../domain/log/tree/proof.ts';
import { leafHash } from '../../../domain/log/tree/tree.ts';
import { MINUTE } from '../../../domain/time.ts';
import { aDraft, anAgent, aSubmission, NO_LIMITS, receiptOf } from '../../builders/decisions.ts';
import { LOG_KEY, logPorts } from '../../harness/kept-logs.ts';

const PUBLIC = { leaf: 'decision', owner: false, evidence: false } as const;
const FULL = { leaf: 'decision', owner: true, evidence: true } as const;

test('a proof holds by the functions of the verifier, and stays the same while the log grows', async () => {
  let time = Date.UTC(2026, 2, 2, 12);
  const storage = openMemory({ now: () => new Date(time) });
  const ports = { ...storage, canonicalJson };
  const sequencer = logPorts(storage);
  const tick = () => keepLog(sequencer, { interval: MINUTE });
  const agent = await anAgent(storage);
  await tick();
  const ids: string[] = [];
  for (let i = 0; i < 300; i++) {
    const draft = aDraft(agent, new Date(time), aSubmission(new Date(time)), { limits: NO_LIMITS });
    ids.push(receiptOf(await storage.intake.submit(draft)).record_id);
  }
  const [decision] = await storage.decisions.find(ids.slice(0, 1), null);
  if (!decision) throw new Error('The record is not stored.');
  expect(await readProof(ports, decision, FULL)).toBeNull();
  time += 2 * MINUTE;
  await tick();

  const text = await readProof(ports, decision, FULL);
  const { extra, index, hashes, checkpoint } = proofOf(text ?? '');
  const note = noteOf(checkpoint);
  const key = logKeyOf(LOG_KEY, 'log.test/log/1');
  expect(await checkSignatures(note, [key], ed25519Verify)).toMatchObject({ valid: [{ key }], invalid: [] });
  const opening = openingOf(extra ?? Uint8Array.of(), canonicalJson);
  const hash = leafHash(leafBytes(opening.leaf), sha256);
  expect(isIncluded({ index, hash }, checkpointOf(note.text), hashes, sha256)).toBe(true);
  expect(opensLeaf(opening, canonicalJson, sha256)).toBe(true);
  if (!isStated(opening) || !opening.owner) throw new Error('The owner’s part is missing.');
  const claims = ownerClaims(opening, opening.owner, canonicalJson, sha256);
  expect(claims).toEqual({ statement: true, producer: true, repeated: true });

  expect(await readProof(ports, decision, { ...PUBLIC, leaf: 'outcome' })).toBeNull();
  await storage.intake.submit(aDraft(agent, new Date(time), aSubmission(new Date(time)), { limits: NO_LIMITS }));
  time += 2 * MINUTE;
  expect(await tick()).toMatchObject({ leaves: 1 });
  expect(await readProof(ports, decision, FULL)).toBe(text);
  expect(await readProof(ports, decision, PUBLIC)).not.toContain(decision.salt);

  const decisions = await storage.decisions.find(ids, null);
  expect(decisions.length).toBe(300);
  const wanted = [
    ...decisions.map((each) => ({ decision: each, query: FULL })),
    { decision, query: { ...PUBLIC, leaf: 'outcome' as const } },
    { decision, query: PUBLIC },
  ];
  const alone: (string | null)[] = [];
  for (const { decision: each, query } of wanted) alone.push(await readProof(ports, each, query));
  expect(await readProofs(ports, wanted, () => undefined)).toEqual(alone);
  expect(new Set(alone).size).toBe(wanted.length);
  expect(await readProofs(ports, [], () => undefined)).toEqual([]);
});
