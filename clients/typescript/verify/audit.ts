import { equalBytes, Malformed, textOfUtf8 } from '../../../domain/log/encoding.ts';
import { countedLeaves } from '../../../domain/log/leaves/leaf.ts';
import { type LeafCounts, leafAudit } from '../../../domain/log/leaves/leaf-audit.ts';
import { type CheckpointTrust, checkpointOf, judgeCheckpoint } from '../../../domain/log/notes/checkpoint.ts';
import { noteOf, type SignedNote } from '../../../domain/log/notes/note.ts';
import { type LogPolicy, policyOf } from '../../../domain/log/notes/policy.ts';
import type { TreeHead } from '../../../domain/log/tree/proof.ts';
import { allDecisions, type WholeLookup } from './all-decisions.ts';
import { type AuditedTimes, auditedTimes, timesReading } from './audit-times.ts';
import { decisionsLine, type Lookup } from './decisions-line.ts';
import { continuesLines, growthOf, type ReadUrl } from './growth.ts';
import { isOfOneService } from './outcome-lines.ts';
import { type ExtendedReading, type ReadServed, readLog } from './read-log.ts';
import { NOTHING_SAVED, type SavedReading } from './saved-reading.ts';
import { sha256 } from './sha256.ts';
import type { CheckStamps } from './time-line.ts';
import { prefixesOfLog, treeOfLog } from './tree-of-log.ts';
import { counted, type Line, line } from './verdict.ts';

const NO_POLICY: LogPolicy = { logs: [], witnesses: [], groups: [], quorum: null };

export interface Audit {
  readonly lines: readonly Line[];
  /** For the next audit; null when this one failed. */
  readonly kept: SavedReading | null;
  /** How many of the decisions that it opened were late, and have a leaf that no earlier audit read. */
  readonly newLate: number;
}

/** What an audit has in addition to the files of the log. */
export interface AuditMeans {
  /** POSIX seconds. */
  readonly now: number;
  /** Whether the files are those that the log serves now, and no copy from before. */
  readonly live?: boolean;
  /** null to look up no decision. */
  readonly lookup?: Lookup | null;
  /** Opens all decisions, instead of a lookup. */
  readonly all?: WholeLookup | null;
  /** null without trusted time-stamp authorities. */
  readonly stamps?: CheckStamps | null;
  /** Reads what witnesses of the policy serve; null to ask none. */
  readonly ask?: ReadUrl | null;
  /** The text of the tlog-policy that is served next to the log, which names later logs; null for none. */
  readonly servedPolicy?: string | null;
}

/** Seconds after which a log whose witnesses saw nothing newer counts as held back. */
const FRESH = 900;

/**
 * Reads a whole log, or what came since an earlier audit, and checks its checkpoint, that its leaves have the root that
 * is signed, the rules of leaves, and whether the service shows decisions as they are logged.
 * @param policy the text of a tlog-policy; null for none
 * @param kept what an earlier audit kept; null for none
 */
export async function auditLog(
  served: ReadServed,
  policy: string | null,
  kept: SavedReading | null,
  means: AuditMeans,
): Promise<Audit> {
  try {
    return await audited(served, policyIn(policy), kept ?? NOTHING_SAVED, means);
  } catch (error) {
    if (error instanceof Malformed) return failed([line('FAILS', 'form', error.message)]);
    throw error;
  }
}

const NO_LOOKUP = 'none was looked up: that needs --log with a URL, and --sample above 0 or --all';

function failed(lines: readonly Line[]): Audit {
  return { lines, kept: null, newLate: 0 };
}

async function audited(served: ReadServed, policy: LogPolicy, since: SavedReading, means: AuditMeans): Promise<Audit> {
  const note = noteOf(textOfUtf8(await served('checkpoint')));
  const trust = await judgeCheckpoint(note, policy, ed25519Verify);
  const stamps = await means.stamps?.(note);
  const { origin, size, root } = checkpointOf(note.text);
  const signatures = [signatureLine(trust, policy), witnessLine(trust, policy), ...(stamps ? [stamps.line] : [])];
  const ended = endedText(origin, means.servedPolicy ?? null);
  const { lines: growth, grown } = await growthOf(served, since, { origin, size, root });
  if (!grown) return failed([...signatures, ...growth]);
  const read = contentLines(grown, root, hasFailed(growth) ? NOTHING_SAVED : since);
  const trustOf = (each: SignedNote) => judgeCheckpoint(each, policy, ed25519Verify);
  const judges = { witnesses: policy.witnesses, trustOf, ask: means.ask ?? null };
  const by = hasFailed(read) ? [] : await continuesLines(served, { size, root }, grown.continued, judges);
  const content = [...growth, ...read, ...by];
  const { edge, states, bundles, continued } = grown;
  const shown = hasFailed(content)
    ? notLookedUp('see the line that fails', since)
    : await lookedUp(served, policy, { since, head: { size, root }, states, ended }, means);
  const lines = [...signatures, freshLine(trust, means.now, ended), ...content, ...shown.lines];
  if (hasFailed(lines)) return { ...failed(lines), newLate: shown.newLate };
  const reads = readsAfter(since, { ...trust.checkpoint, at: means.live ? means.now : trust.quorumAt });
  // The states after a leaf that is not known here would stay wrong for a newer verifier.
  if (grown.firstNewer !== null) return { lines, kept: null, newLate: shown.newLate };
  const kept = { ...since, origin, size, edge, states, bundles, continued, missing: shown.missing, reads };
  return { lines, kept, newLate: shown.newLate };
}

/** A log whose leaves were read, and are those that were signed or not. */
export interface CheckedLog {
  /** The lines signature, witnesses, leaves and rules. */
  readonly lines: readonly Line[];
  readonly head: TreeHead;
  /** One byte per index, as `leafAudit` keeps it. */
  readonly states: Uint8Array;
  readonly isSigned: boolean;
}

/** Reads a whole log, as an audit without an earlier one does. @param each is called with every leaf */
export async function checkedLog(
  served: ReadServed,
  policy: LogPolicy,
  each: (leaf: Uint8Array) => void,
): Promise<CheckedLog> {
  const note = noteOf(textOfUtf8(await served('checkpoint')));
  const trust = await judgeCheckpoint(note, policy, ed25519Verify);
  const { size, root } = checkpointOf(note.text);
  const grown = await readLog(served, NOTHING_SAVED, size, each);
  const lines = [signatureLine(trust, policy), witnessLine(trust, policy), ...contentLines(grown, root, NOTHING_SAVED)];
  return { lines, head: { size, root }, states: grown.states, isSigned: isAudited(lines) };
}

/** Of one size the last time counts: it says the most. A copy of a log is as old as its cosignatures say, or of no known age. */
function readsAfter({ reads }: SavedReading, { size, at }: { readonly size: number; readonly at: number | null }) {
  if (at === null) return reads;
  const latest = Math.max(at, ...reads.filter((each) => each[0] === size).map(([, time]) => time));
  return [...reads.filter((each) => each[0] !== size), [size, latest] as const];
}

interface LookedUpLines extends Pick<Audit, 'lines' | 'newLate'>, Pick<SavedReading, 'missing'> {}

function notLookedUp(reason: string, { missing }: SavedReading): LookedUpLines {
  const lines = ['decisions', 'order', 'time'].map((subject) => line('not checked', subject, reason));
  return { lines, missing, newLate: 0 };
}

interface ReadTree {
  readonly since: SavedReading;
  readonly head: TreeHead;
  readonly states: Uint8Array;
  /** As `endedText` says it. */
  readonly ended: string | null;
}

async function lookedUp(
  served: ReadServed,
  policy: LogPolicy,
  { since, head, states, ended }: ReadTree,
  { now, lookup, all, stamps = null }: AuditMeans,
): Promise<LookedUpLines> {
  const trustOf = (note: SignedNote) => judgeCheckpoint(note, policy, ed25519Verify);
  const judges = { trustOf, stamps, reads: since.reads, size: head.size, startsWith: prefixesOfLog(served, head) };
  const [hasLeaf, remembered] = [treeOfLog(served, head), { before: since.missing, now, ended }];
  if (all) {
    const reading = timesReading(judges);
    const found = await allDecisions({ served, hasLeaf, states }, reading.add, remembered, all);
    return withTimes(found.lines, reading.audited(), found, since);
  }
  if (!lookup) return notLookedUp(NO_LOOKUP, since);
  const found = await decisionsLine(lookup, hasLeaf, states, remembered);
  return withTimes([found.line], await auditedTimes(found.opened, judges), found, since);
}

function withTimes(
  decisions: readonly Line[],
  times: AuditedTimes,
  { missing }: Pick<SavedReading, 'missing'>,
  { size }: SavedReading,
): LookedUpLines {
  const newLate = times.late.filter((index) => index >= size).length;
  return { lines: [...decisions, ...times.lines], missing, newLate };
}

/** Whether the lines of an audit say that the leaves are those that were signed. */
export function isAudited(lines: readonly Line[]): boolean {
  const holds = (subject: string) => lines.some((each) => each.subject === subject && each.verdict === 'holds');
  return !hasFailed(lines) && ['signature', 'leaves', 'rules'].every(holds);
}

function hasFailed(lines: readonly Line[]): boolean {
  return lines.some(({ verdict }) => verdict === 'FAILS');
}

/** Words about a log that ended, as its service has a later one in its policy; null for the newest. */
function endedText(origin: string, servedPolicy: string | null): string | null {
  const numberOf = (name: string) => Number(/\/(\d+)$/.exec(name)?.[1] ?? 0);
  const names = logsIn(servedPolicy).filter((name) => isOfOneService(name, origin));
  const last = Math.max(0, ...names.map(numberOf));
  if (last <= numberOf(origin)) return null;
  return `${origin} ended; use --log .../log/${last} with the same --since`;
}

function logsIn(servedPolicy: string | null): readonly string[] {
  try {
    return policyIn(servedPolicy).logs.map(({ key }) => key.name);
  } catch (error) {
    if (error instanceof Malformed) return [];
    throw error;
  }
}

/** @param ended as `endedText` says it: no witness sees a log again that another one goes on with */
function freshLine({ cosignatures }: CheckpointTrust, now: number, ended: string | null): Line {
  if (cosignatures.length === 0) return line('not checked', 'freshness', 'no known witness saw the checkpoint');
  const age = now - Math.max(...cosignatures.map(({ time }) => time));
  if (age > FRESH && ended !== null) return line('not checked', 'freshness', ended);
  return line(
    age <= FRESH ? 'holds' : 'FAILS',
    'freshness',
    `a witness saw it ${age} s ago; at most ${FRESH} s is fresh`,
  );
}

function contentLines(grown: ExtendedReading, root: Uint8Array, since: SavedReading): readonly Line[] {
  const { size } = grown;
  const isSigned = equalBytes(grown.root, root);
  const added = size - since.size;
  const content =
    since.size > 0
      ? `the ${since.size} known ${since.size === 1 ? 'leaf' : 'leaves'} and ${counted(added, 'new one')}`
      : countedLeaves(size);
  const have = since.size === 0 && size === 1 ? ['has', 'does not have'] : ['have', 'do not have'];
  return [
    line(isSigned ? 'holds' : 'FAILS', 'leaves', `${content} ${have[isSigned ? 0 : 1]} the root of the checkpoint`),
    rulesLine(grown),
  ];
}

function rulesLine({ states, faults, firstNewer }: ExtendedReading): Line {
  if (faults.length > 0) return line('FAILS', 'rules', `${counted(faults.length, 'fault')}; ${faults[0]}`);
  if (firstNewer !== null)
    return line('not checked', 'rules', `get a newer verifier: this one does not know leaf ${firstNewer}`);
  return line('holds', 'rules', countsIn(leafAudit(states).counts()));
}

function countsIn({ decisions, imported, open, graded, closed, closedUngraded }: LeafCounts): string {
  const sum = `${decisions} decisions + ${imported} imported = ${open} open + ${graded} graded + ${closed} closed`;
  if (closed === 0) return sum;
  const ungraded = [...closedUngraded].map(([reason, count]) => `${count} ${reason}`);
  const before = [...closedUngraded.values()].reduce((total, count) => total + count, 0);
  const reasons = before > 0 ? ` (${ungraded.join(', ')})` : '';
  return `${sum}: ${before} before a grade${reasons}, ${closed - before} after one`;
}

/** The policy of a text; one without any key for null. @throws Malformed */
export function policyIn(text: string | null): LogPolicy {
  return text === null ? NO_POLICY : policyOf(text, sha256);
}

export function namesLog({ logs }: LogPolicy, origin: string): boolean {
  return logs.some(({ key }) => key.name === origin);
}

/** A log that goes on with another one has a key of its own, which a policy from before does not have. */
export function unnamedText(origin: string): string {
  return `no line of ${origin} in the policy; add it`;
}

export function signatureLine({ checkpoint, signed, invalid }: CheckpointTrust, policy: LogPolicy): Line {
  const { origin, size } = checkpoint;
  if (policy === NO_POLICY)
    return line('not checked', 'signature', `without a policy the key of ${origin} is not known`);
  if (invalid.length > 0) return line('FAILS', 'signature', `a signature by ${invalid.join(', ')} does not verify`);
  if (!namesLog(policy, origin)) return line('not checked', 'signature', unnamedText(origin));
  if (!signed) return line('FAILS', 'signature', `no key of ${origin} in the policy signed the checkpoint`);
  return line('holds', 'signature', `${origin} signed its first ${size === 1 ? 'leaf' : countedLeaves(size)}`);
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
