import type { GradedRow } from '../../agents/month-drawing.ts';
import { chart } from '../../kit/charts.ts';
import { s } from '../../kit/svg.ts';
import { counted, plain, signed } from '../../kit/value-texts.ts';
import { zScale } from '../../records/z-scale.ts';

const [LEFT, RIGHT, TOP, BOTTOM] = [36, 8, 8, 24];
const HEIGHT = 240;
const RADIUS = 4.5;

/** z of each decision in the order in which they were graded, the newest at the right. */
export function zStrip(rows: readonly GradedRow[]): HTMLElement {
  const { from, to } = zScale(rows.map(({ z }) => z));
  const ticks = [to, to / 2, 0, -to / 2, -to].map((tick) => Math.round(tick * 2) / 2);
  return chart({
    id: 'z-strip',
    label: 'z of the newest graded decisions, in the order of their grades',
    height: HEIGHT,
    rest: `z of ${counted(rows.length, 'decision')}, in sigmas of the window; neutral ones are squares, and their z is the size of the move`,
    draw(width, spot) {
      const step = (width - LEFT - RIGHT) / Math.max(rows.length, 24);
      const y = (z: number) => TOP + ((to - z) / (to - from)) * (HEIGHT - TOP - BOTTOM);
      const right = width - RIGHT;
      return [
        s(
          'g',
          { 'aria-hidden': 'true' },
          ...[...new Set(ticks)].flatMap((tick) => [
            s('line', { class: tick === 0 ? 'base' : 'edge', x1: LEFT, x2: right, y1: y(tick), y2: y(tick) }),
            s('text', { class: 'tick', x: LEFT - 6, y: y(tick) + 4, 'text-anchor': 'end' }, signed(tick, 1)),
          ]),
          s('text', { class: 'tick', x: LEFT, y: HEIGHT - 6 }, 'graded earlier'),
          s('text', { class: 'tick', x: right, y: HEIGHT - 6, 'text-anchor': 'end' }, 'newest'),
        ),
        ...rows.map((row, at) => {
          const { z, words, bucket, direction, record_id } = row;
          const [cx, cy] = [right - (rows.length - at - 0.5) * step, y(z)];
          const mark =
            direction === 'neutral'
              ? s('rect', { class: bucket, x: cx - RADIUS, y: cy - RADIUS, width: 2 * RADIUS, height: 2 * RADIUS })
              : s('circle', { class: bucket, cx, cy, r: RADIUS });
          return spot({ words: `${words}: z ${signed(z)}, ${plain(bucket)}`, href: `#/records/${record_id}` }, mark);
        }),
      ];
    },
  });
}
