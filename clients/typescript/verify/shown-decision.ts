import { textOfUtf8 } from '../../../domain/log/encoding.ts';
import { leafBytes } from '../../../domain/log/leaves/leaf.ts';
import {
  type DecisionOpening,
  type Opening,
  type OutcomeOpening,
  openingOf,
} from '../../../domain/log/leaves/opening.ts';
import { isStated, opensLeaf } from '../../../domain/log/leaves/verify-opening.ts';
import { Malformed } from '../../../domain/log/malformed.ts';
import { proofOf } from '../../../domain/log/tree/tlog-proof.ts';
import { canonicalJson } from './canonical-json.ts';
import { firstDifference } from './first-difference.ts';
import { isOutcome } from './outcome-lines.ts';
import { sha256 } from './sha256.ts';
import type { HasLeaf } from './tree-of-log.ts';

/** Reads a path of the public interface, such as `log/17`; null for 404. */
export type ReadPublic = (path: string) => Promise<Uint8Array | null>;

/** What became of a graded leaf: null as logged, `missing` when it is not shown, else what differs, in words. */
export type Finding = 'missing' | { readonly altered: string } | null;

/** Compares the decision whose leaf has an index, as the service shows it, with the leaves of the decision and its outcome. */
export async function findingOf(read: ReadPublic, hasLeaf: HasLeaf, index: number): Promise<Finding> {
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
    if (stated.index !== index) throw new Malformed(`${record_id} has the leaf ${stated.index}`);
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
): Promise<{ readonly index: number; readonly opening: Opening }> {
  const { index, extra } = proofOf(textOfUtf8(file));
  const opening = openingOf(extra ?? Uint8Array.of(), canonicalJson);
  if (!opensLeaf(opening, canonicalJson, sha256))
    throw new Malformed(`the opening of leaf ${index} is not that of the leaf`);
  if (!(await hasLeaf(index, leafBytes(opening.leaf))))
    throw new Malformed(`leaf ${index} is not the one that is proved`);
  return { index, opening };
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
