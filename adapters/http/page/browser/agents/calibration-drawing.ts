import { wilsonInterval } from '../kit/domain.ts';
import { h } from '../kit/elements.ts';
import { keepSized, s, sized } from '../kit/svg.ts';
import { table } from '../kit/tables.ts';
import type { Distribution } from './counts.ts';

/** Graded decisions that stated a confidence within a tenth. */
export interface Band {
  readonly confidence_from: number;
  readonly confidence_to: number;
  readonly result_distribution: Distribution;
}

/** A band with what came of it. */
export interface CountedBand {
  readonly from: number;
  readonly to: number;
  readonly of: number;
  readonly correct: number;
  /** Null for few decisions, which are no share. */
  readonly share: { readonly value: number; readonly low: number; readonly high: number } | null;
}

/** Below it decisions are shown one by one. */
export const FEWEST_OF_SHARE = 10;

export function countedBand({ confidence_from: from, confidence_to: to, result_distribution }: Band): CountedBand {
  const { strong_correct, weak_correct, weak_incorrect, strong_incorrect } = result_distribution;
  const correct = strong_correct + weak_correct;
  const of = correct + weak_incorrect + strong_incorrect;
  const share = of < FEWEST_OF_SHARE ? null : { value: correct / of, ...wilsonInterval(correct, of) };
  return { from, to, of, correct, share };
}

const HIGH = 240;
const [LEFT, RIGHT, TOP, BOTTOM] = [44, 16, 14, 40];
const DOT = 7;
const TICKS = [0, 0.25, 0.5, 0.75, 1];

/** Stated confidence against the share that was correct, with 95 % intervals; a table has the same numbers. */
export function calibrationPart(bands: readonly CountedBand[], name: string): HTMLElement {
  const words = `Share correct by stated confidence, ${name}; the table below has the numbers.`;
  const box = h('div', { class: 'drawing calibration', role: 'img', 'aria-label': words });
  keepSized(box, (width) => drawing(bands, width));
  const numbers = h('details', { class: 'behind' }, h('summary', {}, 'The numbers as a table'), bandTable(bands, name));
  return h('div', {}, box, numbers);
}

/** `63 %` */
export function sharePercent(share: number): string {
  return `${Math.round(share * 100)}\u00a0%`;
}

function bandTable(bands: readonly CountedBand[], name: string): HTMLElement {
  return table<CountedBand>({
    caption: `Graded decisions of ${name} by stated confidence`,
    isCaptionHidden: true,
    rows: bands,
    columns: [
      { title: 'Confidence', cell: ({ from, to }) => `${from.toFixed(1)} to ${to.toFixed(1)}` },
      { title: 'Graded', kind: 'number', cell: ({ of }) => of.toLocaleString('en-GB') },
      { title: 'Correct', kind: 'number', cell: ({ correct }) => correct.toLocaleString('en-GB') },
      {
        title: 'Share, 95 % interval',
        cell: ({ share }) =>
          share === null
            ? `fewer than ${FEWEST_OF_SHARE}`
            : `${sharePercent(share.value)}, ${sharePercent(share.low)} to ${sharePercent(share.high)}`,
      },
    ],
  });
}

function drawing(bands: readonly CountedBand[], width: number): SVGElement {
  const x = (confidence: number) => LEFT + confidence * (width - LEFT - RIGHT);
  const y = (share: number) => TOP + (1 - share) * (HIGH - TOP - BOTTOM);
  return sized(
    width,
    HIGH,
    ...TICKS.map((tick) => s('line', { class: 'edge', x1: x(0), x2: x(1), y1: y(tick), y2: y(tick) })),
    s('line', { class: 'as-stated', x1: x(0), y1: y(0), x2: x(1), y2: y(1) }),
    ...TICKS.map((tick) =>
      s('text', { class: 'tick', x: LEFT - 6, y: y(tick) + 4, 'text-anchor': 'end' }, sharePercent(tick)),
    ),
    ...TICKS.map((tick) => {
      const anchor = tick === 1 ? 'end' : 'middle';
      return s('text', { class: 'tick', x: x(tick), y: HIGH - BOTTOM + 16, 'text-anchor': anchor }, sharePercent(tick));
    }),
    s('text', { class: 'tick', x: x(0.5), y: HIGH - 6, 'text-anchor': 'middle' }, 'stated confidence'),
    ...bands.flatMap((band) => marks(band, x((band.from + band.to) / 2), y)),
  );
}

/** A share with its interval; few decisions as dots at both ends, where each of them came out. */
function marks({ of, correct, share }: CountedBand, x: number, y: (share: number) => number): readonly SVGElement[] {
  if (share === null) {
    const dots = (count: number, end: number, style: string) =>
      Array.from({ length: count }, (_, n) =>
        s('circle', { class: style, cx: x + (n - (count - 1) / 2) * DOT, cy: y(end), r: DOT / 2 - 0.5 }),
      );
    return [...dots(correct, 1, 'strong_correct'), ...dots(of - correct, 0, 'strong_incorrect')];
  }
  const words = `${sharePercent(share.value)} of ${of}, ${sharePercent(share.low)} to ${sharePercent(share.high)}`;
  return [
    s('line', { class: 'interval', x1: x, x2: x, y1: y(share.low), y2: y(share.high) }),
    s('circle', { class: 'share', cx: x, cy: y(share.value), r: 5 }, s('title', {}, words)),
  ];
}
