import { h } from '../kit/elements.ts';
import type { Schemas } from '../kit/schemas.ts';
import { s } from '../kit/svg.ts';
import { instant } from '../kit/value-texts.ts';

const [WIDTH, HEIGHT] = [600, 140];
/** The least range that is drawn, so that noise is not blown up, in USD. */
const LEAST = 0.002;

/** The range of prices of each stretch over time, with the line of one dollar; its words say what it shows. */
export function pegDrawing(coin: string, { from, until, stretches }: Schemas['PegHistory']): HTMLElement {
  const lows = stretches.map(({ low }) => low);
  const highs = stretches.map(({ high }) => high);
  const [least, most] = [Math.min(1 - LEAST, ...lows), Math.max(1 + LEAST, ...highs)];
  const drift = Math.max(...stretches.map(({ drift_bps }) => drift_bps));
  const [begin, end] = [Date.parse(from), Date.parse(until)];
  const x = (time: string) => ((Date.parse(time) - begin) / (end - begin)) * WIDTH;
  const y = (value: number) => ((most - value) / (most - least)) * HEIGHT;
  const words =
    `${coin} from ${instant(from)} to ${instant(until)}: between ${Math.min(...lows).toFixed(4)} and ` +
    `${Math.max(...highs).toFixed(4)} USD, at most ${drift.toFixed(1)} bps from par.`;
  const drawing = s(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': words, class: 'operator-peg' },
    s('line', { x1: 0, x2: WIDTH, y1: y(1), y2: y(1), class: 'par' }),
    s('path', { d: stretches.map((each) => bar(each, x, y)).join(''), class: 'peg' }),
  );
  return h('figure', {}, drawing, h('figcaption', { class: 'soft' }, `${words} The line is 1 USD.`));
}

function bar(
  { from, low, high }: Schemas['PegStretch'],
  x: (time: string) => number,
  y: (value: number) => number,
): string {
  const at = Math.max(0, x(from)).toFixed(1);
  return `M${at} ${(y(high) - 1).toFixed(1)}V${(y(low) + 1).toFixed(1)}`;
}
