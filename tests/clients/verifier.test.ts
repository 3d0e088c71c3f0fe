import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from '../../adapters/formats/canonical-json.ts';
import { sha256 } from '../../application/sha256.ts';
import { bundleOf } from '../../clients/typescript/bundle.ts';
import { canonicalJson as ownCanonicalJson } from '../../clients/typescript/verify/canonical-json.ts';
import { ed25519Verify } from '../../clients/typescript/verify/ed25519.ts';
import { sha256 as ownSha256 } from '../../clients/typescript/verify/sha256.ts';
import { isProved, verifyFile } from '../../clients/typescript/verify/verify-file.ts';
import { checkpointText } from '../../domain/log/checkpoint.ts';
import { base64Of, utf8 } from '../../domain/log/encoding.ts';
import { leafBytes } from '../../domain/log/leaf.ts';
import { noteText } from '../../domain/log/note.ts';
import { cosign, signText } from '../../domain/log/note-signatures.ts';
import { type Opening, openingBytes } from '../../domain/log/opening.ts';
import { inclusionPath, proofHashes } from '../../domain/log/proof.ts';
import { proofText } from '../../domain/log/tlog-proof.ts';
import { COSIGNATURE, ED25519, vkeyText } from '../../domain/log/verifier-key.ts';
import { aSigner, aTree, someLeaves } from '../builders/log.ts';
import { aDecisionOpening, anOutcomeOpening, OWNER } from '../builders/log-openings.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../harness/throwaway-folder.ts';

const log = aSigner('stancebook.example/log/1');
const witness = aSigner('w.example', COSIGNATURE, 2);
const KEYS = `log ${vkeyText(log.key)}\nwitness W ${vkeyText(witness.key)}\n`;
const POLICY = `${KEYS}quorum W\n`;
/** A minute after the decision of the builder was received. */
const SEEN = Date.parse('2026-03-02T12:01:41Z') / 1_000;

const decision = aDecisionOpening();
const full = { ...decision, owner: OWNER };

/** A proof file of a leaf at index 3 of a log of 9 leaves. */
async function proofFile(opening: Opening, seen = SEEN): Promise<string> {
  const leaves = someLeaves(9).map((leaf, i) => (i === 3 ? leafBytes(opening.leaf) : leaf));
  const { size, root, hashOf } = aTree(leaves);
  const text = checkpointText({ origin: log.key.name, size, root });
  const checkpoint = noteText({ text, signatures: [await signText(text, log), await cosign(text, seen, witness)] });
  const hashes = proofHashes(inclusionPath(3, size), hashOf, sha256);
  return proofText({ extra: openingBytes(opening, canonicalJson), index: 3, hashes, checkpoint });
}

/** The verdict of each line, by its subject. */
async function verdicts(proof: string, policy: string | null = POLICY): Promise<Readonly<Record<string, string>>> {
  const lines = await verifyFile(proof, policy);
  return Object.fromEntries(lines.map(({ subject, verdict }) => [subject, verdict]));
}

const HOLDS = { signature: 'holds', witnesses: 'holds', inclusion: 'holds', opening: 'holds' };

describe('the lines of a proof', () => {
  test('of a decision hold', async () => {
    expect(await verdicts(await proofFile(decision))).toEqual({ ...HOLDS, time: 'holds' });
  });

  test('of an outcome hold', async () => {
    expect(await verdicts(await proofFile(anOutcomeOpening(1)))).toEqual(HOLDS);
  });

  test('of an owner hold, with the statement and its producer', async () => {
    const owner = { statement: 'holds', producer: 'holds', 'public statement': 'holds' };
    expect(await verdicts(await proofFile(full))).toEqual({ ...HOLDS, ...owner, time: 'holds' });
  });

  test('without a policy say that signatures were not checked, which proves nothing', async () => {
    const lines = await verifyFile(await proofFile(decision), null);
    expect(lines).toContainEqual({
      verdict: 'not checked',
      subject: 'signature',
      detail: 'without a policy the key of stancebook.example/log/1 is not known',
    });
    expect(isProved(lines)).toBe(false);
  });

  test('without a quorum in the policy leave the witnesses unchecked, and prove the rest', async () => {
    const lines = await verifyFile(await proofFile(decision), `${KEYS}quorum none\n`);
    expect(isProved(lines)).toBe(true);
    expect(lines.find(({ subject }) => subject === 'witnesses')?.verdict).toBe('not checked');
  });
});

describe('the line that fails names', () => {
  const changed = async (change: (proof: string) => string, opening: Opening = decision) =>
    verdicts(change(await proofFile(opening)));

  test('a checkpoint of another root', async () => {
    const other = (proof: string) => proof.replace(/\n9\n[^\n]+/, `\n9\n${base64Of(sha256('x'))}`);
    expect(await changed(other)).toMatchObject({ signature: 'FAILS', witnesses: 'not checked', inclusion: 'FAILS' });
  });

  test('a signature by another key of that origin', async () => {
    const policy = POLICY.replace(vkeyText(log.key), vkeyText(aSigner(log.key.name, ED25519, 3).key));
    expect(await verdicts(await proofFile(decision), policy)).toMatchObject({ signature: 'FAILS', inclusion: 'holds' });
  });

  test('a missing witness', async () => {
    const unseen = (proof: string) => proof.replace(/— w\.example.*\n/, '');
    expect(await changed(unseen)).toMatchObject({ signature: 'holds', witnesses: 'FAILS', time: 'not checked' });
  });

  test('another index', async () => {
    const moved = (proof: string) => proof.replace('index 3', 'index 2');
    expect(await changed(moved)).toMatchObject({ signature: 'holds', inclusion: 'FAILS', opening: 'holds' });
  });

  test('another direction than that of the leaf', async () => {
    const opening = { ...decision, public_statement: { ...decision.public_statement, direction: 'bearish' } } as const;
    expect(await verdicts(await proofFile(opening))).toMatchObject({ inclusion: 'holds', opening: 'FAILS' });
  });

  test('a better bucket than that of the leaf', async () => {
    const outcome = anOutcomeOpening(1);
    const opening = {
      ...outcome,
      public_outcome: { ...outcome.public_outcome, result_bucket: 'weak_correct' },
    } as const;
    expect(await verdicts(await proofFile(opening))).toMatchObject({ inclusion: 'holds', opening: 'FAILS' });
  });

  test('an agent that did not make the decision', async () => {
    const opening = { ...full, owner: { ...OWNER, agent_id: 'agt_000000000000' } };
    expect(await verdicts(await proofFile(opening))).toMatchObject({ opening: 'holds', producer: 'FAILS' });
  });

  test('extra data that is no opening', async () => {
    const other = (proof: string) => proof.replace(/extra .*/, `extra ${base64Of(utf8('{}'))}`);
    expect(await changed(other)).toMatchObject({ signature: 'holds', inclusion: 'not checked', opening: 'FAILS' });
  });

  test.each([
    ['a file that is no proof', () => 'hello\n'],
    ['a file that is cut off', (proof: string) => proof.slice(0, -20)],
  ])('%s', async (_, change) => {
    const lines = await verifyFile(change(await proofFile(decision)), POLICY);
    expect(lines[0]).toMatchObject({ verdict: 'FAILS', subject: 'form' });
    expect(isProved(lines)).toBe(false);
  });
});

describe('the time of a realtime decision', () => {
  const timeAt = async (seconds: number, opening: Opening = decision) =>
    (await verdicts(await proofFile(opening, SEEN + seconds))).time;

  test('holds until the end of its window, and fails after it', async () => {
    expect([await timeAt(240), await timeAt(3_540), await timeAt(3_600 + 60)]).toEqual(['holds', 'holds', 'FAILS']);
  });

  test('is not proved for an imported decision', async () => {
    expect(await timeAt(0, { ...decision, leaf: { ...decision.leaf, t: 'imported' } })).toBe('not checked');
  });
});

describe('the own primitives of the verifier equal those of the service', () => {
  test('SHA-256', () => {
    for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 1_000]) {
      expect(ownSha256(new Uint8Array(length))).toEqual(Uint8Array.from(sha256(new Uint8Array(length))));
    }
    const parts = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array({ maxLength: 200 })), {
      maxLength: 4,
    });
    fc.assert(fc.property(parts, (each) => expect(ownSha256(...each)).toEqual(Uint8Array.from(sha256(...each)))));
  });

  test('canonical JSON', () => {
    const value = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' });
    fc.assert(fc.property(value, (each) => expect(ownCanonicalJson(each)).toBe(canonicalJson(each))));
    for (const wrong of ['\ud800', { '\udc00': 1 }, Number.NaN, Number.POSITIVE_INFINITY, undefined]) {
      expect(() => ownCanonicalJson(wrong)).toThrow(TypeError);
    }
  });

  test('Ed25519', async () => {
    const { name, id, signature } = await signText('a\n', log);
    expect([name, id]).toEqual([log.key.name, log.key.id]);
    expect(await ed25519Verify(log.key.publicKey, utf8('a\n'), signature)).toBe(true);
    expect(await ed25519Verify(log.key.publicKey, utf8('b\n'), signature)).toBe(false);
    expect(await ed25519Verify(log.key.publicKey, utf8('a\n'), signature.subarray(1))).toBe(false);
  });
});

describe('the one file', () => {
  const folder = makeThrowawayFolder('verifier');
  const verifier = join(folder, 'verify.mjs');
  const text = bundleOf(join(import.meta.dirname, '../../clients/typescript/verify.ts'));
  beforeAll(async () => {
    writeFileSync(verifier, text);
    writeFileSync(join(folder, 'policy'), POLICY);
    writeFileSync(join(folder, 'right'), await proofFile(full));
    writeFileSync(join(folder, 'wrong'), (await proofFile(full)).replace('index 3', 'index 2'));
  });
  afterAll(() => removeThrowawayFolder(folder));

  function run(...args: readonly string[]): { readonly status: number | null; readonly output: string } {
    const { status, stdout, stderr } = spawnSync(process.execPath, [verifier, ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { status, output: `${stdout}${stderr}` };
  }

  test('imports nothing', () => {
    expect(text).not.toMatch(/^\s*import\b|\bimport\(|\brequire\(/m);
  });

  test.each([
    [
      'a proof',
      ['right', '--policy', 'policy'],
      0,
      'right\n  holds       signature         stancebook.example/log/1 signed',
    ],
    ['a proof that fails', ['--policy', 'policy', 'right', 'wrong'], 1, '  FAILS       inclusion         leaf 2 of 9'],
    ['a proof without a policy', ['right'], 1, '  not checked signature'],
    ['no file', [], 2, 'Usage: verify FILE...'],
    ['a policy without its file', ['right', '--policy'], 2, 'Usage: verify FILE...'],
    ['a file that does not exist', ['absent'], 2, "ENOENT: no such file or directory, open 'absent'"],
    ['an unknown option', ['right', '--audit'], 2, 'Usage: verify FILE...'],
  ])('run on %s', (_, args, exitCode, output) => {
    const ended = run(...args);
    expect(ended.output).toContain(output);
    expect(ended.status).toBe(exitCode);
  });

  test('can be imported without running', () => {
    const script = `const { verifyFile } = await import(${JSON.stringify(verifier)}); console.log(typeof verifyFile);`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
    expect(stdout).toBe('function\n');
  });
});
