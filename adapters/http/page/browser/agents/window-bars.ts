import { h } from '../kit/elements.ts';
import { keepSized, s, sized } from '../kit/svg.ts';
import { timeTicks } from '../kit/time-ticks.ts';
import { counted, plain } from '../kit/value-texts.ts';
import { windowLanes } from './drawing-places.ts';
import type { GradedRow } from './month-drawing.ts';

const LANE = 9;
const GROUP = 24;
const AXIS = 24;
const LABEL = 96;
const LEAST = 2;

/** The windows of decisions as bars in time, those of one instrument together: what overlaps is in lanes. */
export function windowBars(rows: readonly GradedRow[]): HTMLElement {
  const groups = windowLanes(rows);
  const words = groups.map(
    ({ group, lanes }) => `${group}: ${counted(lanes.flat().length, 'window')}, at most ${lanes.length} at once`,
  );
  const box = h('div', { class: 'drawing', role: 'img', 'aria-label': `Windows in time. ${words.join('; ')}.` });
  keepSized(box, (width) => drawing(groups, rows, width));
  return box;
}

function drawing(
  groups: ReturnType<typeof windowLanes<GradedRow>>,
  rows: readonly GradedRow[],
  width: number,
): SVGElement {
  const [from, to] = [Math.min(...rows.map((row) => row.from)), Math.max(...rows.map((row) => row.to))];
  const x = (at: number) => ((at - from) / (to - from || 1)) * width;
  const ticks = timeTicks(from, to, Math.max(1, Math.floor(width / LABEL)));
  const tops = topsOf(groups);
  const height = (tops.at(-1) ?? 0) + AXIS;
  return sized(
    width,
    height,
    ...ticks.map(({ at }) => s('line', { class: 'edge', x1: x(at), x2: x(at), y1: 0, y2: height - AXIS })),
    ...groups.flatMap(({ group, lanes }, n) => [
      s('text', { class: 'title', x: 0, y: (tops[n] ?? 0) + 16 }, `${group}, ${lanes.flat().length}`),
      ...lanes.flatMap((lane, at) => lane.map((row) => barOf(row, x, (tops[n] ?? 0) + GROUP + at * LANE))),
    ]),
    ...labelled(ticks, x, width).map(({ at, words, anchor }) =>
      s('text', { class: 'tick', x: at, y: height - 6, 'text-anchor': anchor }, words),
    ),
  );
}

/** Where each group begins, and where the last one ends. */
function topsOf(groups: ReturnType<typeof windowLanes<GradedRow>>): readonly number[] {
  const tops = [0];
  for (const { lanes } of groups) tops.push((tops.at(-1) ?? 0) + GROUP + lanes.length * LANE + 6);
  return tops;
}

function barOf(row: GradedRow, x: (at: number) => number, y: number): SVGElement {
  const [left, right] = [x(row.from), x(row.to)];
  const width = Math.max(LEAST, right - left - 1);
  return s(
    'rect',
    { class: `part ${row.bucket}`, x: left, y, width, height: LANE - 2, rx: 1 },
    s('title', {}, `${row.words}: ${plain(row.bucket)}`),
  );
}

/** A text at an end leans inwards. */
function labelled(ticks: ReturnType<typeof timeTicks>, x: (at: number) => number, width: number) {
  return ticks.map(({ at, words }) => {
    const place = x(at);
    const anchor = place < LABEL / 2 ? 'start' : place > width - LABEL / 2 ? 'end' : 'middle';
    return { at: place, words, anchor };
  });
}
