import { isGraded } from '../../../domain/log/leaves/leaf-audit.ts';
import { type Draw, mostFaulty, sampleOf } from './sample.ts';
import { type Finding, findingOf, type ReadPublic } from './shown-decision.ts';
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
const CLOSED_WITHIN = 86_400 + 900;

export interface LookedUp {
  readonly line: Line;
  readonly missing: Missing;
}

/**
 * Looks up graded decisions that it draws itself, and those that an earlier audit did not find. One that is not shown may have
 * been closed, and its leaf follows within a day; after that it is a fault.
 * @param states one byte per index, as `leafAudit` keeps it @param now POSIX seconds
 */
export async function decisionsLine(
  { read, draw, sample, begin }: Lookup,
  hasLeaf: HasLeaf,
  states: Uint8Array,
  { before, now }: { readonly before: Missing; readonly now: number },
): Promise<LookedUp> {
  const graded = gradedIn(states);
  const drawn = sampleOf(graded, sample, draw);
  const earlier = graded.filter((index) => before.has(index) && !drawn.includes(index));
  const findings = new Map<number, Finding>();
  begin?.(drawn.length + earlier.length);
  for (const index of [...drawn, ...earlier]) findings.set(index, await findingOf(read, hasLeaf, index));
  const absent = [...findings].filter(([, finding]) => finding === 'missing').map(([index]) => index);
  const missing = new Map(absent.map((index) => [index, before.get(index) ?? now]));
  return { line: lineOf(findings, missing, { drawn: drawn.length, graded: graded.length, now }), missing };
}

function lineOf(
  findings: ReadonlyMap<number, Finding>,
  missing: Missing,
  { drawn, graded, now }: { readonly drawn: number; readonly graded: number; readonly now: number },
): Line {
  const altered = [...findings].flatMap(([index, finding]) =>
    typeof finding === 'object' && finding !== null ? [`leaf ${index}: ${finding.altered}`] : [],
  );
  const overdue = [...missing].filter(([, since]) => now - since > CLOSED_WITHIN);
  const [first] = [
    ...altered,
    ...overdue.map(([index]) => `leaf ${index} is graded, not shown for a day, and not closed`),
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
    const detail = `${missing.size} of ${findings.size} not shown, such as leaf ${index}: a leaf may close it within a day`;
    return line('not checked', 'decisions', `${detail}; audit again then, with --since`);
  }
  const bound = `with 95 % under ${percent((mostFaulty(drawn, graded) + 1) / graded)} % of the ${graded} graded ones`;
  const scope = drawn === graded ? 'all graded ones were looked up' : bound;
  return line('holds', 'decisions', `0 of ${drawn} missing or altered: ${scope}`);
}

function gradedIn(states: Uint8Array): readonly number[] {
  const indexes: number[] = [];
  for (const [index, state] of states.entries()) if (isGraded(state)) indexes.push(index);
  return indexes;
}

/** Upwards to two digits. */
function percent(share: number): number {
  const digits = 10 ** (1 - Math.floor(Math.log10(100 * share)));
  return Math.min(100, Math.ceil(100 * share * digits - 1e-9) / digits);
}
