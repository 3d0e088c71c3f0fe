import { Malformed, textOfUtf8, utf8 } from '../../../domain/log/encoding.ts';
import { leafBytes } from '../../../domain/log/leaves/leaf.ts';
import { type DecisionOpening, type OutcomeOpening, openingOf } from '../../../domain/log/leaves/opening.ts';
import { isStated, opensLeaf } from '../../../domain/log/leaves/verify-opening.ts';
import { checkpointOf } from '../../../domain/log/notes/checkpoint.ts';
import { noteOf } from '../../../domain/log/notes/note.ts';
import { MOST_TILE_WIDTH, openingsPath } from '../../../domain/log/tree/tile.ts';
import { canonicalJson } from './decisions-line.ts';
import { isOutcome } from './outcome-lines.ts';
import type { ReadServed } from './read-log.ts';
import { sha256 } from './sha256.ts';
import type { HasLeaf } from './tree-of-log.ts';

/** A leaf with an opening that leads to it. */
export interface OpenedLeaf {
  readonly index: number;
  readonly opening: DecisionOpening | OutcomeOpening;
}

/** A checkpoint as a signed note, with the number of its leaves. */
export interface SizedNote {
  readonly size: number;
  readonly note: string;
}

/** What a log serves as the openings of an entry bundle. */
export interface BundleOpenings {
  /** The smallest first. The first with more leaves than an index is that of the proof of its decision. */
  readonly notes: readonly SizedNote[];
  /** In the order of the leaves. */
  readonly opened: readonly OpenedLeaf[];
  /** What is wrong with other openings, in words, by the index of the leaf. */
  readonly faults: ReadonlyMap<number, string>;
}

/**
 * Reads the reply of `/log/N/openings/BUNDLE`, and checks each opening against the leaf that it names. Whether the log has
 * that leaf at that index, and whether the notes are of its tree, is the caller's to check (`readOpenings`).
 * @param bundle the number of the entry bundle
 * @throws Malformed for a text that is no such reply
 */
export function openingsIn(text: string, bundle: number): BundleOpenings {
  const lines = text.split('\n').slice(0, -1).map(objectOf);
  const notes = lines.flatMap((each) => (typeof each.note === 'string' ? [sizedNote(each.note)] : []));
  const from = bundle * MOST_TILE_WIDTH;
  const opened: OpenedLeaf[] = [];
  const faults = new Map<number, string>();
  for (const [n, { index, opening }] of lines.slice(notes.length).entries()) {
    if (typeof index !== 'number' || !Number.isSafeInteger(index) || index < from || index >= from + MOST_TILE_WIDTH)
      throw new Malformed(`Line ${notes.length + n + 1} is not that of a leaf of the bundle ${bundle}.`);
    if (faults.has(index) || opened.some((each) => each.index === index)) faults.set(index, 'it is opened twice');
    else openInto(opened, faults, index, opening);
  }
  return {
    notes: notes.toSorted((a, b) => a.size - b.size),
    opened: opened.filter(({ index }) => !faults.has(index)),
    faults,
  };
}

/**
 * The same of the openings that a log serves, of leaves that its tree has: one that is no leaf at its index is a fault.
 * @param size of the tree that was read; what came later is left out
 */
export async function readOpenings(
  served: ReadServed,
  hasLeaf: HasLeaf,
  bundle: number,
  size: number,
): Promise<BundleOpenings> {
  const sent = openingsIn(textOfUtf8(await served(openingsPath(bundle))), bundle);
  const faults = new Map([...sent.faults].filter(([index]) => index < size));
  const opened: OpenedLeaf[] = [];
  for (const each of sent.opened.filter(({ index }) => index < size)) {
    if (await hasLeaf(each.index, leafBytes(each.opening.leaf))) opened.push(each);
    else faults.set(each.index, 'the opening is that of another leaf');
  }
  return { notes: sent.notes, opened, faults };
}

function openInto(opened: OpenedLeaf[], faults: Map<number, string>, index: number, sent: unknown): void {
  try {
    const opening = openingOf(utf8(canonicalJson(sent)), canonicalJson);
    if (!isStated(opening) && !isOutcome(opening)) throw new Malformed('the opening is of no decision');
    if (!opensLeaf(opening, canonicalJson, sha256)) throw new Malformed('the opening is not that of the leaf');
    opened.push({ index, opening });
  } catch (error) {
    // A value without a canonical form opens no leaf.
    faults.set(index, error instanceof Malformed ? error.message : 'the opening has no RFC 8785 form');
  }
}

function sizedNote(note: string): SizedNote {
  return { size: checkpointOf(noteOf(note).text).size, note };
}

function objectOf(text: string, line: number): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // The message below says it.
  }
  throw new Malformed(`Line ${line + 1} of the openings is no JSON object.`);
}
