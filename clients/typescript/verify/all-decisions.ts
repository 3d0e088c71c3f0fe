import { LOG } from '../../../domain/limits.ts';
import { Malformed, textOfUtf8, utf8 } from '../../../domain/log/encoding.ts';
import { leafBytes } from '../../../domain/log/leaves/leaf.ts';
import { LEAF_STATE, leafAudit } from '../../../domain/log/leaves/leaf-audit.ts';
import { type DecisionOpening, type OutcomeOpening, openingOf } from '../../../domain/log/leaves/opening.ts';
import { isStated, opensLeaf } from '../../../domain/log/leaves/verify-opening.ts';
import { checkpointOf } from '../../../domain/log/notes/checkpoint.ts';
import { noteOf } from '../../../domain/log/notes/note.ts';
import { MOST_TILE_WIDTH, openingsPath } from '../../../domain/log/tree/tile.ts';
import { SECOND } from '../../../domain/time.ts';
import type { OpenedDecision } from './audit-times.ts';
import { canonicalJson, closingText, gradedIn, type Missing, overdueOf, type Remembered } from './decisions-line.ts';
import { isOutcome } from './outcome-lines.ts';
import type { ReadServed } from './read-log.ts';
import { sha256 } from './sha256.ts';
import type { SnapshotReading } from './snapshot-line.ts';
import type { HasLeaf } from './tree-of-log.ts';
import { type Line, line } from './verdict.ts';

/** How all decisions of a log are opened. */
export interface WholeLookup {
  /** Is called before the first one, with the number of entry bundles: this may take long. */
  readonly begin?: (bundles: number) => void;
  /** What graded decisions are compared with; null for nothing. */
  readonly snapshot?: SnapshotReading | null;
  /** Is called with each graded decision that was opened, after it was judged; those of a snapshot go there by default. */
  readonly graded?: SnapshotReading['add'];
}

/** A log that was read, and is to be opened. */
export interface ReadTree {
  readonly served: ReadServed;
  readonly hasLeaf: HasLeaf;
  /** One byte per index, as `leafAudit` keeps it. */
  readonly states: Uint8Array;
}

export interface OpenedAll {
  /** The line `decisions`, and `snapshot` where there is one. */
  readonly lines: readonly Line[];
  readonly missing: Missing;
}

/**
 * Opens every decision of a log by what the log serves as openings, and says which graded ones are not among them: the
 * rules for these are those of `decisionsLine`.
 * @param judge is called with each decision whose leaf was opened
 */
export async function allDecisions(
  { served, hasLeaf, states }: ReadTree,
  judge: (decision: OpenedDecision) => Promise<void>,
  remembered: Remembered,
  { begin, snapshot = null, graded = snapshot?.add }: WholeLookup,
): Promise<OpenedAll> {
  const bundles = Math.ceil(states.length / MOST_TILE_WIDTH);
  const opened = openedDecisions(states, judge, graded);
  begin?.(bundles);
  for (let bundle = 0; bundle < bundles; bundle += 1) {
    await opened.add(await readOpenings(served, hasLeaf, bundle, states.length));
  }
  const absent = gradedIn(states).filter((index) => !opened.isWhole(index) && !opened.altered.has(index));
  const missing = new Map(absent.map((index) => [index, remembered.before.get(index) ?? remembered.now]));
  const compared = snapshot ? [snapshot.line(states, missing.size)] : [];
  return { lines: [lineOf(opened, states, missing, remembered), ...compared], missing };
}

interface Opened {
  add(openings: BundleOpenings): Promise<void>;
  /** Whether a decision and its outcome were opened. */
  isWhole(index: number): boolean;
  isOpened(index: number): boolean;
  /** What is wrong, by the index of a leaf. */
  readonly altered: ReadonlyMap<number, string>;
  /** The last index that a decision has which was submitted before a time; -1 for none. */
  lastBefore(time: number): number;
}

const [DECISION, OUTCOME] = [1, 2];

function openedDecisions(
  states: Uint8Array,
  judge: (decision: OpenedDecision) => Promise<void>,
  graded: SnapshotReading['add'] | undefined,
): Opened {
  const flags = new Uint8Array(states.length);
  const altered = new Map<number, string>();
  const records = new Map<string, number>();
  const submitted: { readonly index: number; readonly at: number }[] = [];
  const pair = graded && pairedOpenings(graded);
  const decide = async (index: number, opening: DecisionOpening, checkpoint: string | undefined) => {
    const { record_id, submission_time } = opening.public_statement;
    const other = records.get(record_id);
    if (other !== undefined) altered.set(index, `${record_id} is also the record of leaf ${other}`);
    else if (checkpoint === undefined) altered.set(index, `the checkpoint of its proof is missing`);
    else {
      records.set(record_id, index);
      flags[index] = (flags[index] ?? 0) | DECISION;
      if (opening.leaf.t === 'decision') submitted.push({ index, at: Date.parse(submission_time) });
      await judge({ opening, proof: { index, checkpoint, hashes: null } });
    }
  };
  return {
    altered,
    isWhole: (index) => flags[index] === (DECISION | OUTCOME),
    isOpened: (index) => ((flags[index] ?? 0) & DECISION) !== 0,
    lastBefore: (time) => submitted.reduce((last, { index, at }) => (at < time ? Math.max(last, index) : last), -1),
    async add({ notes, opened, faults }) {
      for (const [index, fault] of faults) altered.set(index, fault);
      for (const { index, opening } of opened) {
        if (isStated(opening)) await decide(index, opening, notes.find(({ size }) => size > index)?.note);
        else flags[opening.leaf.of] = (flags[opening.leaf.of] ?? 0) | OUTCOME;
        pair?.(index, opening);
      }
    },
  };
}

/** Brings the openings of a decision and of its outcome together. */
function pairedOpenings(add: SnapshotReading['add']) {
  const decisions = new Map<number, DecisionOpening>();
  return (index: number, opening: DecisionOpening | OutcomeOpening): void => {
    if (isStated(opening)) {
      decisions.set(index, opening);
      return;
    }
    const { of } = opening.leaf;
    const decision = decisions.get(of);
    decisions.delete(of);
    if (decision) add(decision, opening);
  };
}

function lineOf(opened: Opened, states: Uint8Array, missing: Missing, remembered: Remembered): Line {
  const { graded } = leafAudit(states).counts();
  const overdue = overdueOf(missing, remembered);
  const [first] = [
    ...[...opened.altered].map(([index, fault]) => `leaf ${index}: ${fault}`),
    ...overdue.map((index) => `leaf ${index} is graded, not shown for a day, and not closed`),
  ];
  const rest = `not opened: ${unopened(opened, states, missing, remembered.now)}`;
  if (first)
    return line(
      'FAILS',
      'decisions',
      `${opened.altered.size + overdue.length} of ${graded} missing or altered; ${first}`,
    );
  if (missing.size > 0) {
    const [index] = missing.keys();
    const detail = `${missing.size} of ${graded} not shown, such as leaf ${index}`;
    return line('not checked', 'decisions', `${detail}: ${closingText(remembered)}; ${rest}`);
  }
  if (graded === 0) return line('not checked', 'decisions', `none is graded; ${rest}`);
  return line('holds', 'decisions', `0 of ${graded} missing or altered: all graded ones were opened; ${rest}`);
}

/**
 * What an operator could have left out: what is closed, not shown, or open for longer than any window lasts. A leaf shows
 * no time; those before a leaf of an opened decision are as old, or out of order.
 */
function unopened(opened: Opened, states: Uint8Array, missing: Missing, now: number): string {
  const { stateOf, counts } = leafAudit(states);
  const open = [...states.keys()].filter((index) => stateOf(index) === LEAF_STATE.open && !opened.isOpened(index));
  const last = opened.lastBefore(now * SECOND - LOG.longestOpen - LOG.includedWithin);
  const old = open.filter((index) => index < last).length;
  const notShown = missing.size > 0 ? `, ${missing.size} graded` : '';
  return `${open.length} open, ${old} of them for longer than 380 days, ${counts().closed} closed${notShown}`;
}

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
