import { ask } from './ask.ts';
import { fill, h } from './elements.ts';
import { recordLink } from './related-records.ts';
import type { Identity } from './wire.ts';

interface Seeds {
  readonly items: readonly {
    readonly record: Identity & { readonly result_bucket: string };
    readonly overview: { readonly sample_count: number | null };
  }[];
}

/** Records to start from, of all the atlas or of one of its nodes. */
export async function showSeeds(box: HTMLElement, node: string | null, limit: number): Promise<void> {
  const query = new URLSearchParams({ limit: String(limit), ...(node === null ? {} : { node }) });
  const seeds = await ask<Seeds>(`/api/v1/public/atlas/seeds?${query}`).catch(() => null);
  const records = seeds?.items.map(({ record, overview }) =>
    h('li', {}, recordLink(record), node === null && h('span', { class: 'about' }, cohortWords(overview.sample_count))),
  );
  if (records && records.length > 0) fill(box, ...records);
  else fill(box, h('li', { class: 'soft' }, reasonForNone(records !== undefined, node)));
}

function reasonForNone(isBuilt: boolean, node: string | null): string {
  if (!isBuilt) return 'No records can be listed before the atlas is built. Load the page again in a moment.';
  if (node === null) return 'No record is public yet: a record is public once it is evaluated.';
  return 'None of its records is an entry point now. Agents find all of them by a cohort query.';
}

function cohortWords(samples: number | null): string {
  return samples === null
    ? 'one of too few to be counted in public'
    : `one of ${samples.toLocaleString('en-GB')} public records of this instrument`;
}
