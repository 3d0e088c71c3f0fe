import { bytesOfHex, equalBytes, hexOf, Malformed, textOfUtf8, utf8 } from '../../../domain/log/encoding.ts';
import { countedLeaves, leafBytes } from '../../../domain/log/leaves/leaf.ts';
import type { Continuation } from '../../../domain/log/leaves/leaf-audit.ts';
import { openingOf } from '../../../domain/log/leaves/opening.ts';
import { type CheckpointTrust, checkpointOf } from '../../../domain/log/notes/checkpoint.ts';
import { noteOf, type SignedNote } from '../../../domain/log/notes/note.ts';
import type { LogPolicy } from '../../../domain/log/notes/policy.ts';
import { proofOf, type TreeHead } from '../../../domain/log/tree/proof.ts';
import { MOST_TILE_WIDTH } from '../../../domain/log/tree/tile.ts';
import { canonicalJson } from './decisions-line.ts';
import { type ExtendedReading, isWhole, NOTHING_READ, type ReadServed, readLog } from './read-log.ts';
import type { SavedReading } from './saved-reading.ts';
import { sha256 } from './sha256.ts';
import { type HasLeaf, prefixesOfLog, treeOfLog } from './tree-of-log.ts';
import { type Line, line } from './verdict.ts';

/** A checkpoint that a log serves. */
export interface ServedHead extends TreeHead {
  readonly origin: string;
}

/** What became of the leaves that an earlier audit read. */
export interface Growth {
  /** Empty where nothing was read before, or where the leaves do not have the root of the checkpoint. */
  readonly lines: readonly Line[];
  /** Null where the log has fewer leaves than were read of it. */
  readonly grown: ExtendedReading | null;
}

/**
 * Reads a log on from where an earlier audit ended, also where that was another log, with whose leaves this one goes on. Only
 * where it does not lead to the root of the checkpoint, all is read, to say what is gone or changed.
 */
export async function growthOf(served: ReadServed, since: SavedReading, head: ServedHead): Promise<Growth> {
  if (since.size === 0) return { lines: [], grown: await readLog(served, since, head.size) };
  const isSame = since.origin === head.origin;
  const grown = head.size < since.size ? null : await readOn(served, since, head.size);
  const goesOn = isSame || (grown?.continued.some(({ index }) => index >= since.size) ?? false);
  if (grown && goesOn && equalBytes(grown.root, head.root)) return { lines: [grownLine(since, head)], grown };
  if (isSame && !grown) return { lines: [lostLine(since, head, null)], grown };
  if (isSame) return { lines: [], grown };
  const whole = await readLog(served, NOTHING_READ, head.size);
  return { lines: changedLines(since, head, whole), grown: whole };
}

/** Files of earlier versions do not have the roots of bundles: all is read once more, and must pass what was read before. */
async function readOn(served: ReadServed, since: SavedReading, size: number): Promise<ExtendedReading> {
  const grown = await readLog(served, since, size);
  if (isWhole(since)) return grown;
  const again = await readLog(served, NOTHING_READ, size);
  return equalBytes(again.root, grown.root) ? again : grown;
}

function grownLine(since: SavedReading, { origin }: ServedHead): Line {
  const known = `the ${countedLeaves(since.size)} that you saw`;
  const [are, them] = since.size === 1 ? ['is', 'it'] : ['are', 'them'];
  return since.origin === origin
    ? line('holds', 'growth', `${known} ${are} there`)
    : line('holds', 'growth', `${known} of ${since.origin} ${are} there: ${origin} goes on with ${them}`);
}

/** @param by the leaf by which the log says that it goes on with the one that was read; null for none */
function lostLine(since: SavedReading, { origin, size }: ServedHead, by: Continuation | null): Line {
  const stood = by === null ? size : by.index;
  const says =
    by === null || by.of !== since.origin
      ? 'and the log does not say so'
      : by.size >= since.size
        ? `and the log says so: ${by.of} had ${by.size}`
        : `and the log says that ${by.of} had ${by.size}`;
  const gone = since.size - stood;
  const are = `${countedLeaves(gone)} that you saw ${gone === 1 ? 'is' : 'are'} gone`;
  const now = by === null ? `${origin} has ${stood}` : `${origin} goes on with ${stood}`;
  return line('FAILS', 'growth', `${are}: you saw ${since.size} of ${since.origin}; ${now}, ${says}`);
}

function changedLines(since: SavedReading, head: ServedHead, whole: ExtendedReading): readonly Line[] {
  const named = whole.continued.find(({ of }) => of === since.origin);
  const by = named ?? whole.continued.find(({ index }) => index < since.size) ?? null;
  if (by === null) {
    const detail = `${head.origin} is another log than ${since.origin}, of which you saw ${countedLeaves(since.size)}`;
    return [line('FAILS', 'growth', `${detail}; it does not say that it goes on with them`)];
  }
  const shared = Math.min(by.index, since.size);
  const compared = Math.floor(Math.min(shared, isWhole(since) ? since.size : 0) / MOST_TILE_WIDTH);
  const changed = Array.from({ length: compared }, (_, bundle) => bundle).find(
    (bundle) => !equalBytes(rootOf(since.bundles, bundle), rootOf(whole.bundles, bundle)),
  );
  const lines = by.index < since.size ? [lostLine(since, head, by)] : [];
  if (changed !== undefined) {
    const [from, to] = [changed * MOST_TILE_WIDTH, (changed + 1) * MOST_TILE_WIDTH - 1];
    return [...lines, line('FAILS', 'growth', `leaves ${from} to ${to} are not those that you saw of ${since.origin}`)];
  }
  if (lines.length === 0) {
    const from = compared * MOST_TILE_WIDTH;
    return [
      line(
        'FAILS',
        'growth',
        `some of the leaves ${from} to ${shared - 1} are not those that you saw of ${since.origin}`,
      ),
    ];
  }
  return [...lines, ...tornLine(compared * MOST_TILE_WIDTH, shared)];
}

/** What was cut within a bundle cannot be compared: the hash that was kept is that of all its leaves. */
function tornLine(from: number, to: number): readonly Line[] {
  if (from === to) return [];
  const before = from > 0 ? `; those before are as you saw them` : '';
  return [line('not checked', 'growth', `the leaves ${from} to ${to - 1} could not be compared${before}`)];
}

function rootOf(bundles: Uint8Array, bundle: number): Uint8Array {
  return bundles.subarray(32 * bundle, 32 * (bundle + 1));
}

/** Reads what a URL serves; null where that is nothing, or cannot be read. */
export type ReadUrl = (url: string) => Promise<Uint8Array | null>;

/** What the signatures of a checkpoint are worth, by the policy of the reader. */
export type TrustOf = (note: SignedNote) => Promise<CheckpointTrust>;

/** Who can say how large a log was. */
export interface Witnesses {
  readonly witnesses: LogPolicy['witnesses'];
  readonly trustOf: TrustOf;
  /** Null where none is asked. */
  readonly ask: ReadUrl | null;
}

/**
 * A line for each log with whose leaves this one goes on: whether the tree that it names is the one that is served, and whether
 * no witness of the policy cosigned a larger one.
 */
export async function continuesLines(
  served: ReadServed,
  head: TreeHead,
  continued: readonly Continuation[],
  witnesses: Witnesses,
): Promise<readonly Line[]> {
  const startsWith = prefixesOfLog(served, head);
  const lines: Line[] = [];
  for (const each of continued) {
    const { index, of, size } = each;
    const tree = { size, root: bytesOfHex(each.root) };
    const known = size <= index && !(await startsWith(tree));
    if (known) {
      lines.push(
        line('FAILS', 'continues', `leaf ${index} says that ${of} had another tree of ${countedLeaves(size)}`),
      );
      continue;
    }
    const said = await saidOf(of, witnesses);
    const fault = await faultOf(said, each, startsWith);
    const found = fault === null ? continuesLine(each, said) : line('FAILS', 'continues', `leaf ${index}: ${fault}`);
    lines.push({ ...found, index });
  }
  return lines;
}

function continuesLine({ index, of, size }: Continuation, said: readonly Said[]): Line {
  const names = said.map(({ witness }) => witness).join(', ');
  const seen = names === '' ? 'no witness says how many it had' : `${names} saw no more`;
  if (size > index) {
    const gone = `${countedLeaves(size - index)} of ${of} ${size - index === 1 ? 'is' : 'are'} gone`;
    return line('not checked', 'continues', `${gone} from leaf ${index} on, as that says; ${seen}`);
  }
  const all = `leaf ${index}: the log goes on with the ${countedLeaves(size)} of ${of}; ${seen}`;
  return line(names === '' ? 'not checked' : 'holds', 'continues', all);
}

interface Said extends TreeHead {
  readonly witness: string;
}

/** The last checkpoints of a log that witnesses cosigned, by their word and by the key of the log. */
async function saidOf(origin: string, { witnesses, trustOf, ask }: Witnesses): Promise<readonly Said[]> {
  const said: Said[] = [];
  for (const { name, url } of witnesses) {
    const file =
      url === null || ask === null ? null : await ask(`${url.replace(/\/$/, '')}/${hexOf(sha256(origin))}/checkpoint`);
    if (file === null) continue;
    try {
      const { signed, cosignatures, checkpoint } = await trustOf(noteOf(textOfUtf8(file)));
      const isOwn = signed && checkpoint.origin === origin && cosignatures.some(({ witness }) => witness === name);
      if (isOwn) said.push({ witness: name, size: checkpoint.size, root: checkpoint.root });
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
    }
  }
  return said;
}

async function faultOf(
  said: readonly Said[],
  { index, of, size, root }: Continuation,
  startsWith: (head: TreeHead) => Promise<boolean>,
): Promise<string | null> {
  for (const each of said) {
    if (each.size > size)
      return `${each.witness} cosigned ${countedLeaves(each.size)} of ${of}; the log says that it had ${size}`;
    const isOther = each.size === size ? hexOf(each.root) !== root : each.size <= index && !(await startsWith(each));
    if (isOther) return `${each.witness} cosigned another tree of ${countedLeaves(each.size)} of ${of}`;
  }
  return null;
}

/**
 * Whether a log that is served has the leaves of proof files at their indexes: the log of a file, or one that goes on with its
 * leaves. Null for a file without a leaf that can be read, which other lines say. All lines are of one tree.
 * @param trustOf null without a policy
 * @param isLive whether the files are those that the log serves now, and no copy from before
 */
export async function logLines(
  served: ReadServed,
  trustOf: TrustOf | null,
  files: readonly string[],
  isLive: boolean,
): Promise<readonly (Line | null)[]> {
  const leaves = files.map(leafIn);
  const note = await newestNote(
    served,
    leaves.filter((leaf) => leaf !== null),
    isLive,
  );
  const head = checkpointOf(note.text);
  const isSigned = trustOf === null || (await trustOf(note)).signed;
  const unsigned = line('not checked', 'log', `no key of ${head.origin} in the policy signed its checkpoint`);
  const lines: (Line | null)[] = [];
  const log = { head, isLive, hasLeaf: treeOfLog(served, head), continued: continuedLogs(served, head) };
  for (const leaf of leaves) lines.push(leaf === null ? null : isSigned ? await logLine(log, leaf) : unsigned);
  return lines;
}

/** With which logs a log goes on. For that all of it is read, once. */
function continuedLogs(served: ReadServed, { size }: ServedHead): () => Promise<readonly Continuation[]> {
  let reading: Promise<ExtendedReading> | null = null;
  return async () => {
    reading ??= readLog(served, NOTHING_READ, size);
    return (await reading).continued;
  };
}

/** A log can have signed the receipt after it was asked for its checkpoint: so one that is smaller is read once more. */
async function newestNote(served: ReadServed, leaves: readonly PlacedLeaf[], isLive: boolean): Promise<SignedNote> {
  const note = noteOf(textOfUtf8(await served('checkpoint')));
  const { origin, size } = checkpointOf(note.text);
  const isOlder = leaves.some((leaf) => leaf.origin === origin && leaf.size > size);
  return isLive && isOlder ? noteOf(textOfUtf8(await served('checkpoint'))) : note;
}

/** A log in which leaves are looked up. */
interface LookedUpLog {
  readonly head: ServedHead;
  readonly isLive: boolean;
  readonly hasLeaf: HasLeaf;
  readonly continued: () => Promise<readonly Continuation[]>;
}

async function logLine({ head, isLive, hasLeaf, continued }: LookedUpLog, leaf: PlacedLeaf): Promise<Line> {
  const { origin, index, bytes, size } = leaf;
  if (index < head.size && (await hasLeaf(index, bytes)))
    return line('holds', 'log', `${head.origin} has it at ${index}, in its newest tree of ${countedLeaves(head.size)}`);
  if (origin === head.origin) {
    if (index < head.size) return line('FAILS', 'log', `${origin}: another leaf is at ${index}`);
    const has = `it has ${countedLeaves(head.size)}`;
    if (isLive) return line('FAILS', 'log', `${origin}: leaf ${index} is gone: ${has}`);
    return line(
      'not checked',
      'log',
      `this copy of ${origin} is older: ${has}, and the checkpoint of the file ${size}`,
    );
  }
  const by = (await continued()).find(({ of }) => of === origin);
  if (!by) return line('not checked', 'log', `${head.origin} is another log than ${origin}`);
  const found = index < by.index ? `another leaf is at ${index}` : `leaf ${index} is gone`;
  return line('FAILS', 'log', `${found}: ${head.origin} goes on with ${countedLeaves(by.index)} of ${origin}`);
}

/** The leaf of a proof file. */
interface PlacedLeaf {
  readonly origin: string;
  readonly index: number;
  readonly bytes: Uint8Array;
  /** Of the tree of the checkpoint in the file. */
  readonly size: number;
}

function leafIn(file: string): PlacedLeaf | null {
  try {
    const { index, extra, checkpoint } = proofOf(file);
    const { leaf } = openingOf(extra ?? utf8(''), canonicalJson);
    const { origin, size } = checkpointOf(noteOf(checkpoint).text);
    return { origin, size, index, bytes: leafBytes(leaf) };
  } catch (error) {
    if (error instanceof Malformed) return null;
    throw error;
  }
}
