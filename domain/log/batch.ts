import type { CanonicalJson } from '../canonical-json.ts';
import { minuteOf } from '../decisions/views/public-views.ts';
import { bytesOfHex, concatBytes, hexOf, utf8 } from './encoding.ts';
import { type LogLeaf, leafText, markOf, numberedDigest } from './leaves/leaf.ts';
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
import {
  appendedNodes,
  leafHash,
  type NodeHash,
  type NodeRun,
  rootHash,
  type Sha256,
  type Sha256As,
} from './tree/tree.ts';

/** What the leaves of a batch are made with. */
export interface LeafTools {
  readonly canonicalJson: CanonicalJson;
  readonly sha256: Sha256;
  /** The digest as 64 hexadecimal digits: to write those of the bytes takes as long as the hash. */
  readonly sha256Hex: Sha256As<string>;
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

function decisionLeaf(event: EventOf<'decision' | 'imported'>, tools: LeafTools): NewLeaf {
  const { decision } = event;
  const { canonicalJson, sha256, sha256Hex } = tools;
  const public_salt = tools.salt();
  const numbered = event.event === 'decision' ? (keptNumber(event.kept) ?? numberOf(decision, tools)) : null;
  const producer = numbered?.producer ?? producerOf(decision, sha256);
  const digests = {
    commitment: bytesOfHex(decision.commitment),
    publicDigest: publicDigest(public_salt, publicStatement(decision), canonicalJson, sha256),
    producer,
  };
  const c = decisionDigest(digests, sha256Hex);
  const leaf: LogLeaf = numbered ? { c, mark: numbered.mark, t: 'decision', v: 2 } : { c, t: event.event, v: 1 };
  return { leaf, event, decision: { public_salt, producer } };
}

/** What the leaf of a numbered decision has of its agent. */
interface Numbered {
  /** Hex. */
  readonly mark: string;
  readonly producer: Uint8Array;
}

/** @throws Error for what is no digest */
function keptNumber(kept: KeptMark | null): Numbered | null {
  if (kept && kept.producer.length !== 32) throw new Error('What an erasure kept of a producer is no digest.');
  return kept && { mark: hexOf(kept.mark), producer: kept.producer };
}

/** Null for a decision without a number. @throws Error where a salt is gone */
export function numberOf(
  { record_id, salt, number, agent_salt, owner_id, agent_id }: LoggedDecision,
  { sha256, sha256Hex }: Pick<LeafTools, 'sha256' | 'sha256Hex'>,
): Numbered | null {
  if (number === null) return null;
  if (salt === null || agent_salt === null) throw new Error(`What the mark of ${record_id} is made of is gone.`);
  const next_mark = markOf(agent_salt, number + 1, sha256Hex);
  const producer = numberedDigest({ salt, owner_id, agent_id, number, next_mark }, sha256);
  return { mark: markOf(agent_salt, number, sha256Hex), producer };
}

/** The digest of who made a decision: computed, or what an erasure left. @throws Error where it is gone */
export function producerOf(decision: LoggedDecision, sha256: Sha256): Uint8Array {
  const { salt, erased_producer } = decision;
  if (salt !== null) return producerDigest(bytesOfHex(salt), decision, sha256);
  if (erased_producer === null) throw new Error(`The producer of ${decision.record_id} is gone.`);
  return bytesOfHex(erased_producer);
}

/** An outcome whose evidence is not stored, as of early releases, has the digest of no document. */
function outcomeLeaf(event: EventOf<'outcome'>, { canonicalJson, sha256Hex, salt }: LeafTools): NewLeaf {
  const [outcome_salt, evidence_salt] = [salt(), salt()];
  const evidence = evidenceDigest(evidence_salt, event.document ?? '', sha256Hex);
  const public_outcome = publicOutcome(event.graded, evidence);
  const o = outcomeDigest(outcome_salt, public_outcome, canonicalJson, sha256Hex);
  return {
    leaf: { o, of: event.of, t: 'outcome', v: 1 },
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
  const sorted = leaves.map((each) => placed(each, sha256)).sort(byMinute);
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
    bundles: ends(from, sorted).map(({ index, items }) => ({ index, leaves: entryBundle(items.map(bytesOf)) })),
    ...openingsOf(from, sorted),
  };
}

type BatchOpenings = Omit<LogBatch, 'log' | 'from' | 'head' | 'tiles' | 'bundles'>;

/** What opens the leaves, by what they are about. */
function openingsOf(from: number, sorted: readonly PlacedLeaf[]): BatchOpenings {
  const opened = { decisions: [], outcomes: [], events: [], datasets: [], names: [], heads: [], plans: [] } as {
    -readonly [Name in keyof BatchOpenings]: BatchOpenings[Name][number][];
  };
  let index = from;
  for (const { made } of sorted) {
    const { event, decision, outcome, dataset, names, head, plan } = made;
    if (event) {
      const { record_id, seq } = event;
      opened.events.push({ record_id, seq });
      if (decision) opened.decisions.push({ record_id, index, ...decision });
      if (outcome) opened.outcomes.push({ record_id, index, ...outcome });
    }
    if (dataset) opened.datasets.push({ index, month: dataset.month });
    if (names) opened.names.push({ index, learned_at: names.learned_at });
    if (head) opened.heads.push({ index, ...head });
    if (plan) opened.plans.push({ index, ...plan });
    index += 1;
  }
  return opened;
}

interface PlacedLeaf {
  readonly made: NewLeaf;
  readonly text: string;
  readonly hash: Uint8Array;
  readonly minute: number;
  /** The first bytes of the hash. */
  readonly order: number;
}

function placed(made: NewLeaf, sha256: Sha256): PlacedLeaf {
  const text = leafText(made.leaf);
  const hash = leafHash(text, sha256);
  const happened_at = made.event?.happened_at ?? made.happened_at ?? null;
  const minute = happened_at === null ? Number.POSITIVE_INFINITY : minuteOf(happened_at).getTime();
  return { made, text, hash, minute, order: firstBytes(hash) };
}

/** As a number that has their order. */
function firstBytes(hash: Uint8Array): number {
  let number = 0;
  for (let at = 0; at < 6; at += 1) number = number * 256 + (hash[at] ?? 0);
  return number;
}

function byMinute(a: PlacedLeaf, b: PlacedLeaf): number {
  if (a.minute !== b.minute) return a.minute < b.minute ? -1 : 1;
  if (a.order !== b.order) return a.order - b.order;
  return hexOf(a.hash) < hexOf(b.hash) ? -1 : 1;
}

function bytesOf({ text }: PlacedLeaf): Uint8Array {
  return utf8(text);
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
