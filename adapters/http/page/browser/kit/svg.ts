/** What the buttons and keys for it do. */
export const STEPS = {
  closer: (drawing: SteeredDrawing) => drawing.zoom(CLOSER),
  further: (drawing: SteeredDrawing) => drawing.zoom(1 / CLOSER),
  whole: (drawing: SteeredDrawing) => drawing.fit(),
} as const;

const CLOSER = 1.3;

const STEP = 60;

type Child = Node | string | null | undefined | false;
type Attributes = Readonly<Record<string, string | number | null | undefined | false>>;

const NAMESPACE = 'http://www.w3.org/2000/svg';

/** Makes an element of a drawing; text never becomes markup. An attribute that is null, undefined or false is left out. */
export function s<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Tag] {
  const element = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, typeof value === 'number' ? String(Math.round(value * 100) / 100) : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A drawing of this size, whose box says in words what it shows. */
export function sized(width: number, height: number, ...children: readonly Child[]): SVGSVGElement {
  return s('svg', { width, height, viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' }, ...children);
}

const LEAST_WIDTH = 200;

/**
 * Draws for the width of the box now, and again whenever it changes, so that text keeps its size.
 * @param known the width that the box is likely to have: drawn at once, so that nothing moves when a part is shown again
 */
export function keepSized(box: HTMLElement, draw: (width: number) => SVGElement, known = 0): void {
  let drawn = known;
  if (known > 0) box.replaceChildren(draw(known));
  const observer = new ResizeObserver(() => {
    const width = Math.max(LEAST_WIDTH, Math.floor(box.clientWidth));
    if (!box.isConnected) observer.disconnect();
    else if (width !== drawn) {
      drawn = width;
      box.replaceChildren(draw(width));
    }
  });
  observer.observe(box);
}

/** A drawing that is moved and scaled in its box. */
export interface SteeredDrawing {
  /** By pixels. */
  pan(x: number, y: number): void;
  /** By a factor, around the middle. */
  zoom(factor: number): void;
  /** Shows all of it. */
  fit(): void;
}

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
