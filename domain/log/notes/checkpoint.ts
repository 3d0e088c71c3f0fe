import { base64Of, hashOfBase64, numberOfDecimal } from '../encoding.ts';
import { Malformed } from '../malformed.ts';
import type { TreeHead } from '../tree/verify-proof.ts';

/** What a log signs: its identity, its size and its root (tlog-checkpoint, "Note text"). */
export interface LogCheckpoint extends TreeHead {
  readonly origin: string;
  /** Ours have none; those of other logs are signed with the rest. */
  readonly extensions: readonly string[];
}

/** The text of a checkpoint without extension lines, with its final newline. @throws Malformed for an impossible origin */
export function checkpointText({ origin, size, root }: Omit<LogCheckpoint, 'extensions'>): string {
  const text = `${origin}\n${size}\n${base64Of(root)}\n`;
  if (checkpointOf(text).origin !== origin) throw new Malformed(`${JSON.stringify(origin)} is not an origin.`);
  return text;
}

/** The checkpoint of a note's text. @throws Malformed */
export function checkpointOf(text: string): LogCheckpoint {
  if (!text.endsWith('\n')) throw new Malformed('The checkpoint does not end with a newline.');
  const lines = text.slice(0, -1).split('\n');
  const [origin = '', size = '', root = '', ...extensions] = lines;
  if (lines.length < 3 || lines.includes('')) {
    throw new Malformed('The checkpoint is not at least three lines that are not empty.');
  }
  return { origin, size: numberOfDecimal(size), root: hashOfBase64(root), extensions };
}
