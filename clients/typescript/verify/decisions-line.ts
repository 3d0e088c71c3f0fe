import { Malformed, textOfUtf8 } from '../../../domain/log/encoding.ts';
import { leafBytes } from '../../../domain/log/leaves/leaf.ts';
import { isGraded } from '../../../domain/log/leaves/leaf-audit.ts';
import {
  type DecisionOpening,
  type Opening,
  type OutcomeOpening,
  openingOf,
} from '../../../domain/log/leaves/opening.ts';
import { isStated, opensLeaf } from '../../../domain/log/leaves/verify-opening.ts';
import { type LogProof, proofOf } from '../../../domain/log/tree/proof.ts';
import type { OpenedDecision } from './audit-times.ts';
import { type Draw, mostFaulty, sampleOf } from './command.ts';
import { firstDifference, isOutcome } from './outcome-lines.ts';
import { sha256 } from './sha256.ts';
import type { HasLeaf } from './tree-of-log.ts';
import { type Line, line } from './verdict.ts';

/** How graded leaves are looked up at the service. */
export interface Lookup {
  readonly read: ReadPublic;
  readonly draw: Draw;
  /** How many leaves, at least 1. */
  readonly sample: number;
  /** Is called before the first one, with the number of leaves: this may take long. */
  readonly begin?: (leaves: number) => void;
}

/** When each graded decision was first not shown, in POSIX seconds by the index of its leaf. */
export type Missing = ReadonlyMap<number, number>;

/** Seconds in which the leaf that closes a decision follows its closing: a day, and time to sign it. */
export const CLOSED_WITHIN = 86_400 + 900;

/** What an audit knows in addition to the log. */
export interface Remembered {
  readonly before: Missing;
  /** POSIX seconds. */
  readonly now: number;
  /** Of a log that ended, in words: its leaves are closed by leaves of a later one. */
  readonly ended?: string | null;
}

/** Those that are not shown for longer than the leaf takes that closes them. */
export function overdueOf(missing: Missing, { now, ended }: Remembered): readonly number[] {
  if (ended) return [];
  return [...missing].filter(([, since]) => now - since > CLOSED_WITHIN).map(([index]) => index);
}

/** What to do about those that are not shown. */
export function closingText({ ended }: Remembered): string {
  return ended ?? 'a leaf may close it within a day; audit again then, with --since';
}

export interface LookedUp {
  readonly line: Line;
  readonly missing: Missing;
  /** The decisions whose leaves were opened. */
  readonly opened: readonly OpenedDecision[];
}

/**
 * Looks up graded decisions that it draws itself, and those that an earlier audit did not find. One that is not shown may have
 * been closed, and its leaf follows within a day; after that it is a fault.
 * @param states one byte per index, as `leafAudit` keeps it
 */
export async function decisionsLine(
  { read, draw, sample, begin }: Lookup,
  hasLeaf: HasLeaf,
  states: Uint8Array,
  remembered: Remembered,
): Promise<LookedUp> {
  const { before, now } = remembered;
  const graded = gradedIn(states);
  const drawn = sampleOf(graded, sample, draw);
  const earlier = graded.filter((index) => before.has(index) && !drawn.includes(index));
  const findings = new Map<number, Finding>();
  const opened: OpenedDecision[] = [];
  begin?.(drawn.length + earlier.length);
  for (const index of [...drawn, ...earlier]) {
    findings.set(index, await findingOf(read, hasLeaf, index, (decision) => opened.push(decision)));
  }
  const absent = [...findings].filter(([, finding]) => finding === 'missing').map(([index]) => index);
  const missing = new Map(absent.map((index) => [index, before.get(index) ?? now]));
  return {
    line: lineOf(findings, missing, { drawn: drawn.length, graded: graded.length, remembered }),
    missing,
    opened,
  };
}

function lineOf(
  findings: ReadonlyMap<number, Finding>,
  missing: Missing,
  { drawn, graded, remembered }: { readonly drawn: number; readonly graded: number; readonly remembered: Remembered },
): Line {
  const altered = [...findings].flatMap(([index, finding]) =>
    typeof finding === 'object' && finding !== null ? [`leaf ${index}: ${finding.altered}`] : [],
  );
  const overdue = overdueOf(missing, remembered);
  const [first] = [
    ...altered,
    ...overdue.map((index) => `leaf ${index} is graded, not shown for a day, and not closed`),
  ];
  if (first) {
    return line(
      'FAILS',
      'decisions',
      `${altered.length + overdue.length} of ${findings.size} missing or altered; ${first}`,
    );
  }
  if (graded === 0) return line('not checked', 'decisions', 'none is graded');
  if (missing.size > 0) {
    const [index] = missing.keys();
    const detail = `${missing.size} of ${findings.size} not shown, such as leaf ${index}`;
    return line('not checked', 'decisions', `${detail}: ${closingText(remembered)}`);
  }
  const bound = `with 95 % under ${percent((mostFaulty(drawn, graded) + 1) / graded)} % of the ${graded} graded ones`;
  const scope = drawn === graded ? 'all graded ones were looked up' : bound;
  return line('holds', 'decisions', `0 of ${drawn} missing or altered: ${scope}`);
}

export function gradedIn(states: Uint8Array): readonly number[] {
  const indexes: number[] = [];
  for (const [index, state] of states.entries()) if (isGraded(state)) indexes.push(index);
  return indexes;
}

/** Upwards to two digits. */
function percent(share: number): number {
  const digits = 10 ** (1 - Math.floor(Math.log10(100 * share)));
  return Math.min(100, Math.ceil(100 * share * digits - 1e-9) / digits);
}

/** Reads a path of the public interface, such as `log/17`; null for 404. */
export type ReadPublic = (path: string) => Promise<Uint8Array | null>;

/** What became of a graded leaf: null as logged, `missing` when it is not shown, else what differs, in words. */
export type Finding = 'missing' | { readonly altered: string } | null;

/**
 * Compares the decision whose leaf has an index, as the service shows it, with the leaves of the decision and its outcome.
 * @param open is called with a decision whose leaf was opened
 */
export async function findingOf(
  read: ReadPublic,
  hasLeaf: HasLeaf,
  index: number,
  open: (decision: OpenedDecision) => void = () => undefined,
): Promise<Finding> {
  try {
    const found = await read(`log/${index}`);
    if (!found) return 'missing';
    const record_id = String(objectIn(found).record_id);
    if (!/^dec_\d{8}_[0-9a-f]{8}$/.test(record_id)) throw new Malformed(`its record is ${record_id.slice(0, 50)}`);
    const path = `decisions/${record_id}`;
    const [outcome, decision] = [await read(`${path}/proof?leaf=outcome`), await read(`${path}/proof?leaf=decision`)];
    const detail = await read(path);
    if (!outcome || !decision || !detail) return 'missing';
    const graded = await provedIn(outcome, hasLeaf);
    const stated = await provedIn(decision, hasLeaf);
    if (!isOutcome(graded.opening) || graded.opening.leaf.of !== index || !isStated(stated.opening))
      throw new Malformed(`${record_id} is proved by leaves of another decision`);
    if (stated.proof.index !== index) throw new Malformed(`${record_id} has the leaf ${stated.proof.index}`);
    open({ opening: stated.opening, proof: stated.proof });
    const difference = differenceOf(objectIn(detail), stated.opening, graded.opening);
    return difference === null ? null : { altered: `${record_id}: ${difference} as logged` };
  } catch (error) {
    if (error instanceof Malformed) return { altered: error.message };
    throw error;
  }
}

/** The opening of a proof file whose leaf is in the tree. @throws Malformed */
async function provedIn(
  file: Uint8Array,
  hasLeaf: HasLeaf,
): Promise<{ readonly proof: LogProof; readonly opening: Opening }> {
  const proof = proofOf(textOfUtf8(file));
  const { index, extra } = proof;
  const opening = openingOf(extra ?? Uint8Array.of(), canonicalJson);
  if (!opensLeaf(opening, canonicalJson, sha256))
    throw new Malformed(`the opening of leaf ${index} is not that of the leaf`);
  if (!(await hasLeaf(index, leafBytes(opening.leaf))))
    throw new Malformed(`leaf ${index} is not the one that is proved`);
  return { proof, opening };
}

function differenceOf(
  detail: Readonly<Record<string, unknown>>,
  { public_statement, commitment }: DecisionOpening,
  { public_outcome }: OutcomeOpening,
): string | null {
  const { v: _, ...statement } = public_statement;
  const { v: __, evidence: ___, ...outcome } = public_outcome;
  const { submission_origin, data_cutoff, submission_time } = statement;
  const window = { anchor_time: submission_origin === 'retroactive' ? data_cutoff : submission_time };
  const logged = { ...statement, ...outcome, commitment, window };
  return firstDifference(membersOf(logged, detail), logged);
}

/** A value with the members alone that the logged value has too: a detail shows more than what is logged. */
function membersOf(logged: unknown, shown: unknown): unknown {
  if (Array.isArray(logged) && Array.isArray(shown)) return shown.map((each, i) => membersOf(logged[i], each));
  if (!isObject(logged) || !isObject(shown)) return shown;
  const names = Object.keys(logged).filter((name) => Object.hasOwn(shown, name));
  return Object.fromEntries(names.map((name) => [name, membersOf(logged[name], shown[name])]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @throws Malformed for anything but a JSON object */
function objectIn(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(textOfUtf8(bytes));
    if (isObject(value)) return value;
  } catch {
    // The message below says it.
  }
  throw new Malformed('the service did not answer with a JSON object');
}

/**
 * The RFC 8785 form of a JSON value: names in the order of their UTF-16 code units, numbers and texts as ECMAScript
 * writes them. Members that are undefined are left out.
 * @throws TypeError for half of a surrogate pair, and for numbers that JSON does not have
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    members.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([name, member]) => `${canonicalJson(name)}:${canonicalJson(member)}`).join(',')}}`;
  }
  const isJson = typeof value === 'string' ? value.isWellFormed() : typeof value !== 'number' || Number.isFinite(value);
  const text = isJson ? JSON.stringify(value) : undefined;
  if (text === undefined) throw new TypeError(`${String(value)} has no canonical form.`);
  return text;
}
