/** A drawing that is moved and scaled in its box. */
export interface SteeredDrawing {
  /** By pixels. */
  pan(x: number, y: number): void;
  /** By a factor, around the middle. */
  zoom(factor: number): void;
  /** Shows all of it. */
  fit(): void;
}

/** What the buttons and keys for it do. */
export const STEPS = {
  closer: (drawing: SteeredDrawing) => drawing.zoom(CLOSER),
  further: (drawing: SteeredDrawing) => drawing.zoom(1 / CLOSER),
  whole: (drawing: SteeredDrawing) => drawing.fit(),
} as const;

const CLOSER = 1.3;
const STEP = 60;

/** Keys move the drawing while its box has the focus. */
export function steer(box: HTMLElement, drawing: SteeredDrawing, signal: AbortSignal): void {
  box.tabIndex = 0;
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => drawing.pan(STEP, 0),
    ArrowRight: () => drawing.pan(-STEP, 0),
    ArrowUp: () => drawing.pan(0, STEP),
    ArrowDown: () => drawing.pan(0, -STEP),
    '+': () => STEPS.closer(drawing),
    '-': () => STEPS.further(drawing),
    '0': () => STEPS.whole(drawing),
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
