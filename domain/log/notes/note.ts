import { base64Of, bytesOfBase64, bytesOfHex, concatBytes, hexOf } from '../encoding.ts';
import { Malformed } from '../malformed.ts';
import { isKeyName } from './verifier-key.ts';

/** A text with the signatures of one or more keys (signed-note, "Format"). */
export interface SignedNote {
  /** With its final newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** A signature line: which key made it, and what it says after the key ID. */
export interface NoteSignature {
  readonly name: string;
  /** 8 lower-case hexadecimal digits. */
  readonly id: string;
  readonly signature: Uint8Array;
}

/** More signature lines are refused; signed-note demands that at least 16 are accepted. */
export const MOST_SIGNATURES = 100;

/** The note as it is sent: the text, an empty line, the signature lines. */
export function noteText({ text, signatures }: SignedNote): string {
  return `${text}\n${signatures.map(signatureLine).join('')}`;
}

/** `— <key name> base64(key ID || signature)`, with a final newline. */
export function signatureLine({ name, id, signature }: NoteSignature): string {
  return `— ${name} ${base64Of(concatBytes(bytesOfHex(id), signature))}\n`;
}

/**
 * The note of a text, without any check of its signatures.
 * @throws Malformed for anything but a text, an empty line and 1 to `MOST_SIGNATURES` signature lines
 */
export function noteOf(sent: string): SignedNote {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: signed-note forbids them.
  if (/[\x00-\x09\x0b-\x1f]/.test(sent) || !sent.isWellFormed()) {
    throw new Malformed('The note has a control character or an unpaired surrogate.');
  }
  const end = sent.lastIndexOf('\n\n');
  if (end === -1) throw new Malformed('The note has no empty line between its text and its signatures.');
  return { text: sent.slice(0, end + 1), signatures: signaturesOf(sent.slice(end + 2)) };
}

/** The signatures of lines, as a witness returns them too (tlog-witness, "add-checkpoint"). @throws Malformed */
export function signaturesOf(lines: string): readonly NoteSignature[] {
  if (!lines.endsWith('\n')) throw new Malformed('The signature lines do not end with a newline.');
  const each = lines.slice(0, -1).split('\n');
  if (each.length > MOST_SIGNATURES) throw new Malformed(`The note has more than ${MOST_SIGNATURES} signatures.`);
  return each.map(signatureOfLine);
}

function signatureOfLine(line: string): NoteSignature {
  const [, name = '', base64 = ''] = /^— ([^ ]+) ([^ ]+)$/.exec(line) ?? [];
  const bytes = isKeyName(name) ? bytesOfBase64(base64) : Uint8Array.of();
  if (bytes.length < 5) throw new Malformed(`${JSON.stringify(line)} is not a signature line.`);
  return { name, id: hexOf(bytes.subarray(0, 4)), signature: bytes.subarray(4) };
}
