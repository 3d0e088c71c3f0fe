import type { HadSaidCounts } from '../../../../../domain/grading/bucket.ts';
import type { Distribution } from '../agents/counts.ts';
import { ask } from '../kit/ask.ts';
import { fill, h, part } from '../kit/elements.ts';
import { refusedState } from '../kit/refused-state.ts';
import { statedWords } from '../kit/value-texts.ts';
import type { WireIdentity } from '../kit/wire.ts';
import { recordLink } from '../records/related-records.ts';

/** The most that the service lists. */
const MOST = 50;

/** The counts of the cohort of a seed's instrument; null where they are withheld. */
export interface Overview {
  readonly sample_count: number | null;
  readonly result_distribution: Distribution | null;
  readonly had_said: HadSaidCounts | null;
  readonly suppression: { readonly message: string | null };
}

export interface Seed {
  readonly record: WireIdentity & { readonly result_bucket: string };
  readonly overview: Overview;
  /** The cohort that `overview` counts. */
  readonly query: Readonly<Record<string, string | boolean>>;
}

interface SeedsQuery {
  readonly node: string | null;
  readonly limit: number;
  readonly includesRetroactive: boolean;
}

/** What was listed: seeds, or the newest public records where there are none. */
export interface Listed {
  readonly seeds: readonly Seed[];
  readonly newest: readonly WireIdentity[];
}

/**
 * Lists records to start from, of the whole atlas or of one of its nodes. An atlas without any is that of a service with
 * few owners: then the newest public records are listed. @param done is called with what is listed, also after a later
 * attempt
 */
export async function showSeeds(
  box: HTMLElement,
  sent: SeedsQuery,
  signal: AbortSignal,
  done: (listed: Listed) => unknown,
  attempt = 0,
): Promise<void> {
  const { node, limit, includesRetroactive } = sent;
  const bounds = { limit: String(limit), include_retroactive: String(includesRetroactive) };
  const query = new URLSearchParams({ ...bounds, ...(node === null ? {} : { node }) });
  try {
    const { items: seeds } = await ask<{ readonly items: readonly Seed[] }>(`/api/v1/public/atlas/seeds?${query}`);
    const newest = seeds.length === 0 && node === null ? await newestRecords(limit, includesRetroactive) : [];
    if (node === null) fill(part('#entries-about', HTMLElement), newest.length > 0 ? OF_NEWEST : OF_SEEDS);
    if (seeds.length + newest.length === 0) showWords(box, reasonForNone(node, includesRetroactive));
    else fill(box, ...seeds.map((seed) => seedItem(seed, node)), ...newest.map(newestItem));
    done({ seeds, newest });
  } catch (error) {
    const retry = (next: number) => showSeeds(box, sent, signal, done, next);
    fill(box, h('li', {}, refusedState(error, 'No records can be listed now.', { retry, attempt, signal })));
    done({ seeds: [], newest: [] });
  }
}

const OF_SEEDS =
  'Public records of different markets and regimes. Each shows its decision and the facts of the price path.';
const OF_NEWEST = 'The newest public records, each with its decision and the facts of the price path.';

function showWords(box: HTMLElement, words: string): void {
  fill(box, h('li', { class: 'soft' }, words));
}

function seedItem({ record, overview }: Seed, node: string | null): HTMLElement {
  const about = node === null ? `${statedWords(record)}; ${cohortWords(overview)}` : statedWords(record);
  return h('li', {}, recordLink(record), h('span', { class: 'about' }, about));
}

function reasonForNone(node: string | null, includesRetroactive: boolean): string {
  if (node !== null)
    return 'This node has no record to start from at present. Agents find all of its records by a cohort query.';
  if (includesRetroactive)
    return 'No public record is listed yet: a record appears here within a minute of its evaluation.';
  return 'Too few decisions were stated before the prices were known. The atlas above can include retroactive decisions.';
}

function cohortWords({ sample_count: samples, suppression }: Seed['overview']): string {
  if (samples !== null) return `one of ${samples.toLocaleString('en-GB')} public records of this instrument`;
  return `one of the public records of this instrument. Their counts are withheld. ${suppression.message ?? ''}`.trim();
}

/** The newest public records, with or without retroactive decisions. @throws RefusedRequest */
async function newestRecords(limit: number, includesRetroactive: boolean): Promise<readonly WireIdentity[]> {
  const { items } = await ask<{ readonly items: readonly WireIdentity[] }>(`/api/v1/public/decisions?limit=${MOST}`);
  const records = items.filter(({ submission_origin }) => includesRetroactive || submission_origin === 'realtime');
  return records.slice(0, limit);
}

function newestItem(record: WireIdentity): HTMLElement {
  return h('li', {}, recordLink(record), h('span', { class: 'about' }, statedWords(record)));
}
