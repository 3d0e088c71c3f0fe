import { ask } from '../kit/ask.ts';
import { fill, h } from '../kit/elements.ts';
import { refusalWords } from '../kit/refused-request.ts';
import type { Schemas } from '../kit/schemas.ts';
import { keepSized, s, sized } from '../kit/svg.ts';
import { table } from '../kit/tables.ts';
import { counted } from '../kit/value-texts.ts';
import {
  type Minute,
  minuteWords,
  nearestMinute,
  rangeOf,
  SERIES,
  type Series,
  spanOf,
  stretchesOf,
} from './minute-series.ts';

type Minutes = Schemas['ServiceMinutes'];

const READ_AGAIN = 60_000;
const HEIGHT = 96;
const TOP = 6;
const BOTTOM = 18;

/** The figures of the last day as small charts with one cursor; read again each minute, while somebody looks. */
export function showMinutes(box: HTMLElement, signal: AbortSignal): void {
  let shown: Charts | null = null;
  const read = async () => {
    try {
      const minutes = await ask<Minutes>('/api/v1/admin/minutes', { signal });
      if (minutes.minutes.length === 0) return fill(box, h('h2', {}, 'The last day'), h('p', {}, NOTHING));
      if (shown === null) {
        shown = chartsOf();
        fill(box, h('h2', {}, 'The last day'), shown.about, shown.grid, shown.tablePart);
      }
      shown.show(minutes);
    } catch (error) {
      if (!signal.aborted && shown === null) fill(box, h('p', { role: 'alert' }, refusalWords(error)));
    }
  };
  const timer = setInterval(() => document.hidden || void read(), READ_AGAIN);
  signal.addEventListener('abort', () => clearInterval(timer));
  void read();
}

const NOTHING = 'The first minute is not over yet: each process adds its figures at the end of a minute.';

interface Charts {
  readonly about: HTMLElement;
  readonly grid: HTMLElement;
  readonly tablePart: HTMLElement;
  show(minutes: Minutes): void;
}

function chartsOf(): Charts {
  let current: Minutes = { now: '', minutes: [] };
  const point = (index: number) => {
    for (const chart of charts) chart.point(index);
  };
  const charts = SERIES.map((series) => chartOf(series, () => current, point));
  const about = h('p', { class: 'soft' });
  const rows = h('div', { class: 'minutes-table', role: 'region', tabindex: 0, 'aria-label': 'The figures by minute' });
  const tablePart = h('details', {}, h('summary', {}, 'Show as a table'), rows);
  const fillTable = () => fill(rows, tablePart.open && tableOf(current.minutes));
  tablePart.addEventListener('toggle', fillTable);
  return {
    about,
    grid: h('div', { class: 'minute-charts' }, ...charts.map(({ figure }) => figure)),
    tablePart,
    show(minutes) {
      current = minutes;
      about.textContent = aboutWords(minutes.minutes);
      for (const chart of charts) chart.draw();
      fillTable();
    },
  };
}

/** Of what the figures are: a process that has just begun, or ended, is in some of them alone. */
function aboutWords(minutes: readonly Minute[]): string {
  const counts = minutes.map(({ processes }) => processes);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const many =
    least === most ? counted(most, 'process', 'processes') : `${least} to ${counted(most, 'process', 'processes')}`;
  return `Each figure is of one minute, and of the whole service: ${many} wrote it. Where a line has a gap, none did.`;
}

function tableOf(minutes: readonly Minute[]): HTMLElement {
  return table<Minute>({
    caption: 'By minute',
    isCaptionHidden: true,
    columns: [
      { title: 'Minute (UTC)', cell: ({ at }) => `${at.slice(0, 10)} ${at.slice(11, 16)}` },
      { title: 'Processes', kind: 'number', cell: ({ processes }) => String(processes) },
      ...SERIES.map(({ title, value, words }) => ({
        title,
        kind: 'number' as const,
        cell(minute: Minute) {
          const found = value(minute);
          return found === null ? '' : words(found);
        },
      })),
    ],
    rows: minutes.toReversed(),
  });
}

/** A chart that the pointer reads, and the arrow keys while it has the focus. */
function chartOf(series: Series, current: () => Minutes, point: (index: number) => void) {
  const value = h('span', { class: 'minute-value' });
  const box = h('div', {
    class: 'minute-chart',
    role: 'slider',
    tabindex: 0,
    'aria-label': `${series.title}, by minute`,
  });
  let width = 0;
  let pointed = -1;
  const cursor = s('line', { class: 'cursor', y1: TOP, y2: HEIGHT - BOTTOM, visibility: 'hidden' });
  const placeOf = (index: number) => {
    const { minutes, now } = current();
    const [from, to] = spanOf(minutes, Date.parse(now));
    return ((Date.parse(minutes[index]?.at ?? now) - from) / (to - from)) * width;
  };
  const say = () => {
    const { minutes } = current();
    const index = pointed === -1 ? minutes.length - 1 : pointed;
    const minute = minutes[index];
    if (minute === undefined) return;
    value.textContent = minuteWords(minute, series);
    box.setAttribute('aria-valuemin', '0');
    box.setAttribute('aria-valuemax', String(minutes.length - 1));
    box.setAttribute('aria-valuenow', String(index));
    box.setAttribute('aria-valuetext', value.textContent);
  };
  const draw = (next: number) => {
    width = next;
    return drawing(series, current(), width, cursor);
  };
  const mark = (index: number) => {
    pointed = index;
    const x = String(placeOf(index));
    cursor.setAttribute('x1', x);
    cursor.setAttribute('x2', x);
    cursor.setAttribute('visibility', index === -1 ? 'hidden' : 'visible');
    say();
  };
  box.addEventListener('pointermove', ({ clientX }) => {
    const { minutes, now } = current();
    const [from, to] = spanOf(minutes, Date.parse(now));
    const { left } = box.getBoundingClientRect();
    point(nearestMinute(minutes, from + ((clientX - left) / width) * (to - from)));
  });
  box.addEventListener('pointerleave', () => point(-1));
  box.addEventListener('blur', () => point(-1));
  box.addEventListener('keydown', (event) => {
    const last = current().minutes.length - 1;
    const at = pointed === -1 ? last : pointed;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    point(Math.max(0, Math.min(last, to)));
  });
  keepSized(box, draw);
  const figure = h(
    'figure',
    {},
    h('figcaption', {}, h('b', {}, series.title), value, h('span', { class: 'about' }, series.about)),
    box,
  );
  return {
    figure,
    point: mark,
    draw() {
      if (width > 0) box.replaceChildren(draw(width));
      if (pointed >= current().minutes.length) pointed = -1;
      say();
    },
  };
}

function drawing(series: Series, { minutes, now }: Minutes, width: number, cursor: SVGElement): SVGElement {
  const stretches = stretchesOf(minutes, series.value);
  const [from, to] = spanOf(minutes, Date.parse(now));
  const [least, most] = rangeOf(stretches.flat(), series);
  const [floor, height] = [HEIGHT - BOTTOM, HEIGHT - BOTTOM - TOP];
  const x = (at: number) => ((at - from) / (to - from)) * width;
  const y = (value: number) => floor - ((value - least) / (most - least)) * height;
  const lines = stretches.map((points) => {
    const [first] = points;
    if (points.length === 1 && first) return s('circle', { class: 'dot', cx: x(first.at), cy: y(first.value), r: 1.5 });
    return s('polyline', {
      class: 'line',
      points: points.map(({ at, value }) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(' '),
    });
  });
  const known = stretches.length > 0;
  return sized(
    width,
    HEIGHT,
    s('line', { class: 'base', x1: 0, x2: width, y1: floor, y2: floor }),
    ...lines,
    known && s('text', { x: 0, y: TOP + 8 }, series.words(most)),
    known && s('text', { x: 0, y: floor - 4 }, series.words(least)),
    s('text', { x: 0, y: HEIGHT - 4 }, clock(from)),
    s('text', { x: width, y: HEIGHT - 4, 'text-anchor': 'end' }, `${clock(to)} UTC`),
    !known && s('text', { x: width / 2, y: HEIGHT / 2, 'text-anchor': 'middle' }, 'not known'),
    cursor,
  );
}

function clock(time: number): string {
  return new Date(time).toISOString().slice(11, 16);
}
