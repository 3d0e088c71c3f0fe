import { equalBytes, Malformed, textOfUtf8 } from '../../../domain/log/encoding.ts';
import { type LeafCounts, leafAudit } from '../../../domain/log/leaves/leaf-audit.ts';
import { type CheckpointTrust, checkpointOf, judgeCheckpoint } from '../../../domain/log/notes/checkpoint.ts';
import { noteOf } from '../../../domain/log/notes/note.ts';
import { type LogPolicy, policyOf } from '../../../domain/log/notes/policy.ts';
import { decisionsLine, type Lookup } from './decisions-line.ts';
import { type ExtendedReading, type ReadServed, readLog } from './read-log.ts';
import { NOTHING_SAVED, type SavedReading } from './saved-reading.ts';
import { sha256 } from './sha256.ts';
import { treeOfLog } from './tree-of-log.ts';
import { counted, type Line, line } from './verdict.ts';

const NO_POLICY: LogPolicy = { logs: [], witnesses: [], groups: [], quorum: null };

export interface Audit {
  readonly lines: readonly Line[];
  /** For the next audit; null when this one failed. */
  readonly kept: SavedReading | null;
}

/** Seconds after which a log whose witnesses saw nothing newer counts as held back. */
const FRESH = 900;

/**
 * Reads a whole log, or what came since an earlier audit, and checks its checkpoint, that its leaves have the root that
 * is signed, the rules of leaves, and whether the service shows decisions as they are logged.
 * @param policy the text of a tlog-policy; null for none
 * @param kept what an earlier audit kept; null for none
 * @param now POSIX seconds
 * @param lookup null to look up no decision
 */
export async function auditLog(
  served: ReadServed,
  policy: string | null,
  kept: SavedReading | null,
  now: number,
  lookup: Lookup | null = null,
): Promise<Audit> {
  try {
    return await audited(served, policyIn(policy), kept ?? NOTHING_SAVED, { now, lookup });
  } catch (error) {
    if (error instanceof Malformed) return { lines: [line('FAILS', 'form', error.message)], kept: null };
    throw error;
  }
}

const NO_LOOKUP = 'none was looked up: that needs --log with a URL, and --sample above 0';

async function audited(
  served: ReadServed,
  policy: LogPolicy,
  since: SavedReading,
  { now, lookup }: { readonly now: number; readonly lookup: Lookup | null },
): Promise<Audit> {
  const note = noteOf(textOfUtf8(await served('checkpoint')));
  const trust = await judgeCheckpoint(note, policy, ed25519Verify);
  const { origin, size, root } = checkpointOf(note.text);
  const signatures = [signatureLine(trust, policy), witnessLine(trust, policy)];
  if (since.size > size || (since.size > 0 && since.origin !== origin)) {
    const found = line('FAILS', 'growth', `${origin} has ${size} leaves; ${since.origin} had ${since.size}`);
    return { lines: [...signatures, found], kept: null };
  }
  const grown = await readLog(served, since, size);
  const content = contentLines(grown, root, since);
  const { edge, states } = grown;
  const { line: shown, missing } =
    lookup && !hasFailed(content)
      ? await decisionsLine(lookup, treeOfLog(served, { size, root }), states, { before: since.missing, now })
      : {
          line: line('not checked', 'decisions', lookup ? 'see the line that fails' : NO_LOOKUP),
          missing: since.missing,
        };
  const lines = [...signatures, freshLine(trust, now), ...content, shown];
  return { lines, kept: hasFailed(lines) ? null : { ...since, origin, size, edge, states, missing } };
}

/** Whether the lines of an audit say that the leaves are those that were signed. */
export function isAudited(lines: readonly Line[]): boolean {
  const holds = (subject: string) => lines.some((each) => each.subject === subject && each.verdict === 'holds');
  return !hasFailed(lines) && ['signature', 'leaves', 'rules'].every(holds);
}

function hasFailed(lines: readonly Line[]): boolean {
  return lines.some(({ verdict }) => verdict === 'FAILS');
}

function freshLine({ cosignatures }: CheckpointTrust, now: number): Line {
  if (cosignatures.length === 0) return line('not checked', 'freshness', 'no known witness saw the checkpoint');
  const age = now - Math.max(...cosignatures.map(({ time }) => time));
  return line(
    age <= FRESH ? 'holds' : 'FAILS',
    'freshness',
    `a witness saw it ${age} s ago; at most ${FRESH} s is fresh`,
  );
}

function contentLines(grown: ExtendedReading, root: Uint8Array, since: SavedReading): readonly Line[] {
  const { size, states, faults } = grown;
  const isSigned = equalBytes(grown.root, root);
  const content =
    since.size > 0 ? `the ${since.size} known leaves and ${size - since.size} new ones` : `${size} leaves`;
  const rules =
    faults.length === 0 ? countsIn(leafAudit(states).counts()) : `${counted(faults.length, 'fault')}; ${faults[0]}`;
  return [
    line(
      isSigned ? 'holds' : 'FAILS',
      'leaves',
      `${content} ${isSigned ? 'have' : 'do not have'} the root of the checkpoint`,
    ),
    line(faults.length === 0 ? 'holds' : 'FAILS', 'rules', rules),
  ];
}

function countsIn({ decisions, imported, open, graded, closed }: LeafCounts): string {
  return `${decisions} decisions + ${imported} imported = ${open} open + ${graded} graded + ${closed} closed`;
}

/** The policy of a text; one without any key for null. @throws Malformed */
export function policyIn(text: string | null): LogPolicy {
  return text === null ? NO_POLICY : policyOf(text, sha256);
}

export function signatureLine({ checkpoint, signed, invalid }: CheckpointTrust, policy: LogPolicy): Line {
  const { origin, size } = checkpoint;
  if (policy === NO_POLICY)
    return line('not checked', 'signature', `without a policy the key of ${origin} is not known`);
  if (invalid.length > 0) return line('FAILS', 'signature', `a signature by ${invalid.join(', ')} does not verify`);
  if (!signed) return line('FAILS', 'signature', `no key of ${origin} in the policy signed the checkpoint`);
  return line('holds', 'signature', `${origin} signed its first ${size} leaves`);
}

export function witnessLine({ signed, witnessed, cosignatures }: CheckpointTrust, policy: LogPolicy): Line {
  if (policy === NO_POLICY) return line('not checked', 'witnesses', 'without a policy no witness is known');
  if (policy.quorum === null) return line('not checked', 'witnesses', 'the policy names no quorum of witnesses');
  if (!signed) return line('not checked', 'witnesses', 'see signature');
  const names = cosignatures.map(({ witness }) => witness).join(', ') || 'none';
  return line(witnessed ? 'holds' : 'FAILS', 'witnesses', `seen by ${names}; the quorum is ${policy.quorum}`);
}

/** Whether the signature of the message is that of the key, by Web Crypto: Node.js and browsers have it. */
export async function ed25519Verify(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const { subtle } = globalThis.crypto;
  const key = await subtle.importKey('raw', Uint8Array.from(publicKey), 'Ed25519', false, ['verify']);
  return subtle.verify('Ed25519', key, Uint8Array.from(signature), Uint8Array.from(message));
}
