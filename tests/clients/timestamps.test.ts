import { execFileSync } from 'node:child_process';
import { constants, createHash, createPublicKey, verify } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sha256 } from '../../application/sha256.ts';
import { type CommandContext, runCommand } from '../../clients/typescript/verify/command-line.ts';
import { utf8 } from '../../domain/log/encoding.ts';
import { noteOf, signatureLine } from '../../domain/log/notes/note.ts';
import { nodeStampCrypto } from '../../domain/log/timestamps/certificates.ts';
import { timestampKeyId, timestampRequest, tokenOf, tokenOfResponse } from '../../domain/log/timestamps/timestamp.ts';
import { proofOf } from '../../domain/log/tree/proof.ts';
import { DAY, MINUTE, SECOND } from '../../domain/time.ts';
import { aDecisionOpening, STATED } from '../builders/log-openings.ts';
import { aProofFile, LOG_KEYS } from '../builders/proof-files.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../harness/throwaway-folder.ts';
import { makeAuthority, makeRoot, replyOf } from '../harness/time-stamp-authority.ts';

const AUTHORITY = 'tsa.example';
const NO_QUORUM = `${LOG_KEYS}quorum none\n`;
const QUORUM = `${LOG_KEYS}quorum W\n`;
let folder: string;

beforeAll(() => {
  folder = makeThrowawayFolder('stamped-proofs');
  makeRoot(folder, 'root');
  makeRoot(folder, 'other');
  makeAuthority(folder, 'tsa');
  writeFileSync(join(folder, 'none'), NO_QUORUM);
  writeFileSync(join(folder, 'quorum'), QUORUM);
});
afterAll(() => removeThrowawayFolder(folder));

/** The line of a timestamp of a proof, made now. */
function stampOf(proof: string, text = noteOf(proofOf(proof).checkpoint).text): string {
  const request = timestampRequest(sha256(text), Uint8Array.of(0x41));
  const token = tokenOfResponse(replyOf(folder, 'tsa', request));
  return signatureLine({ name: AUTHORITY, id: timestampKeyId(AUTHORITY, sha256), signature: token });
}

/** A proof of a decision that was submitted some time ago, with a window of a day. @param seen milliseconds ago */
async function aProof(ago: number, seen: number): Promise<string> {
  const submission_time = new Date(Date.now() - ago);
  const stated = { ...STATED, submission_time, data_cutoff: submission_time, horizon_value: 86_400 };
  return aProofFile(aDecisionOpening(stated), Math.floor((Date.now() - seen) / SECOND));
}

async function run(proof: string, ...args: readonly string[]) {
  writeFileSync(join(folder, 'proof'), proof);
  let output = '';
  const at = (file: string) => join(folder, file);
  const context: CommandContext = {
    fileExists: (file) => existsSync(at(file)),
    readFile: (file) => readFileSync(at(file)),
    writeFile: (file, content) => writeFileSync(at(file), content),
    makeFolder: (name) => void mkdirSync(at(name), { recursive: true }),
    stampCrypto: nodeStampCrypto({ createHash, createPublicKey, verify, constants }),
    write: (text) => {
      output += text;
    },
    fetch: () => Promise.reject(new Error('The network was used.')),
    sleep: async () => undefined,
  };
  const exitCode = await runCommand(['proof', ...args], context);
  return { exitCode, output };
}

describe('--tsa', () => {
  test('shows when, by a timestamp alone, where there is no witness', async () => {
    const proof = await aProof(MINUTE, 0);
    const { exitCode, output } = await run(`${proof}${stampOf(proof)}`, '--policy', 'none', '--tsa', 'root.pem');
    expect(output).toMatch(/holds +timestamp +by tsa\.example at \S+Z; not asked whether it was revoked/);
    expect(output).toMatch(/holds +time +seen at \S+ by a timestamp alone, submitted in the minute of/);
    expect(output).toMatch(/^when: proved, by a timestamp alone: seen at/m);
    expect(exitCode).toBe(0);
  });

  test('calls a decision late that was stamped later than its minute and five more', async () => {
    const proof = await aProof(7 * MINUTE, 0);
    const { exitCode, output } = await run(`${proof}${stampOf(proof)}`, '--policy', 'none', '--tsa', 'root.pem');
    expect(output).toMatch(
      /late +time +seen at \S+ by a timestamp alone.*somebody could have chosen it knowing prices/,
    );
    expect(output).toMatch(/^when: not proved: late: /m);
    expect([exitCode, output.includes('FAILS')]).toEqual([1, false]);
  });

  test('takes the earlier of a quorum and a timestamp', async () => {
    const proof = await aProof(7 * MINUTE, 6 * MINUTE);
    const both = await run(`${proof}${stampOf(proof)}`, '--policy', 'quorum', '--tsa', 'root.pem');
    expect(both.output).toMatch(/holds +time +seen at \S+, submitted/);
    expect(both.output).toMatch(/^when: proved: /m);
    const lateWitness = await aProof(MINUTE, -10 * MINUTE);
    const stamped = await run(`${lateWitness}${stampOf(lateWitness)}`, '--policy', 'quorum', '--tsa', 'root.pem');
    expect(stamped.output).toMatch(/^when: proved, by a timestamp alone: /m);
  });

  test('does without the quorum that a proof with a timestamp alone lacks', async () => {
    const proof = await aProof(MINUTE, 0);
    const unseen = `${proof}${stampOf(proof)}`.replace(/— w\.example.*\n/, '');
    const { exitCode, output } = await run(unseen, '--policy', 'quorum', '--tsa', 'root.pem');
    expect(output).toMatch(/not checked witnesses +seen by none; the quorum is W; it has a timestamp alone/);
    expect(exitCode).toBe(0);
    const required = await run(unseen, '--policy', 'quorum', '--tsa', 'root.pem', '--require', 'witness');
    expect([required.exitCode, required.output]).toEqual([1, expect.stringContaining('FAILS       witnesses')]);
    expect((await run(unseen, '--policy', 'quorum')).output).toMatch(/FAILS +witnesses/);
  });

  test('proves nothing without a timestamp, or with one of an authority that is not trusted', async () => {
    const proof = await aProof(MINUTE, 0);
    const without = await run(proof, '--policy', 'none', '--tsa', 'root.pem');
    expect(without.output).toMatch(/not checked timestamp +the checkpoint has none/);
    expect(without.exitCode).toBe(1);
    const other = await run(`${proof}${stampOf(proof)}`, '--policy', 'none', '--tsa', 'other.pem');
    expect(other.output).toMatch(/not checked timestamp +the one of tsa\.example: its certificate leads to no trusted/);
    expect(other.exitCode).toBe(1);
  });

  test('fails for a timestamp of another checkpoint', async () => {
    const proof = await aProof(MINUTE, 0);
    const { exitCode, output } = await run(
      `${proof}${stampOf(proof, 'another text')}`,
      ...['--policy', 'none', '--tsa', 'root.pem'],
    );
    expect(output).toMatch(/FAILS +timestamp +the one of tsa\.example: it is of another text/);
    expect([exitCode, /^when: FAILS: see timestamp$/m.test(output)]).toEqual([1, true]);
  });

  test('is not needed to read a file with timestamps', async () => {
    const proof = await aProof(MINUTE, 0);
    const { exitCode, output } = await run(`${proof}${stampOf(proof)}`, '--policy', 'quorum');
    expect([exitCode, output.includes('timestamp  ')]).toEqual([0, false]);
  });

  test('needs certificates', async () => {
    const { exitCode, output } = await run(await aProof(MINUTE, 0), '--policy', 'none', '--tsa', 'none');
    expect([exitCode, output]).toEqual([2, 'The file has no certificate in PEM.\n']);
  });
});

test('--write-timestamps writes what openssl verifies, also after the end of the certificate', async () => {
  const proof = await aProof(MINUTE, 0);
  const stamped = `${proof}${stampOf(proof)}`;
  const { output } = await run(stamped, '--policy', 'none', '--write-timestamps', 'stamps/');
  const [command = ''] = /^openssl ts .*$/m.exec(output) ?? [];
  const [token = ''] = /stamps\/\S+\.tst/.exec(command) ?? [];
  const { time } = tokenOf(readFileSync(join(folder, token))).info;
  expect(command).toContain(` -attime ${Math.floor(time / SECOND)} `);
  const [program = '', ...args] = command.replace('CA.pem', 'root.pem').split(' ');
  const verified = (at: string) =>
    execFileSync(
      program,
      args.map((arg) => (/^\d+$/.test(arg) ? at : arg)),
      { cwd: folder },
    );
  expect(verified(String(Math.floor(time / SECOND))).toString()).toContain('Verification: OK');
  // Of 30 days: openssl judges as of the time that it is given, and so does the verifier.
  expect(() => verified(String(Math.floor((time + 40 * DAY) / SECOND)))).toThrow();
  expect(readFileSync(join(folder, token.replace('.tst', '.txt')))).toEqual(
    Buffer.from(utf8(noteOf(proofOf(proof).checkpoint).text)),
  );
  const none = await run(proof, '--policy', 'none', '--write-timestamps', 'nothing');
  expect(none.output).toContain('The files have no timestamps to write.');
});
