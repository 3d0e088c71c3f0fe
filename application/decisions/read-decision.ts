import type { Decision } from '../../domain/decisions/decision.ts';
import {
  type AnyNode,
  anyNode,
  beginWalk,
  type Graph,
  type GraphDirection,
  graphOf,
  nextLevel,
  type PublicNode,
  publicNode,
  type WalkBounds,
} from '../../domain/decisions/graph/graph.ts';
import type { ListedDecision } from '../../domain/decisions/own/owner-records.ts';
import { type PublicHandle, type PublicRow, publicHandle } from '../../domain/decisions/views/public-views.ts';
import { type OwnerState, ownerState, type PublicState, publicState } from '../../domain/decisions/views/state-view.ts';
import { ownerDetail, type PublicDetail, publicDetail } from '../../domain/decisions/views/views.ts';
import { isPublic } from '../../domain/decisions/visibility.ts';
import { RECORD_ID } from '../../domain/identifiers.ts';
import { NEWEST_PUBLIC } from '../../domain/limits.ts';
import { MARKETS, type Market } from '../../domain/market/venues.ts';
import { Problem } from '../../domain/problem.ts';
import { WrittenReply } from '../json-text.ts';
import type { Ports } from '../ports.ts';
import { type GapPorts, gapOf } from './price-gaps.ts';
import { type DetailWriter, findReply, replyOf } from './stored-detail.ts';

/**
 * One record: the owner's form for its owner, the public form of a public record for everyone else (settled.md section 5).
 * @param viewer the owner who asks; null for an anonymous caller
 * @throws Problem NOT_FOUND, also for a record that is not public
 */
export async function readDecision(
  ports: Ports,
  writer: DetailWriter,
  record_id: string,
  viewer: string | null,
): Promise<WrittenReply> {
  const found = await findReply(ports, writer, record_id, viewer);
  if (found?.reply) return new WrittenReply(found.reply);
  if (!found) throw noVisibleRecord(record_id);
  const { decision, basis } = found;
  const isOwn = decision.owner_id === viewer;
  const detail = isOwn ? ownerDetail(decision, await gapOf(ports, decision)) : detailForOthers(ports, decision);
  return replyOf(ports, writer, visible(record_id, detail), basis);
}

/**
 * The state of one record, with its outcome once it is closed.
 * @param viewer the owner who asks
 * @throws Problem NOT_FOUND, also for a record that is not public
 */
export async function readState(ports: Ports, record_id: string, viewer: string): Promise<OwnerState | PublicState> {
  const [decision] = await ports.decisions.findStatus([record_id], viewer);
  const now = await ports.clock.lastSeen();
  if (decision?.owner_id === viewer) return ownerState(decision, now, await gapOf(ports, decision));
  return visible(record_id, decision && publicState(decision, now));
}

/** The public form: null unless the record is public; without the indexes of its leaves where the log is not. */
export function detailForOthers({ settings }: Pick<Ports, 'settings'>, decision: Decision): PublicDetail | null {
  return publicDetail(settings.publicLog ? decision : { ...decision, log: null });
}

/**
 * The public state, for any caller.
 * @throws Problem NOT_FOUND, also for a record that is not public
 */
export async function readPublicState({ decisions, clock }: Ports, record_id: string): Promise<PublicState> {
  const [decision] = await decisions.findStatus([record_id], null);
  return visible(record_id, decision && publicState(decision, await clock.lastSeen()));
}

function visible<View>(record_id: string, view: View | null | undefined): View {
  if (view) return view;
  throw noVisibleRecord(record_id);
}

/** The refusal for a record that the caller cannot see. */
export function noVisibleRecord(record_id: string): Problem {
  const suggestion = "Check the id; another owner's record can be read once it is evaluated.";
  return new Problem('NOT_FOUND', `There is no record ${record_id} that you can see.`, { suggestion });
}

/** One item of a batch, in the caller's order (settled.md section 5). */
export type BatchItem =
  | {
      readonly status: 'found';
      readonly record_id: string;
      /** The reply about the record, as `readDecision` sends it to others than its owner. */
      readonly decision: WrittenReply;
    }
  | {
      readonly status: 'not_visible';
      readonly record_id: string;
      readonly reason: 'does_not_exist' | 'not_public' | 'malformed';
    };

/**
 * Up to 32 records in their public form. Only the owner of a record sees that it is `not_public`; for others it does
 * not exist.
 */
export async function readBatch(
  ports: Ports,
  writer: DetailWriter,
  record_ids: readonly string[],
  viewer: string,
): Promise<readonly BatchItem[]> {
  const read = async (record_id: string) => [record_id, await batchItem(ports, writer, record_id, viewer)] as const;
  const items = new Map(await Promise.all([...new Set(record_ids)].map(read)));
  return record_ids.flatMap((record_id) => items.get(record_id) ?? []);
}

async function batchItem(ports: Ports, writer: DetailWriter, record_id: string, viewer: string): Promise<BatchItem> {
  if (!RECORD_ID.test(record_id)) return { status: 'not_visible', record_id, reason: 'malformed' };
  const found = await findReply(ports, writer, record_id, null);
  if (found?.reply) return { status: 'found', record_id, decision: new WrittenReply(found.reply) };
  const detail = found && detailForOthers(ports, found.decision);
  if (detail) return { status: 'found', record_id, decision: replyOf(ports, writer, detail, found.basis) };
  const ownsIt = found !== null && found.decision.owner_id === viewer && !isPublic(found.decision);
  return { status: 'not_visible', record_id, reason: ownsIt ? 'not_public' : 'does_not_exist' };
}

export interface GraphQuery extends WalkBounds {
  readonly direction: GraphDirection;
}

type World = Pick<Ports, 'graph'>;

/**
 * The records around one, as far as the viewer sees them: one statement for each level, one for the records. The caller
 * caps the bounds (`cappedBounds`, interface.md 4.2).
 * @param viewer the owner who asks
 * @throws Problem NOT_FOUND, also for a record that the viewer does not see
 */
export function readGraph(
  ports: World & GapPorts,
  record_id: string,
  viewer: string,
  query: GraphQuery,
): Promise<Graph<AnyNode>> {
  return graphAround(ports, record_id, viewer, query, async (record) =>
    anyNode(record, viewer, record.owner_id === viewer ? await gapOf(ports, record) : null),
  );
}

/**
 * The public records around one (interface.md 4.5).
 * @throws Problem NOT_FOUND, also for a record that is not public
 */
export function readPublicGraph(ports: World, record_id: string, query: GraphQuery): Promise<Graph<PublicNode>> {
  return graphAround(ports, record_id, null, query, async (record) => publicNode(record));
}

async function graphAround<Node>(
  { graph }: World,
  record_id: string,
  viewer: string | null,
  { direction, ...bounds }: GraphQuery,
  nodeOf: (record: ListedDecision) => Promise<Node>,
): Promise<Graph<Node>> {
  let walk = beginWalk(record_id, bounds);
  while (walk.frontier.length > 0) {
    walk = nextLevel(walk, await graph.links(walk.frontier, { viewer, direction, most: walk.limit }));
  }
  const records = await graph.find(walk.nodes, viewer);
  const found = graphOf(
    walk,
    await Promise.all(records.map(async (record) => [record.record_id, await nodeOf(record)])),
  );
  if (!found) throw noVisibleRecord(record_id);
  return found;
}

type CountedWorld = Pick<Ports, 'cohorts' | 'clock'>;

/**
 * The newest public records by `data_cutoff`, whatever the size of their cohorts, retroactive ones included. Nothing in
 * it counts or names owners (settled.md section 6: public rows are not secret). A record is listed from the minute on
 * that others see as its `evaluated_at`, so that repeated requests show no finer time.
 * @param limit at most NEWEST_PUBLIC.most; more is read as that
 */
export async function listPublicDecisions(
  { cohorts, clock }: CountedWorld,
  limit: number = NEWEST_PUBLIC.byDefault,
): Promise<{ readonly items: readonly PublicHandle[] }> {
  const most = Math.min(limit, NEWEST_PUBLIC.most);
  if (most === 0) return { items: [] };
  const as_of = await clock.now();
  const rows = await Promise.all(MARKETS.map((market) => newestOf(cohorts, market, as_of, most)));
  return { items: rows.flat().toSorted(newestFirst).slice(0, most).map(publicHandle) };
}

async function newestOf(cohorts: CountedWorld['cohorts'], market: Market, as_of: Date, limit: number) {
  const filter = { market, include_retroactive: true };
  const { moment } = await cohorts.summarise(filter, 1);
  return cohorts.page({ ...filter, as_of }, { sort: 'data_cutoff_desc', limit, after: null, moment });
}

function newestFirst(a: PublicRow, b: PublicRow): number {
  return Number(b.data_cutoff) - Number(a.data_cutoff) || (a.record_id < b.record_id ? 1 : -1);
}
