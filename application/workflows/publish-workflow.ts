import { SNAPSHOT_HASH, workflowRef } from '../../domain/identifiers.ts';
import { NUMBERED_PAGE } from '../../domain/limits.ts';
import type { NumberedPage, PageOf } from '../../domain/page.ts';
import { Problem } from '../../domain/problem.ts';
import { withShownTexts } from '../../domain/shown-text.ts';
import { readiness } from '../../domain/workflows/readiness.ts';
import {
  type PublishedSnapshot,
  type SnapshotContent,
  sealSnapshot,
  skillName,
  slug,
} from '../../domain/workflows/snapshot.ts';
import type { Summary, Visibility, WorkflowSort } from '../../domain/workflows/workflow.ts';
import { type AgentGuide, draftDocument } from '../../domain/workflows/workflow-files.ts';
import {
  type MarketplaceItem,
  type MarketplaceSort,
  type Usage,
  usageOf,
} from '../../domain/workflows/workflow-reader.ts';
import type { Ports } from '../ports.ts';
import { type Keeper, type KeptSettings, keep } from '../quotas/keep.ts';
import { sha256Hex } from '../sha256.ts';
import { findOwn } from './change-workflow.ts';

export type PublishPorts = Pick<Ports, 'transaction' | 'configFaults' | 'canonicalJson'> & {
  readonly settings: KeptSettings;
};

/**
 * Publishes the owner's workflow as its draft is now, for everybody or for the owner as its visibility says
 * (interface.md 3.3). The same content always has the same hash.
 * @throws Problem NOT_FOUND, NOT_OWNER, WORKFLOW_NOT_READY with everything that is missing, DAILY_QUOTA_EXCEEDED
 */
export async function publishWorkflow(
  { transaction, configFaults, canonicalJson, settings }: PublishPorts,
  keeper: Keeper,
  id: string,
): Promise<PublishedSnapshot> {
  const faultsOf = await configFaults();
  return transaction(async ({ workflows, workflowSnapshots, kept }) => {
    const workflow = await findOwn((known) => workflows.lock(known), keeper.owner_id, id);
    const { ready, failures } = readiness(workflow, faultsOf);
    if (!ready) {
      const details = failures.map((failure) => ({ path: failure.node ?? '', ...failure }));
      throw new Problem('WORKFLOW_NOT_READY', 'The workflow is not ready to be published.', { details });
    }
    const snapshot = sealSnapshot(workflow, canonicalJson, sha256Hex);
    const { is_new, ...publication } = await workflowSnapshots.publish(workflow, snapshot);
    const bytes = is_new ? Buffer.byteLength(snapshot.content) : 0;
    await keep({ kept }, settings, keeper, 'publication', { bytes });
    return { ...snapshot, ...publication };
  });
}

/**
 * A snapshot with a public publication, or one that the viewer has published (settled.md section 11).
 * @param viewer an owner_id; null for an anonymous reader
 * @throws Problem NOT_FOUND, the same for every other hash and for an impossible one
 */
export async function readSnapshot(
  { workflowSnapshots }: Pick<Ports, 'workflowSnapshots'>,
  hash: string,
  viewer: string | null,
): Promise<PublishedSnapshot> {
  const snapshot = SNAPSHOT_HASH.test(hash) ? await workflowSnapshots.find(hash, viewer) : null;
  if (snapshot) return snapshot;
  throw new Problem('NOT_FOUND', 'No snapshot of that hash is public or yours.', {
    suggestion: 'Send 64 lower-case hex digits, as a workflow_ref has them after wf:, and a credential of its owner.',
  });
}

/** A file and its suggested name: ASCII without spaces and quotes. */
export interface NamedFile<Content> {
  readonly name: string;
  readonly content: Content;
}

/** The owner's current draft as YAML, ready or not. @throws Problem NOT_FOUND, NOT_OWNER */
export async function exportDraft(
  { workflows, workflowYaml }: Pick<Ports, 'workflows' | 'workflowYaml'>,
  owner_id: string,
  id: string,
): Promise<NamedFile<string>> {
  const workflow = await findOwn((known) => workflows.find(known), owner_id, id);
  return { name: `${slug(workflow.name) ?? 'workflow'}.yaml`, content: workflowYaml.write(draftDocument(workflow)) };
}

/** A snapshot as YAML that can be imported. @param viewer as in `readSnapshot` @throws Problem NOT_FOUND */
export async function exportSnapshot(
  { workflowSnapshots, workflowYaml }: Pick<Ports, 'workflowSnapshots' | 'workflowYaml'>,
  hash: string,
  viewer: string | null,
): Promise<NamedFile<string>> {
  const snapshot = await readSnapshot({ workflowSnapshots }, hash, viewer);
  const document = JSON.parse(snapshot.content) as SnapshotContent;
  return { name: `${skillName(snapshot)}.yaml`, content: workflowYaml.write(document) };
}

/**
 * A snapshot as a skill by which an agent works and submits (settled.md section 11).
 * @param viewer as in `readSnapshot`
 * @throws Problem NOT_FOUND
 */
export async function exportSkill(
  { workflowSnapshots, workflowYaml, packSkill }: Pick<Ports, 'workflowSnapshots' | 'workflowYaml' | 'packSkill'>,
  hash: string,
  viewer: string | null,
  guide: AgentGuide,
): Promise<NamedFile<Uint8Array<ArrayBuffer>>> {
  const snapshot = await readSnapshot({ workflowSnapshots }, hash, viewer);
  const yaml = workflowYaml.write(JSON.parse(snapshot.content) as SnapshotContent);
  return { name: `${skillName(snapshot)}.skill`, content: packSkill({ snapshot, yaml, guide }) };
}

/** A numbered list as it is returned (settled.md section 12). */
interface NumberedList<Item> extends NumberedPage, PageOf<Item> {}

type Wish<T> = { readonly [Member in keyof T]?: T[Member] | undefined };

type PageWish = Wish<NumberedPage>;

interface Narrowed {
  readonly tag: string;
  readonly search: string;
}

/** The owner's workflows, by default the last changed first. */
export function listOwnWorkflows(
  { workflows }: Pick<Ports, 'workflows'>,
  owner_id: string,
  wish: PageWish & Wish<Narrowed & { readonly visibility: Visibility; readonly sort: WorkflowSort }>,
): Promise<NumberedList<Summary>> {
  const { visibility = null, tag = null, search = null, sort = 'updated_desc' } = wish;
  return listed(wish, (page) => workflows.list(owner_id, { visibility, tag, search }, sort, page));
}

/** The publications of the owner's workflow, the last first. @throws Problem NOT_FOUND, NOT_OWNER */
export async function listPublications(
  { workflows, workflowSnapshots }: Pick<Ports, 'workflows' | 'workflowSnapshots'>,
  owner_id: string,
  id: string,
  wish: PageWish,
) {
  const { id: known } = await findOwn((each) => workflows.find(each), owner_id, id);
  const { items, ...rest } = await listed(wish, (page) => workflowSnapshots.history(known, page));
  const views = items.map(({ at, ...item }) => ({ ...item, workflow_ref: workflowRef(item.hash), published_at: at }));
  return { ...rest, items: views };
}

/** Public workflows as they were published for everybody. The list does not name or link their owners. */
export async function browseWorkflows(
  { workflowReader, settings }: Pick<Ports, 'workflowReader' | 'settings'>,
  wish: PageWish & Wish<Narrowed & { readonly sort: MarketplaceSort }>,
) {
  const { tag = null, search = null, sort = 'newest' } = wish;
  const { items, ...rest } = await listed(wish, (page) =>
    workflowReader.marketplace({ tag, search, sort, thresholds: settings.wisdom, ...page }),
  );
  return { ...rest, items: items.map(marketplaceRow) };
}

/** Publications from before hidden characters were refused may contain them. */
function marketplaceRow({ name, description, tags, ...item }: MarketplaceItem) {
  return { ...item, ...withShownTexts({ name, description, tags }), workflow_ref: workflowRef(item.hash) };
}

async function listed<Item>(
  { page = 1, per_page = NUMBERED_PAGE.defaultPerPage }: PageWish,
  read: (page: NumberedPage) => Promise<PageOf<Item>>,
): Promise<NumberedList<Item>> {
  const { items, total } = await read({ page, per_page });
  return { items, page, per_page, total };
}

/** How the owner's workflow was used (settled.md section 11). @throws Problem NOT_FOUND, NOT_OWNER */
export async function readUsage(
  { workflows, workflowReader, settings }: Pick<Ports, 'workflows' | 'workflowReader' | 'settings'>,
  owner_id: string,
  id: string,
): Promise<Usage> {
  const workflow = await findOwn((known) => workflows.find(known), owner_id, id);
  const { minProducers, ownerProof } = settings.wisdom;
  return usageOf(await workflowReader.usage(workflow, minProducers, ownerProof), settings.wisdom);
}
