import { randomBytes } from 'node:crypto';
import {
  batchOf,
  datasetLeaf,
  headLeaf,
  type LeafTools,
  type NewLeaf,
  namesLeaf,
  newLeaf,
  planLeaf,
} from '../../domain/log/batch.ts';
import { equalBytes, hexOf } from '../../domain/log/encoding.ts';
import { countedLeaves } from '../../domain/log/leaves/leaf.ts';
import type { LogStore, PendingEvent, StoredCheckpoint, StoredLog } from '../../domain/log/log-store.ts';
import { nodesInTile, type Tile, tileOfNode } from '../../domain/log/tree/tile.ts';
import { type NodeAddress, type NodeHash, nodesOf, rootHash } from '../../domain/log/tree/tree.ts';
import { rfc3339 } from '../../domain/time.ts';
import type { Ports, Stores } from '../ports.ts';
import { sha256, sha256Hex } from '../sha256.ts';

/** The stored tree is not the one that was signed, so nothing is appended to it and nothing is signed. */
export class LogChanged extends Error {
  override readonly name = 'LogChanged';
}

type AppendPorts = Pick<Ports, 'transaction' | 'canonicalJson'> & Partial<Pick<Ports, 'noteFault'>>;

/**
 * Appends up to `limit` plans and pending events that are ready before a time, as one batch with an unsigned checkpoint, in
 * one transaction; the first batch of a UTC day has a leaf for the head of the audit log too, and that after a public dataset or an
 * import of statements about names one for each. An event whose record cannot be read stays pending, and stops no other. Returns the number of leaves; 0 also while the newest checkpoint is not signed, and for a log that has ended.
 * @throws LogChanged when the stored nodes do not have the root of the newest checkpoint
 */
export function appendBatch(
  { transaction, canonicalJson, noteFault }: AppendPorts,
  { log }: StoredLog,
  { before, limit }: { readonly before: Date; readonly limit: number },
): Promise<number> {
  const tools: LeafTools = { canonicalJson, sha256, sha256Hex, salt: salts() };
  return transaction(async ({ log: store, audit }) => {
    await store.lock();
    // Events are pending for the newest log alone.
    if ((await store.newest())?.log !== log) return 0;
    const latest = await store.latest(log);
    if (latest?.signature === null) return 0;
    const plans = await store.pendingPlans(before, limit, false);
    const events = await store.pending(log, before, limit - plans.length);
    const older = await store.pendingPlans(before, limit - plans.length - events.length, true);
    const head = await headOfDay(store, audit, log, before);
    const datasets = await store.unloggedDatasets();
    const names = await store.unloggedNames();
    const leaves = [
      ...events.flatMap((event) => leafOfEvent(event, tools, noteFault)),
      ...[...plans, ...older].map((plan) => ({ ...planLeaf(plan, tools), happened_at: plan.happened_at })),
      ...(head ? [headLeaf(head, tools)] : []),
      ...datasets.map(datasetLeaf),
      ...names.map(namesLeaf),
    ];
    if (leaves.length === 0) return 0;
    await appendLeaves(store, log, latest, leaves);
    return leaves.length;
  });
}

/** Each returns 32 random bytes. They are drawn many at once: a draw takes several times as long as a hash. */
function salts(): LeafTools['salt'] {
  let [drawn, used] = [Buffer.alloc(0), 0];
  return () => {
    if (used === drawn.length) [drawn, used] = [randomBytes(SALT * DRAWN), 0];
    used += SALT;
    return drawn.subarray(used - SALT, used);
  };
}

const SALT = 32;
const DRAWN = 128;

function leafOfEvent(event: PendingEvent, tools: LeafTools, noteFault: AppendPorts['noteFault']): NewLeaf[] {
  try {
    return [newLeaf(event, tools)];
  } catch {
    noteFault?.(event.record_id, [event.event === 'outcome' ? 'outcome' : 'statement']);
    return [];
  }
}

/**
 * The head of the audit log, when neither the day nor a later one, before the clock went back, has a leaf for one, and it is
 * another than before; else null.
 */
async function headOfDay(store: LogStore, audit: Stores['audit'], log: number, time: Date) {
  const day = rfc3339(time).slice(0, 'YYYY-MM-DD'.length);
  const last = await store.lastHead(log);
  const head = last && last.day >= day ? null : await audit.head();
  return head === null || head.seal === last?.head.seal ? null : { day, head };
}

/** Appends leaves to the tree of the newest checkpoint, after that tree was computed again. @throws LogChanged */
export async function appendLeaves(
  store: LogStore,
  log: number,
  latest: StoredCheckpoint | null,
  leaves: readonly NewLeaf[],
): Promise<void> {
  const from = latest?.size ?? 0;
  const hashOf = await edgeOf(store, log, from);
  if (latest) assertRoot(latest, hashOf);
  await store.append(batchOf({ log, from }, leaves, hashOf, sha256));
}

/** The nodes at the right edge of a tree: those that its root is computed from. */
export function edgeOf(store: Pick<LogStore, 'tiles'>, log: number, size: number): Promise<NodeHash> {
  return nodesOfLog(store, log, nodesOf({ from: 0, to: size }));
}

/** Nodes of a log, read by their tiles. */
export async function nodesOfLog(
  store: Pick<LogStore, 'tiles'>,
  log: number,
  nodes: readonly NodeAddress[],
): Promise<NodeHash> {
  const distinct = new Map(nodes.map(tileOfNode).map(({ level, index }) => [key({ level, index }), { level, index }]));
  const tiles = await store.tiles(log, [...distinct.values()]);
  const hashes = new Map(tiles.map((tile) => [key(tile), nodesInTile(tile.hashes, sha256)]));
  const missing = nodesInTile(Uint8Array.of(), sha256);
  return (node) => (hashes.get(key(tileOfNode(node))) ?? missing)(node);
}

function key({ level, index }: Omit<Tile, 'width'>): string {
  return `${level}/${index}`;
}

/** @throws LogChanged */
export function assertRoot({ size, root }: StoredCheckpoint, hashOf: NodeHash): void {
  const computed = rootHash(size, hashOf, sha256);
  if (equalBytes(computed, root)) return;
  throw new LogChanged(
    `The tree of ${countedLeaves(size)} has the root ${hexOf(computed)}, not ${hexOf(root)} as its checkpoint; nothing is signed.`,
  );
}
