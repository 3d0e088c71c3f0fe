import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { ed25519PublicKey, ed25519Sign } from '../../../application/ed25519.ts';
import { sha256, sha256Hex } from '../../../application/sha256.ts';
import { hexOf } from '../../../domain/log/encoding.ts';
import { leafBytes } from '../../../domain/log/leaves/leaf.ts';
import { type AddCheckpoint, addCheckpointText } from '../../../domain/log/notes/checkpoint.ts';
import {
  ED25519,
  type NoteSignature,
  type NoteSigner,
  noteOf,
  signaturesOf,
  verifierKey,
  vkeyText,
} from '../../../domain/log/notes/note.ts';
import { rootHash } from '../../../domain/log/tree/tree.ts';
import { askWitness, type RunningWitness, startWitness, stopWitness } from '../../harness/witness.ts';
import type { Tally } from '../stage/tally.ts';
import { acceptedFlips } from './flipped.ts';
import { type Written, write, writeSize } from './folder.ts';
import { type MemoryLog, memoryLog } from './memory-log.ts';
import { opensslVerifies, type Programs } from './programs.ts';

const SHORT = [1, 255, 256, 257];
/** The sizes around which tiles of each level begin. */
export const LONG = [...SHORT, 65_536, 70_000] as const;

/** Checks the files of a log in memory, which a process of the witness cosigns. */
export async function checkFormats(folder: string, programs: Programs, tally: Tally, isLong: boolean): Promise<void> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const signer = signerOf('stancebook.example/log/1', privateKey);
  const next = signerOf('stancebook.example/log/2', generateKeyPairSync('ed25519').privateKey);
  const witness = await startWitness(folder, { logKeys: [signer.key, next.key] });
  const served = join(folder, 'served');
  write(served, 'log.vkey', vkeyText(signer.key));
  write(served, 'witness.vkey', witness.vkey);
  const log = memoryLog(signer, (request) => cosignaturesOf(witness, request));
  const sizes = isLong ? LONG : SHORT;
  const written: Written[] = [];
  for (const size of sizes) {
    log.append(leavesOf(log.size(), size));
    written.push(await writeSize(served, log, written));
    if (size !== SHORT.at(-1)) continue;
    refuseFlips(served, programs, tally);
    const { checkpoint } = written.at(-1) ?? { checkpoint: '' };
    await checkContinued(join(folder, 'next'), { log, checkpoint, signer, next, witness }, programs, tally);
  }
  const latest = await fetch(`${witness.url}/${sha256Hex(signer.key.name)}/checkpoint`);
  tally.holds('the witness serves the last checkpoint', (await latest.text()) === written.at(-1)?.checkpoint);
  await stopWitness(witness);
  const { status, output } = programs.check(served);
  const range = `${sizes.join(', ')} leaves`;
  tally.holds(`golang.org/x/mod/sumdb verifies the log at ${range} (${output})`, status === 0, output);
  const policy = `log ${vkeyText(signer.key)}\nwitness W ${witness.vkey}\nquorum W\n`;
  const audit = await programs.verify(policy, ['--audit', '--log', served]);
  tally.holds(`the verifier audits the log at ${range}`, audit.status === 0, audit.output);
  const last = written.at(-1);
  if (last) verifyWithOpenssl(folder, tally, last.checkpoint, privateKey);
}

interface Continued {
  readonly log: MemoryLog;
  readonly checkpoint: string;
  readonly signer: NoteSigner;
  readonly next: NoteSigner;
  readonly witness: RunningWitness;
}

/** Checks a log that goes on with all leaves of another one, as after `log-new` by a new key. */
async function checkContinued(
  folder: string,
  { log, checkpoint, signer, next, witness }: Continued,
  programs: Programs,
  tally: Tally,
): Promise<void> {
  const size = log.size();
  const root = hexOf(rootHash(size, log.hashOf, sha256));
  const further = memoryLog(next, (request) => cosignaturesOf(witness, request));
  further.append(log.leaves(0, size));
  further.append([leafBytes({ t: 'continues', of: signer.key.name, root, size, v: 1 })]);
  further.append(leavesOf(size + 1, size + 30));
  write(folder, 'log.vkey', vkeyText(next.key));
  write(folder, 'witness.vkey', witness.vkey);
  write(folder, 'before.vkey', vkeyText(signer.key));
  write(folder, 'before/checkpoint', checkpoint);
  await writeSize(folder, further, []);
  refuseFlips(folder, programs, tally);
  const keys = [next, signer].map(({ key }) => `log ${vkeyText(key)}\n`).join('');
  const policy = `${keys}witness W ${witness.vkey}\nquorum W\n`;
  const audit = await programs.verify(policy, ['--audit', '--log', folder]);
  const goesOn = new RegExp(`continues +leaf ${size}: the log goes on with the ${size} leaves of `).test(audit.output);
  tally.holds('the verifier audits a log that goes on with another one', audit.status === 0 && goesOn, audit.output);
}

async function cosignaturesOf(witness: RunningWitness, request: AddCheckpoint): Promise<readonly NoteSignature[]> {
  const { status, body } = await askWitness(witness, addCheckpointText(request));
  if (status !== 200) throw new Error(`The witness answered ${status} to a log that grew: ${body}`);
  return signaturesOf(body);
}

/** Checks a folder as it is, and with each of its files damaged. */
export function refuseFlips(served: string, { check }: Pick<Programs, 'check'>, tally: Tally): void {
  const { status, output } = check(served);
  tally.holds(`golang.org/x/mod/sumdb verifies the log before a byte is flipped (${output})`, status === 0, output);
  const { accepted, flips } = acceptedFlips(served, check);
  tally.check(`golang.org/x/mod/sumdb refuses each of ${flips} flipped bytes`, accepted);
}

/** The first signature of a note is that of the log. */
function verifyWithOpenssl(folder: string, tally: Tally, checkpoint: string, privateKey: KeyObject): void {
  const { text, signatures } = noteOf(checkpoint);
  write(folder, 'key.pem', createPublicKey(privateKey).export({ format: 'pem', type: 'spki' }));
  write(folder, 'text', text);
  write(folder, 'other-text', `${text}x\n`);
  write(folder, 'signature', signatures[0]?.signature ?? '');
  const [key, signature] = [join(folder, 'key.pem'), join(folder, 'signature')];
  const right = opensslVerifies(key, join(folder, 'text'), signature);
  tally.holds('openssl verifies the signature of the checkpoint', right.status === 0, right.output);
  const wrong = opensslVerifies(key, join(folder, 'other-text'), signature);
  tally.holds('openssl refuses the signature for another text', wrong.status === 1, wrong.output);
}

function signerOf(name: string, privateKey: KeyObject): NoteSigner {
  const key = verifierKey(name, ED25519, ed25519PublicKey(privateKey), sha256);
  return { key, sign: (message) => ed25519Sign(privateKey, message) };
}

/** Leaves from one index up to another: the first one of the log, then decisions. */
function leavesOf(from: number, to: number): readonly Uint8Array[] {
  return Array.from({ length: to - from }, (_, i) => {
    const index = from + i;
    if (index === 0) return leafBytes({ t: 'log', last: null, v: 1 });
    return leafBytes({ t: 'decision', c: sha256Hex(`decision ${index}`), v: 1 });
  });
}
