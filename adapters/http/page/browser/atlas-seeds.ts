import { ask, refusalWords } from './ask.ts';
import { fill, h } from './elements.ts';
import { recordLink } from './related-records.ts';
import type { WireIdentity } from './wire.ts';

interface Seeds {
  readonly items: readonly {
    readonly record: WireIdentity & { readonly result_bucket: string };
    readonly overview: { readonly sample_count: number | null };
  }[];
}

interface SeedsAsked {
  readonly node: string | null;
  readonly limit: number;
  readonly looksBack: boolean;
}

/** Records to start from, of all the atlas or of one of its nodes. */
export async function showSeeds(box: HTMLElement, { node, limit, looksBack }: SeedsAsked): Promise<void> {
  const bounds = { limit: String(limit), include_retroactive: String(looksBack) };
  const query = new URLSearchParams({ ...bounds, ...(node === null ? {} : { node }) });
  try {
    const { items } = await ask<Seeds>(`/api/v1/public/atlas/seeds?${query}`);
    if (items.length === 0) showWords(box, reasonForNone(node, looksBack));
    else fill(box, ...items.map((seed) => seedItem(seed, node)));
  } catch (error) {
    showWords(box, `No records can be listed now. ${refusalWords(error)}`);
  }
}

function showWords(box: HTMLElement, words: string): void {
  fill(box, h('li', { class: 'soft' }, words));
}

function seedItem({ record, overview }: Seeds['items'][number], node: string | null): HTMLElement {
  return h(
    'li',
    {},
    recordLink(record),
    node === null && h('span', { class: 'about' }, cohortWords(overview.sample_count)),
  );
}

function reasonForNone(node: string | null, looksBack: boolean): string {
  if (node !== null) return 'None of its records is an entry point now. Agents find all of them by a cohort query.';
  if (looksBack) return 'No record is public yet: a record is public once it is evaluated.';
  return 'Too few calls were stated before the prices were known. The atlas above can include calls that look back.';
}

function cohortWords(samples: number | null): string {
  return samples === null
    ? 'one of too few to be counted in public'
    : `one of ${samples.toLocaleString('en-GB')} public records of this instrument`;
}
