import { type SteeredDrawing, s } from './svg.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Extent {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
}

/** A point of the drawing is at `zoom * point + (x, y)` of its box. */
interface Sight extends Point {
  readonly zoom: number;
}

interface PlaneOptions {
  readonly least: number;
  readonly most: number;
  /** Texts are left out when they are drawn smaller than this part of their size. */
  readonly readable: number;
  /** Whether what was pressed is pulled by itself, so that the drawing stays. */
  isPulled?(pressed: Element): boolean;
  /** A click or tap that moved nothing. */
  onTap(target: Element): void;
  /** The box is shown for the first time: until then it has no size. */
  onSized(): void;
  /** The reader moved or scaled the drawing by pointer. */
  onMoved?(): void;
  readonly signal: AbortSignal;
}

/** A drawing of any size in a box. */
export interface Plane extends Pick<SteeredDrawing, 'pan' | 'zoom'> {
  /** What is drawn; its units are pixels at a zoom of 1. */
  readonly content: SVGGElement;
  size(): { readonly width: number; readonly height: number };
  sight(): Sight;
  look(sight: Sight): void;
  /** Moves the drawing so that this point of it is in the middle. */
  centre(point: Point): void;
}

/** Pixels that a pointer may tremble in a click. */
const SLOP = 4;

/**
 * An empty plane in the box, until the signal. It is moved by dragging and scaled by two fingers; the wheel scrolls the
 * page until the reader clicks the drawing.
 */
export function openPlane(box: HTMLElement, options: PlaneOptions): Plane {
  const { least, most, readable, signal } = options;
  const content = s('g');
  box.replaceChildren(s('svg', { class: 'plane', width: '100%', height: '100%', 'aria-hidden': 'true' }, content));
  let current: Sight = { zoom: 1, x: 0, y: 0 };
  const size = () => ({ width: box.clientWidth, height: box.clientHeight });
  const look = (sight: Sight) => {
    current = sight;
    content.setAttribute('transform', `translate(${sight.x} ${sight.y}) scale(${sight.zoom})`);
    content.classList.toggle('unreadable', sight.zoom < readable);
  };
  const zoomAt = (factor: number, { x, y }: Point) => {
    const zoom = Math.min(most, Math.max(least, current.zoom * factor));
    const part = zoom / current.zoom;
    look({ zoom, x: x - part * (x - current.x), y: y - part * (y - current.y) });
  };
  const plane: Plane = {
    content,
    size,
    sight: () => current,
    look,
    centre: ({ x, y }) => {
      const { width, height } = size();
      look({ ...current, x: width / 2 - current.zoom * x, y: height / 2 - current.zoom * y });
    },
    pan: (x, y) => look({ ...current, x: current.x + x, y: current.y + y }),
    zoom: (factor) => zoomAt(factor, { x: size().width / 2, y: size().height / 2 }),
  };
  listen(box, plane, zoomAt, options);
  const observer = new ResizeObserver(() => {
    if (box.clientWidth === 0) return;
    observer.disconnect();
    options.onSized();
  });
  observer.observe(box);
  signal.addEventListener('abort', () => {
    observer.disconnect();
    box.replaceChildren();
  });
  return plane;
}

function listen(
  box: HTMLElement,
  plane: Plane,
  zoomAt: (factor: number, at: Point) => void,
  { isPulled, onTap, onMoved, signal }: PlaneOptions,
): void {
  const pressed = new Map<number, Point>();
  let start: Point = { x: 0, y: 0 };
  let isDragged = false;
  let takesWheel = false;
  const placeOf = ({ clientX, clientY }: MouseEvent): Point => {
    const { left, top } = box.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  const on = <Type extends keyof HTMLElementEventMap>(type: Type, act: (event: HTMLElementEventMap[Type]) => void) =>
    box.addEventListener(type, act, { signal, passive: false });
  on('pointerdown', (event) => {
    takesWheel = true;
    if (event.button !== 0) return;
    if (pressed.size === 0) [start, isDragged] = [placeOf(event), false];
    if (!isPulled?.(event.target as Element)) pressed.set(event.pointerId, placeOf(event));
  });
  on('pointermove', (event) => {
    const before = pressed.get(event.pointerId);
    if (!before) return;
    const now = placeOf(event);
    if (!isDragged && distance(start, now) < SLOP) return;
    isDragged = true;
    box.setPointerCapture(event.pointerId);
    pressed.set(event.pointerId, now);
    const other = [...pressed].find(([id]) => id !== event.pointerId)?.[1];
    if (other) zoomAt(distance(other, now) / (distance(other, before) || 1), other);
    else plane.pan(now.x - before.x, now.y - before.y);
    onMoved?.();
  });
  for (const type of ['pointerup', 'pointercancel'] as const) on(type, ({ pointerId }) => pressed.delete(pointerId));
  on('pointerleave', () => {
    takesWheel = false;
  });
  on('wheel', (event) => {
    if (!takesWheel) return;
    event.preventDefault();
    zoomAt(1.002 ** -pixelsOf(event), placeOf(event));
    onMoved?.();
  });
  on('click', ({ target }) => {
    if (!isDragged && target instanceof Element) onTap(target);
  });
}

const LINE = 30;

/** How far a wheel was turned: browsers say it in pixels or in lines. */
function pixelsOf({ deltaY, deltaMode }: WheelEvent): number {
  return deltaMode === WheelEvent.DOM_DELTA_LINE ? deltaY * LINE : deltaY;
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

/** The smallest extent with all of these in it. */
export function extentOf(all: readonly Extent[]): Extent {
  return {
    x1: Math.min(...all.map(({ x1 }) => x1)),
    y1: Math.min(...all.map(({ y1 }) => y1)),
    x2: Math.max(...all.map(({ x2 }) => x2)),
    y2: Math.max(...all.map(({ y2 }) => y2)),
  };
}

/** Room around what is shown whole, in pixels. */
interface Margins {
  readonly side: number;
  /** For the buttons of the drawing. */
  readonly top: number;
}

/** Shows all of an extent, in the middle of the room below the buttons, at most as large as `most`. */
export function showWhole(plane: Plane, { x1, y1, x2, y2 }: Extent, { side, top }: Margins, most = 1): void {
  const { width, height } = plane.size();
  if (width === 0) return;
  const room = { width: width - 2 * side, height: height - top - side };
  const zoom = Math.min(most, room.width / (x2 - x1 || 1), room.height / (y2 - y1 || 1));
  const [x, y] = [side + room.width / 2 - (zoom * (x1 + x2)) / 2, top + room.height / 2 - (zoom * (y1 + y2)) / 2];
  plane.look({ zoom, x, y });
}

let pen: OffscreenCanvasRenderingContext2D | null = null;

/** The width of a text. @param font such as `600 13px system-ui, sans-serif` */
export function textWidth(words: string, font: string): number {
  pen ??= new OffscreenCanvas(1, 1).getContext('2d');
  if (!pen) return words.length * 8;
  pen.font = font;
  return pen.measureText(words).width;
}

/** A text that is at most so wide, with an ellipsis where it was longer. */
export function fitted(words: string, font: string, most: number): string {
  if (textWidth(words, font) <= most) return words;
  let length = words.length - 1;
  while (length > 1 && textWidth(`${words.slice(0, length)}\u2026`, font) > most) length -= 1;
  return `${words.slice(0, length)}\u2026`;
}
