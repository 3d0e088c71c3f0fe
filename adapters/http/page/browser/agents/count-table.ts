import { RESULT_BUCKETS } from '../kit/domain.ts';
import { h } from '../kit/elements.ts';
import { s } from '../kit/svg.ts';
import { plain } from '../kit/value-texts.ts';
import { type Counted, countsInWords, type Distribution, mostOf } from './counts.ts';

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

const BAR = 11;
const HIGH = 22;

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
