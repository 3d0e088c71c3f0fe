import { button } from '../kit/elements.ts';
import type { GraphDrawing } from './graph-drawing.ts';

const CLOSER = 1.3;
const STEP = 60;

export function graphTools(drawing: GraphDrawing): readonly HTMLElement[] {
  return [
    button('+', () => drawing.zoom(CLOSER), { 'aria-label': 'Zoom in' }),
    button('\u2212', () => drawing.zoom(1 / CLOSER), { 'aria-label': 'Zoom out' }),
    button('Show all', () => drawing.fit()),
  ];
}

/** Keys move the drawing while it has the focus. */
export function steer(box: HTMLElement, drawing: GraphDrawing, signal: AbortSignal): void {
  box.tabIndex = 0;
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => drawing.pan(STEP, 0),
    ArrowRight: () => drawing.pan(-STEP, 0),
    ArrowUp: () => drawing.pan(0, STEP),
    ArrowDown: () => drawing.pan(0, -STEP),
    '+': () => drawing.zoom(CLOSER),
    '-': () => drawing.zoom(1 / CLOSER),
    '0': () => drawing.fit(),
  };
  box.addEventListener(
    'keydown',
    (event) => {
      const act = keys[event.key];
      if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      act();
    },
    { signal },
  );
}
