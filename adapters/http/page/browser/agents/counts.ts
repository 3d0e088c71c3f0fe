import type { HadSaidCounts } from '../../../../../domain/grading/bucket.ts';
import type { ResultBucket } from '../../../../../domain/grading/outcome.ts';
import { RESULT_BUCKETS } from '../kit/domain.ts';
import { h } from '../kit/elements.ts';
import { s } from '../kit/svg.ts';
import { plain } from '../kit/value-texts.ts';
import type { WireDirection } from '../kit/wire.ts';

const BAR = 11;

const HIGH = 22;

/** The number of decisions by bucket. */
export type Distribution = Readonly<Record<ResultBucket, number>>;

/** Decisions as they were decided, and as each direction would have come out in the same windows. */
export interface CountedAs {
  readonly result_distribution: Distribution;
  readonly had_said: HadSaidCounts | null;
}

/** One way to count the same decisions. */
export interface Counted {
  readonly name: string;
  readonly distribution: Distribution;
}

const IF_ALL: Readonly<Record<WireDirection, string>> = {
  bullish: 'all bullish',
  bearish: 'all bearish',
  neutral: 'all neutral',
};

/** As decided first, then what each direction would have got; without the latter where the service has not counted it. */
export function countedWays({ result_distribution, had_said }: CountedAs): readonly Counted[] {
  const others = had_said === null ? [] : (Object.keys(IF_ALL) as WireDirection[]);
  return [
    { name: 'as decided', distribution: result_distribution },
    ...others.map((direction) => ({
      name: IF_ALL[direction],
      distribution: had_said?.[direction] ?? result_distribution,
    })),
  ];
}

/** The greatest count, for a common scale; at least 1. */
export function mostOf(distributions: readonly Distribution[]): number {
  return Math.max(1, ...distributions.flatMap((each) => RESULT_BUCKETS.map((bucket) => each[bucket])));
}

/** `5 / 2 / 3 / 1`, in the order of the buckets. */
function countsInWords(distribution: Distribution): string {
  return RESULT_BUCKETS.map((bucket) => distribution[bucket].toLocaleString('en-GB')).join(' / ');
}

/** Ways to count the same decisions, as a table of numbers with bars of one scale. It has no rate and no order. */
export function countTable(caption: string, ways: readonly Counted[]): HTMLElement {
  const most = mostOf(ways.map(({ distribution }) => distribution));
  return h(
    'table',
    { class: 'counts' },
    h('caption', {}, caption),
    h('thead', {}, h('tr', {}, h('td'), ...RESULT_BUCKETS.map((bucket) => h('th', { scope: 'col' }, plain(bucket))))),
    h(
      'tbody',
      {},
      ...ways.map(({ name, distribution }) =>
        h(
          'tr',
          {},
          h('th', { scope: 'row' }, name),
          ...RESULT_BUCKETS.map((bucket) => h('td', {}, ...counted(distribution[bucket], most, bucket))),
        ),
      ),
    ),
  );
}

function counted(count: number, most: number, bucket: string): readonly (Node | string)[] {
  const bar = s(
    'svg',
    { class: 'count-bar', width: '100%', height: 8, 'aria-hidden': 'true' },
    s('rect', { class: `part ${bucket}`, width: `${(100 * count) / most}%`, height: 8 }),
  );
  return [count.toLocaleString('en-GB'), bar];
}

/** Four counts as four bars above their numbers, in the order of the buckets; for the cells of a table. */
export function quad(distribution: Distribution, most: number): readonly Node[] {
  const width = RESULT_BUCKETS.length * BAR;
  const bars = RESULT_BUCKETS.map((bucket, at) => {
    const height = (HIGH * distribution[bucket]) / most;
    return s('rect', { class: `part ${bucket}`, x: at * BAR, y: HIGH - height, width: BAR - 2, height });
  });
  return [
    s(
      'svg',
      { class: 'quad', width, height: HIGH + 1, viewBox: `0 0 ${width} ${HIGH + 1}`, 'aria-hidden': 'true' },
      ...bars,
      s('line', { class: 'base', x1: 0, x2: width - 2, y1: HIGH + 0.5, y2: HIGH + 0.5 }),
    ),
    h('span', {}, countsInWords(distribution)),
  ];
}

export interface ListedCounts extends CountedAs {
  readonly submission_count: number;
}

/** An agent in the owner's list, as far as it is shown. */
export interface ListedAgent {
  readonly agent_id: string;
  readonly name: string;
  readonly archived_at: string | null;
  readonly track_record: ListedCounts & { readonly retroactive: ListedCounts; readonly cached_at: string };
}
