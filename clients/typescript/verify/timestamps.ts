import { Malformed, utf8 } from '../../../domain/log/encoding.ts';
import { noteOf, type SignedNote } from '../../../domain/log/notes/note.ts';
import { certificatesOfPem, type StampCrypto } from '../../../domain/log/timestamps/certificates.ts';
import { checkToken, timestampKeyId, tokenOf, UntrustedStamp } from '../../../domain/log/timestamps/timestamp.ts';
import { proofOf } from '../../../domain/log/tree/proof.ts';
import { rfc3339 } from '../../../domain/time.ts';
import { sha256 } from './sha256.ts';
import type { CheckStamps, ValidStamp } from './time-line.ts';
import { line } from './verdict.ts';

/** A timestamp of a checkpoint: who made it, and the DER of its token (RFC 3161). */
interface StampLine {
  readonly name: string;
  readonly token: Uint8Array;
}

/** The timestamps in the signature lines of a note. */
export function stampsIn({ signatures }: SignedNote): readonly StampLine[] {
  return signatures
    .filter(({ name, id }) => id === timestampKeyId(name, sha256))
    .map(({ name, signature }) => ({ name, token: signature }));
}

/** Checks timestamps by the certificates of a PEM file. @throws Malformed for a file without any */
export function stampChecker(pem: string, crypto: StampCrypto): CheckStamps {
  const trusted = certificatesOfPem(pem);
  return async (note) => {
    const valid: ValidStamp[] = [];
    const [untrusted, wrong]: [string[], string[]] = [[], []];
    for (const { name, token } of stampsIn(note)) {
      try {
        const { time, accuracy } = checkToken(token, utf8(note.text), trusted, crypto);
        valid.push({ name, time: time + accuracy });
      } catch (error) {
        if (!(error instanceof Malformed)) throw error;
        (error instanceof UntrustedStamp ? untrusted : wrong).push(`the one of ${name}: ${error.message}`);
      }
    }
    return { line: stampLine(valid, untrusted, wrong), valid: wrong.length > 0 ? [] : valid };
  };
}

function stampLine(valid: readonly ValidStamp[], untrusted: readonly string[], wrong: readonly string[]) {
  if (wrong.length > 0) return line('FAILS', 'timestamp', wrong.join('; '));
  if (valid.length > 0) {
    const made = valid.map(({ name, time }) => `${name} at ${rfc3339(time)}`).join(', ');
    return line('holds', 'timestamp', `by ${made}; not asked whether it was revoked`);
  }
  return line('not checked', 'timestamp', untrusted.join('; ') || 'the checkpoint has none');
}

/** A file for `openssl ts -verify`. */
export interface StampFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/**
 * The texts and the tokens of the timestamps of proofs, and the commands that verify them without this program.
 * @throws Malformed for a text that is no proof
 */
export function stampFiles(proofs: readonly string[], folder: string) {
  const files = new Map<string, Uint8Array>();
  const commands: string[] = [];
  for (const proof of proofs) {
    const note = noteOf(proofOf(proof).checkpoint);
    for (const { name, token } of stampsIn(note)) {
      const stem = `${name.replace(/[^\w.-]/g, '_')}-${hexName(note.text)}`;
      const { time } = tokenOf(token).info;
      if (files.has(`${stem}.tst`)) continue;
      files.set(`${stem}.txt`, utf8(note.text)).set(`${stem}.tst`, token);
      const [text, stamp] = [`${folder}/${stem}.txt`, `${folder}/${stem}.tst`];
      commands.push(
        `openssl ts -verify -data ${text} -in ${stamp} -token_in -attime ${Math.floor(time / 1_000)} -CAfile CA.pem`,
      );
    }
  }
  return { files: [...files].map(([name, bytes]): StampFile => ({ name, bytes })), commands };
}

function hexName(text: string): string {
  return [...sha256(text).subarray(0, 6)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
