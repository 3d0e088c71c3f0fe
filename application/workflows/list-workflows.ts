import { workflowRef } from '../../domain/identifiers.ts';
import { NUMBERED_PAGE } from '../../domain/limits.ts';
import type { NumberedPage, PageOf } from '../../domain/page.ts';
import { withShownTexts } from '../../domain/shown-text.ts';
import type { Summary, Visibility } from '../../domain/workflows/workflow.ts';
import type { MarketplaceItem, MarketplaceSort } from '../../domain/workflows/workflow-reader.ts';
import type { WorkflowSort } from '../../domain/workflows/workflow-store.ts';
import type { Ports } from '../ports.ts';
import { findOwn } from './find-workflow.ts';

/** A numbered list as it is returned (settled.md section 12). */
export interface NumberedList<Item> extends NumberedPage, PageOf<Item> {}

type Wish<T> = { readonly [Member in keyof T]?: T[Member] | undefined };

export type PageWish = Wish<NumberedPage>;

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
