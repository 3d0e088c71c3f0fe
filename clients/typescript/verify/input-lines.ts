import { isStated } from '../../../domain/log/leaves/verify-opening.ts';
import { sha256 } from './sha256.ts';
import { type Line, line } from './verdict.ts';
import type { VerifiedProof } from './verify-file.ts';

/** A file that a decision may have been made from. */
export interface InputFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const SUBJECT = 'input';

const CLOSED = 'the receipt does not show the statement: get it again with --opening full';

/**
 * Whether the statement of a decision names each of these files by its digest. Only a receipt that shows the whole statement
 * can say that; a grade and a plan have no line.
 */
export function inputLines({ content, lines }: VerifiedProof, files: readonly InputFile[]): readonly Line[] {
  const { opening } = content ?? {};
  if (!opening || !isStated(opening)) return [];
  const { owner } = opening;
  const isOpen = lines.some(({ subject, verdict }) => subject === 'statement' && verdict === 'holds');
  return files.map(({ name, bytes }) => {
    if (owner === undefined) return line('not checked', SUBJECT, CLOSED);
    if (!isOpen) return line('not checked', SUBJECT, 'see statement');
    const inputs = inputsOf(owner.statement);
    const digest = Array.from(sha256(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
    const same = inputs.filter((input) => input.sha256 === digest).map((input) => `${input.kind} ${input.name}`);
    if (same.length > 0) return line('holds', SUBJECT, `${name} is ${same.join(' and ')}`);
    const known = inputs.map((input) => `${input.kind} ${input.name}`).join(', ');
    return line('FAILS', SUBJECT, `${name} is none of the inputs of the statement: ${known || 'it names none'}`);
  });
}

interface Input {
  readonly kind: unknown;
  readonly name: unknown;
  readonly sha256: unknown;
}

/** What the statement says, which may be anything. */
function inputsOf(statement: string): readonly Input[] {
  try {
    const { inputs } = JSON.parse(statement).body;
    return Array.isArray(inputs) ? inputs.filter((input) => typeof input === 'object' && input !== null) : [];
  } catch {
    return [];
  }
}
