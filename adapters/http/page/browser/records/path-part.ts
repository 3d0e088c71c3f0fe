import type { Bar } from '../../../../../domain/market/bars.ts';
import { fill, h } from '../kit/elements.ts';
import { refusalOf } from '../kit/refused-request.ts';
import type { Detail } from '../kit/wire.ts';
import { drawBars } from './bars-drawing.ts';
import { barsBefore, barsOfContext } from './evidence-bars.ts';
import { drawFacts } from './facts-drawing.ts';
import { drawingWords, gradedWords } from './record-facts.ts';
import { zFigure } from './z-drawing.ts';

const OF_BARS =
  'The bars that the outcome was computed from, in the units of the entry, with the levels of the decision; the window is shaded. Others see only entry, excursions and exit.';
const OF_CONTEXT = ' Before the window: the daily bars that its volatility came from, out of the receipt of the grade.';
const OF_FACTS =
  'Facts only: the path between the points is not public. Excursions are drawn at the end of the bar that contains them; prices are adjusted for splits and dividends.';

/** The price path of a graded decision, and its move on the scale of the buckets. */
export function pathPart(record: Detail, signal: AbortSignal): readonly HTMLElement[] {
  const { outcome } = record;
  if (!outcome) return [];
  const box = h('div', { class: 'chart', role: 'img', 'aria-label': drawingWords(record, outcome) });
  const caption = h('figcaption', {}, record.view === 'owner' ? OF_BARS : OF_FACTS);
  const figure = h(
    'figure',
    { class: 'path' },
    h('p', { class: 'graded' }, gradedWords(record, outcome)),
    box,
    caption,
  );
  // After the caller has put the figure into the page: a drawing needs its size.
  queueMicrotask(() => void draw(record, box, caption, signal).catch(() => fill(box, notDrawn())));
  return [figure, zFigure(record.direction, outcome)];
}

function notDrawn(): HTMLElement {
  return h(
    'p',
    { class: 'notice' },
    'The drawing could not be loaded; the facts below contain everything that it shows.',
  );
}

async function draw(record: Detail, box: HTMLElement, caption: HTMLElement, signal: AbortSignal): Promise<void> {
  if (record.view === 'public') {
    const { outcome: facts, direction, window } = record;
    return facts === null ? undefined : drawFacts(box, { facts, direction, window });
  }
  const { outcome, direction, price_targets: targets } = record;
  if (!outcome) return;
  const isLogged = record.log !== null && record.log.outcome_index !== null;
  const context = isLogged ? await contextOf(record.record_id, outcome.entry.time, outcome.bars.length, signal) : [];
  if (context.length > 0) caption.append(OF_CONTEXT);
  return drawBars(box, { outcome, direction, targets, context });
}

/** The path is drawn without context where the receipt cannot be read. */
async function contextOf(recordId: string, entry: string, path: number, signal: AbortSignal): Promise<readonly Bar[]> {
  const receipt = `/api/v1/agent/decisions/${recordId}/receipt?leaf=outcome&opening=full`;
  try {
    const response = await fetch(receipt, { signal });
    if (!response.ok) throw await refusalOf(response, 'GET');
    return barsBefore(await response.text(), Date.parse(entry), barsOfContext(path));
  } catch {
    return [];
  }
}
