import { LOG } from '../../domain/limits.ts';
import { equalBytes, hexOf, Malformed } from '../../domain/log/encoding.ts';
import { type ClosingReason, countedLeaves, type LogLeaf, leafOf } from '../../domain/log/leaves/leaf.ts';
import { LEAF_STATE, leafAudit } from '../../domain/log/leaves/leaf-audit.ts';
import type { LogStore, StoredLog } from '../../domain/log/log-store.ts';
import type { VerifierKey } from '../../domain/log/notes/note.ts';
import { leavesOfBundle, MOST_TILE_WIDTH, TILE_HEIGHT, tileOfNode } from '../../domain/log/tree/tile.ts';
import { growingTree, type LeafRange, leafHash, type NodeRun, rootHash } from '../../domain/log/tree/tree.ts';
import { rfc3339 } from '../../domain/time.ts';
import type { Ports } from '../ports.ts';
import { sha256 } from '../sha256.ts';
import { edgeOf } from './append-batch.ts';
import { type LoggedState, leafFaults, type StoredOpenings } from './leaf-faults.ts';
import { checkpointFaults, checkpointReader } from './witness-checkpoint.ts';

/** A reading of a log from its first leaf on. It holds some bytes per leaf, and one entry bundle. */
export interface LeafReading {
  /** Reads on up to the size of a checkpoint, and reports each fault. A leaf that is not stored ends the reading. */
  readTo(size: number): Promise<void>;
  size(): number;
  /** What the leaves that were read say of the decision at an index; null for no decision. */
  stateOf(index: number): LoggedState | null;
  /** What the first leaf says of the last checkpoint of the log before. */
  last(): string | null;
  /** Whether the leaf at an index is that of a head of the audit log. */
  isHead(index: number): boolean;
  /** Whether it is that of a public dataset. */
  isDataset(index: number): boolean;
  /** Whether it is that of statements about names. */
  isNames(index: number): boolean;
}

/** A log of those that share leaves. */
export interface TreePart {
  readonly log: StoredLog;
  /** Its leaves, where another log goes on with them; null of the last one. */
  readonly until: number | null;
}

/**
 * Checks each leaf by the rules of leaves and against what is stored about it, and the tiles and checkpoints against the
 * leaves.
 * @param parts the logs that share the leaves, the oldest first
 * @param keysOf those that are known, of a log and of witnesses: signatures by others are not checked
 */
export function leafReading(
  ports: LogCheckPorts,
  parts: readonly TreePart[],
  keysOf: (log: StoredLog) => readonly VerifierKey[],
  note: NoteFaults,
): LeafReading {
  const [{ log } = { log: NO_LOG }] = parts;
  const logAt = (index: number) => parts.find(({ until }) => until === null || index < until)?.log ?? log;
  const audit = leafAudit();
  const tree = growingTree(sha256);
  const reasons = new Map<number, ClosingReason>();
  const heads = new Set<number>();
  const datasets = new Set<number>();
  const names = new Set<number>();
  const order = submissionOrder();
  const checkpoints = checkpointReader(ports.logEvidence, log.log);
  let last: string | null = null;
  let isComplete = true;

  async function readTo(size: number): Promise<void> {
    while (isComplete && tree.size() < size) {
      const from = tree.size();
      const bundle = Math.floor(from / MOST_TILE_WIDTH);
      const range = { from, to: Math.min(size, (bundle + 1) * MOST_TILE_WIDTH) };
      const leaves = await storedLeaves(ports, log, range, note);
      isComplete = leaves.length === range.to - range.from;
      if (isComplete) await readBundle(range, leaves);
    }
  }

  async function readBundle({ from, to }: LeafRange, leaves: readonly Uint8Array[]): Promise<void> {
    const openings = await openingsOf(ports, parts, { from, to }, leaves);
    const runs = [];
    for (let at = from; at < to; ) {
      const checkpoint = await checkpoints.after(at);
      const end = Math.min(to, checkpoint?.size ?? to);
      const added = leaves.slice(at - from, end - from);
      for (const [i, bytes] of added.entries()) await readLeaf(at + i, bytes, openings);
      runs.push(...tree.append(added.map((leaf) => leafHash(leaf, sha256))));
      at = end;
      if (checkpoint?.size !== end) continue;
      order.endBatch();
      const signer = parts.find((part) => part.log.log === checkpoint.log)?.log ?? log;
      const about = `checkpoint of ${countedLeaves(end)} of ${signer.origin}`;
      note(about, await checkpointFaults(signer, checkpoint, tree.root(), keysOf(signer)));
    }
    for (const [tile, faults] of await tileFaults(ports.log, log, runs)) note(tile, faults);
    for (const [index, { record_id }] of openings.decisions) {
      const leaf = leaves[index - from];
      if (leaf && !isDecision(leaf)) note(record_id, [`its leaf ${index} is not that of a decision`]);
    }
    for (const [index, { plan_id }] of openings.plans) {
      const leaf = leaves[index - from];
      if (leaf && readable(leaf)?.t !== 'plan') note(`plan ${plan_id}`, [`its leaf ${index} is not that of a plan`]);
    }
  }

  async function readLeaf(index: number, bytes: Uint8Array, openings: StoredOpenings): Promise<void> {
    const about = `leaf ${index} of ${logAt(index).origin}`;
    const fault = audit.next(bytes, checkpoints.lastSize());
    if (fault !== null) {
      note(about, [fault]);
      return;
    }
    const leaf = leafOf(bytes);
    note(about, await continuesFaults(ports.log, parts, index, leaf));
    note(about, leafFaults(leaf, index, openings, ports.canonicalJson));
    if (leaf.t === 'log') last = leaf.last;
    if (leaf.t === 'snapshot') heads.add(index);
    if (leaf.t === 'dataset') datasets.add(index);
    if (leaf.t === 'names') names.add(index);
    if (leaf.t === 'closed') reasons.set(leaf.of, leaf.reason);
    if (leaf.t === 'reopened') reasons.delete(leaf.of);
    const submitted = leaf.t === 'decision' ? openings.decisions.get(index)?.decision?.submission_time : undefined;
    if (submitted) note(about, order.next(submitted));
  }

  function stateOf(index: number): LoggedState | null {
    const state = audit.stateOf(index);
    if (state === LEAF_STATE.other) return null;
    const { graded, closedGraded } = LEAF_STATE;
    return { graded: state === graded || state === closedGraded, closed: reasons.get(index) ?? null };
  }

  return {
    ...{ readTo, size: tree.size, stateOf, last: () => last },
    isHead: (index) => heads.has(index),
    isDataset: (index) => datasets.has(index),
    isNames: (index) => names.has(index),
  };
}

const NO_LOG: StoredLog = { log: 0, origin: '', key_id: '' };

/**
 * Where a log goes on with the leaves of another one, its first leaf says so, and nothing else: the tree that it names is the
 * stored one, as far as that reaches, and no smaller one than was signed.
 */
async function continuesFaults(
  store: LogCheckPorts['log'],
  parts: readonly TreePart[],
  index: number,
  leaf: LogLeaf,
): Promise<readonly string[]> {
  const ended = parts.find(({ until }) => until === index)?.log;
  if (leaf.t !== 'continues') return ended ? [`it does not say that ${ended.origin} is continued`] : [];
  if (!ended) return [`it says that ${leaf.of} is continued, and no log ends before it`];
  const other = parts.find(({ log }) => log.origin === leaf.of)?.log ?? null;
  if (other !== null && other.log !== ended.log) return [`it continues ${leaf.of}, and ${ended.origin} ends before it`];
  const signed = other && (await store.signed(other.log));
  if (signed && signed.size > leaf.size)
    return [
      `it says that ${leaf.of} had ${countedLeaves(leaf.size)}, and ${signed.size} ${signed.size === 1 ? 'is' : 'are'} signed`,
    ];
  if (leaf.size > index) return [];
  const root = hexOf(rootHash(leaf.size, await edgeOf(store, ended.log, leaf.size), sha256));
  return root === leaf.root
    ? []
    : [`at ${countedLeaves(leaf.size)} the root ${leaf.root} of ${leaf.of} was seen, not ${root}`];
}

async function openingsOf(
  { log: store, logEvidence }: LogCheckPorts,
  parts: readonly TreePart[],
  range: LeafRange,
  bytes: readonly Uint8Array[],
): Promise<StoredOpenings> {
  const logs = parts.map((part) => part.log.log);
  const [log = 0] = logs;
  const leaves = bytes.flatMap((each) => readable(each) ?? []);
  const graded = leaves.flatMap((leaf) => (leaf.t === 'outcome' ? [leaf.of] : []));
  const decisions = await logEvidence.decisionsIn(log, range);
  const outcomes = graded.length > 0 ? await logEvidence.outcomesOf(log, graded) : [];
  const heads = leaves.some(({ t }) => t === 'snapshot') ? await store.heads() : [];
  const datasets = leaves.some(({ t }) => t === 'dataset') ? await store.datasets() : [];
  const names = leaves.some(({ t }) => t === 'names') ? await store.names() : [];
  const plans = await logEvidence.plansIn(log, range);
  const isOfTree = (each: { readonly log: number }) => logs.includes(each.log);
  return {
    decisions: new Map(decisions.map((each) => [each.index, each])),
    outcomes: new Map(outcomes.map((each) => [each.of, each])),
    heads: new Map(heads.filter(isOfTree).map((each) => [each.index, each])),
    datasets: new Map(datasets.filter(isOfTree).map((each) => [each.index, each])),
    names: new Map(names.filter(isOfTree).map((each) => [each.index, each])),
    plans: new Map(plans.map((each) => [each.index, each])),
  };
}

function isDecision(bytes: Uint8Array): boolean {
  const leaf = readable(bytes);
  return leaf === null || leaf.t === 'decision' || leaf.t === 'imported';
}

/** Null for bytes that are no leaf, which the rules of leaves report. */
function readable(bytes: Uint8Array): LogLeaf | null {
  try {
    return leafOf(bytes);
  } catch (error) {
    if (error instanceof Malformed) return null;
    throw error;
  }
}

/** Checks that decisions are logged in the order of their submission, batch by batch: one that was backdated is not. */
function submissionOrder() {
  let [before, newest] = [0, 0];
  return {
    /** Takes the next decision of a batch; returns its faults, in words. */
    next(submitted: Date): readonly string[] {
      newest = Math.max(newest, submitted.getTime());
      if (submitted.getTime() >= before - LOG.includedWithin) return [];
      return [
        `its decision says that it was submitted at ${rfc3339(submitted)}, after ${rfc3339(new Date(before))} was logged`,
      ];
    },
    endBatch(): void {
      before = newest;
    },
  };
}

/** The tiles whose stored hashes differ from computed nodes, by name. */
async function tileFaults(
  store: Pick<LogStore, 'tiles'>,
  { log, origin }: StoredLog,
  runs: readonly NodeRun[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const nodes = runs
    .filter(({ level }) => level % TILE_HEIGHT === 0)
    .flatMap(({ level, from, hashes }) =>
      hashes.map((hash, i) => ({ tile: tileOfNode({ level, index: from + i }), hash })),
    );
  const names = new Map(nodes.map(({ tile }) => [nameOf(tile), tile]));
  const stored = new Map((await store.tiles(log, [...names.values()])).map((tile) => [nameOf(tile), tile.hashes]));
  const wrong = nodes.filter(({ tile, hash }) => {
    const bytes = stored.get(nameOf(tile))?.subarray((tile.width - 1) * hash.length, tile.width * hash.length);
    return !bytes || !equalBytes(bytes, hash);
  });
  return new Map(
    wrong.map(({ tile }) => [`tile ${nameOf(tile)} of ${origin}`, ['its hashes are not those of the leaves']]),
  );
}

function nameOf({ level, index }: { readonly level: number; readonly index: number }): string {
  return `${level}/${index}`;
}

export type LogCheckPorts = Pick<Ports, 'log' | 'logEvidence' | 'canonicalJson'>;

/** Reports what is wrong with something, in words. */
export type NoteFaults = (about: string, faults: readonly string[]) => void;

/** The leaves of a range within an entry bundle; a fault where some are not stored. */
async function storedLeaves(
  { log: store }: LogCheckPorts,
  { log, origin }: StoredLog,
  { from, to }: LeafRange,
  note: NoteFaults,
): Promise<readonly Uint8Array[]> {
  const index = Math.floor(from / MOST_TILE_WIDTH);
  const about = `entry bundle ${index} of ${origin}`;
  try {
    const bundle = await store.bundle(log, index);
    const leaves = bundle ? leavesOfBundle(bundle).slice(from % MOST_TILE_WIDTH, to - index * MOST_TILE_WIDTH) : [];
    const missing = to - from - leaves.length;
    if (missing > 0) note(about, [`${missing} of its leaves are gone; the leaves after it were not checked`]);
    return leaves;
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    note(about, [error.message]);
    return [];
  }
}
