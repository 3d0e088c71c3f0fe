import type { CanonicalJson } from '../canonical-json.ts';
import { minuteOf } from '../decisions/views/public-views.ts';
import { bytesOfHex, concatBytes, hexOf } from './encoding.ts';
import { type LogLeaf, leafBytes, markOf, numberedProducer, numberedProducerDigest } from './leaves/leaf.ts';
import {
  auditHeadDigest,
  decisionDigest,
  evidenceDigest,
  outcomeDigest,
  planDigest,
  producerDigest,
  publicDigest,
  publicOutcome,
  publicStatement,
  shownFactsOf,
} from './leaves/public-statement.ts';
import type {
  DecisionSecrets,
  KeptMark,
  LogBatch,
  LoggedDataset,
  LoggedDecision,
  LoggedHead,
  LoggedNames,
  LoggedPlan,
  OutcomeSecrets,
  PendingEvent,
} from './log-store.ts';
import { entryBundle, MOST_TILE_WIDTH, TILE_HEIGHT } from './tree/tile.ts';
import { appendedNodes, leafHash, type NodeHash, type NodeRun, rootHash, type Sha256 } from './tree/tree.ts';

/** What the leaves of a batch are made with. */
export interface LeafTools {
  readonly canonicalJson: CanonicalJson;
  readonly sha256: Sha256;
  /** 32 random bytes. */
  readonly salt: () => Uint8Array;
}

/** A leaf before it has an index. */
export interface NewLeaf {
  readonly leaf: LogLeaf;
  /** Null for a leaf that is about no decision. */
  readonly event: PendingEvent | null;
  readonly decision?: DecisionSecrets;
  readonly outcome?: OutcomeSecrets;
  readonly head?: LoggedHead;
  readonly dataset?: LoggedDataset;
  readonly names?: LoggedNames;
  readonly plan?: Pick<LoggedPlan, 'plan_id'>;
  /** Of a plan; an event says it itself. */
  readonly happened_at?: Date | null;
}

/** The leaf of an event. */
export function newLeaf(event: PendingEvent, tools: LeafTools): NewLeaf {
  switch (event.event) {
    case 'decision':
    case 'imported':
      return decisionLeaf(event, tools);
    case 'outcome':
      return outcomeLeaf(event, tools);
    case 'closed':
      return { leaf: { t: 'closed', of: event.of, reason: event.reason, v: 1 }, event };
    case 'reopened':
      return { leaf: { t: 'reopened', of: event.of, v: 1 }, event };
  }
}

/** The leaf that commits to the head of the audit log of a day. */
export function headLeaf(opened: Omit<LoggedHead, 'salt'>, { sha256, salt }: LeafTools): NewLeaf {
  const head = { ...opened, salt: salt() };
  return {
    leaf: { t: 'snapshot', sha256: hexOf(auditHeadDigest(head.salt, head.head, sha256)), v: 1 },
    event: null,
    head,
  };
}

/** The leaf that commits to a public dataset: a reader who has its SHA256SUMS can compute it. */
export function datasetLeaf(dataset: LoggedDataset): NewLeaf {
  return { leaf: { t: 'dataset', sha256: dataset.sha256, v: 1 }, event: null, dataset };
}

/** The leaf that commits to the statements of an import; a reader who has their lines can compute it. */
export function namesLeaf(names: LoggedNames): NewLeaf {
  return { leaf: { t: 'names', sha256: names.sha256, v: 1 }, event: null, names };
}

/** The leaf of a question that was stated before its answer. */
export function planLeaf(
  { plan_id, commitment, producer }: LoggedPlan,
  { sha256 }: Pick<LeafTools, 'sha256'>,
): NewLeaf {
  const digests = { commitment: bytesOfHex(commitment), producer: bytesOfHex(producer) };
  return { leaf: { t: 'plan', c: hexOf(planDigest(digests, sha256)), v: 1 }, event: null, plan: { plan_id } };
}

type EventOf<Name extends PendingEvent['event']> = Extract<PendingEvent, { readonly event: Name }>;

function decisionLeaf(event: EventOf<'decision' | 'imported'>, { canonicalJson, sha256, salt }: LeafTools): NewLeaf {
  const { decision } = event;
  const public_salt = salt();
  const numbered = event.event === 'decision' ? (event.kept ?? numberOf(decision, sha256)) : null;
  const producer = numbered?.producer ?? producerOf(decision, sha256);
  const digests = {
    commitment: bytesOfHex(decision.commitment),
    publicDigest: publicDigest(public_salt, publicStatement(decision), canonicalJson, sha256),
    producer,
  };
  const c = hexOf(decisionDigest(digests, sha256));
  const secrets = { event, decision: { public_salt, producer } };
  if (numbered === null) return { leaf: { t: event.event, c, v: 1 }, ...secrets };
  return { leaf: { t: 'decision', c, mark: hexOf(numbered.mark), v: 2 }, ...secrets };
}

/** What the leaf of a numbered decision has of its agent; null for one without a number. @throws Error where a salt is gone */
export function numberOf(decision: LoggedDecision, sha256: Sha256): KeptMark | null {
  const { record_id, salt, number, agent_salt, ...who } = decision;
  if (number === null) return null;
  if (salt === null || agent_salt === null) throw new Error(`What the mark of ${record_id} is made of is gone.`);
  const next_mark = hexOf(markOf(agent_salt, number + 1, sha256));
  const named = numberedProducer({ ...who, salt, number, next_mark }, sha256);
  return { mark: markOf(agent_salt, number, sha256), producer: numberedProducerDigest(named, sha256) };
}

/** The digest of who made a decision: computed, or what an erasure left. @throws Error where it is gone */
export function producerOf({ salt, erased_producer, ...decision }: LoggedDecision, sha256: Sha256): Uint8Array {
  if (salt !== null) return producerDigest(bytesOfHex(salt), decision, sha256);
  if (erased_producer === null) throw new Error(`The producer of ${decision.record_id} is gone.`);
  return bytesOfHex(erased_producer);
}

/** An outcome whose evidence is not stored, as of early releases, has the digest of no document. */
function outcomeLeaf(event: EventOf<'outcome'>, { canonicalJson, sha256, salt }: LeafTools): NewLeaf {
  const [outcome_salt, evidence_salt] = [salt(), salt()];
  const evidence = hexOf(evidenceDigest(evidence_salt, event.document ?? '', sha256));
  const public_outcome = publicOutcome(event.graded, evidence);
  const o = hexOf(outcomeDigest(outcome_salt, public_outcome, canonicalJson, sha256));
  return {
    leaf: { t: 'outcome', o, of: event.of, v: 1 },
    event,
    outcome: { outcome_salt, evidence_salt, evidence, shown: shownFactsOf(public_outcome, event.graded.facts) },
  };
}

/**
 * The batch that appends these leaves, sorted by the minute of what happened, so that a decision which is held back comes
 * after newer ones, then by their hashes, so that their order shows nothing else.
 * @param hashOf reads at most the nodes of `nodesOf({ from: 0, to: from })`
 */
export function batchOf(
  { log, from }: Pick<LogBatch, 'log' | 'from'>,
  leaves: readonly NewLeaf[],
  hashOf: NodeHash,
  sha256: Sha256,
): LogBatch {
  const sorted = leaves.map((each) => hashed(each, sha256)).toSorted(byMinute);
  const runs = appendedNodes(
    from,
    sorted.map(({ hash }) => hash),
    hashOf,
    sha256,
  );
  const size = from + leaves.length;
  const nodeOf: NodeHash = (node) => {
    const run = runs[node.level];
    return run?.hashes[node.index - run.from] ?? hashOf(node);
  };
  return {
    ...{ log, from },
    head: { size, root: rootHash(size, nodeOf, sha256) },
    tiles: runs.filter(({ level }) => level % TILE_HEIGHT === 0).flatMap(tileEnds),
    bundles: bundleEnds(from, sorted),
    ...aboutDecisions(from, sorted),
    datasets: sorted.flatMap(({ dataset }, i) => (dataset ? [{ index: from + i, month: dataset.month }] : [])),
    names: sorted.flatMap(({ names }, i) => (names ? [{ index: from + i, learned_at: names.learned_at }] : [])),
    heads: sorted.flatMap(({ head }, i) => (head ? [{ index: from + i, ...head }] : [])),
    plans: sorted.flatMap(({ plan }, i) => (plan ? [{ index: from + i, ...plan }] : [])),
  };
}

function bundleEnds(from: number, sorted: readonly { readonly bytes: Uint8Array }[]): LogBatch['bundles'] {
  const bytes = sorted.map((each) => each.bytes);
  return ends(from, bytes).map(({ index, items }) => ({ index, leaves: entryBundle(items) }));
}

function aboutDecisions(from: number, sorted: readonly NewLeaf[]): Pick<LogBatch, 'decisions' | 'outcomes' | 'events'> {
  const placed = sorted.flatMap(({ event, ...leaf }, i) => (event ? [{ ...leaf, event, index: from + i }] : []));
  return {
    decisions: placed.flatMap(({ event: { record_id }, index, decision }) =>
      decision ? [{ record_id, index, ...decision }] : [],
    ),
    outcomes: placed.flatMap(({ event: { record_id }, index, outcome }) =>
      outcome ? [{ record_id, index, ...outcome }] : [],
    ),
    events: placed.map(({ event: { record_id, seq } }) => ({ record_id, seq })),
  };
}

function hashed(each: NewLeaf, sha256: Sha256) {
  const bytes = leafBytes(each.leaf);
  const hash = leafHash(bytes, sha256);
  const happened_at = each.event?.happened_at ?? each.happened_at ?? null;
  const minute = happened_at === null ? Number.POSITIVE_INFINITY : minuteOf(happened_at).getTime();
  return { ...each, bytes, hash, minute, order: hexOf(hash) };
}

interface Placed {
  readonly minute: number;
  readonly order: string;
}

function byMinute(a: Placed, b: Placed): number {
  if (a.minute !== b.minute) return a.minute < b.minute ? -1 : 1;
  return a.order < b.order ? -1 : 1;
}

function tileEnds({ level, from, hashes }: NodeRun): LogBatch['tiles'] {
  return ends(from, hashes).map(({ index, items }) => ({
    level: level / TILE_HEIGHT,
    index,
    hashes: concatBytes(...items),
  }));
}

/** Consecutive items by the tile, or bundle, that each belongs to. @param from the place of the first */
function ends<Item>(from: number, items: readonly Item[]): { readonly index: number; readonly items: Item[] }[] {
  const tiles: { index: number; items: Item[] }[] = [];
  for (let at = 0; at < items.length; ) {
    const index = Math.floor((from + at) / MOST_TILE_WIDTH);
    const end = (index + 1) * MOST_TILE_WIDTH - from;
    tiles.push({ index, items: items.slice(at, end) });
    at = end;
  }
  return tiles;
}
