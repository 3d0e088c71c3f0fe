import { type Child, fill, h } from './elements.ts';
import { keepSized, s } from './svg.ts';

/** A mark or a column of a chart that is a link. */
export interface Spot {
  /** The exact values, as they are read. */
  readonly words: string;
  readonly href: string;
}

interface Chart {
  /** Names the chart among those of the page: its width is known when it is drawn again. */
  readonly id: string;
  /** What it shows, for those who do not see it. */
  readonly label: string;
  readonly height: number;
  /** What stands below the chart while nothing of it is pointed at. */
  readonly rest: string;
  draw(width: number, spot: (spot: Spot, ...marks: readonly SVGElement[]) => SVGElement): readonly SVGElement[];
}

const widths = new Map<string, number>();

/**
 * A chart with its exact values: what the pointer or the focus is at is said below it, and is a link. One tab stop;
 * arrow keys walk through it.
 */
export function chart({ id, label, height, rest, draw }: Chart): HTMLElement {
  const [box, reading] = [
    h('div', { class: 'drawing' }),
    h('p', { class: 'reading soft', 'aria-hidden': 'true' }, rest),
  ];
  box.style.minHeight = `${height}px`;
  const read = (words: string | null) => fill(reading, words ?? rest);
  const spotOf = ({ words, href }: Spot, ...marks: readonly SVGElement[]) => {
    const link = s('a', { href, class: 'spot', tabindex: -1, 'aria-label': words }, ...marks);
    for (const type of ['pointerenter', 'focus']) link.addEventListener(type, () => read(words));
    for (const type of ['pointerleave', 'blur']) link.addEventListener(type, () => read(null));
    return link;
  };
  keepSized(
    box,
    (width) => {
      widths.set(id, width);
      const drawn = s('svg', { width, height, viewBox: `0 0 ${width} ${height}` }, ...draw(width, spotOf));
      drawn
        .querySelectorAll('.spot')
        .item(drawn.querySelectorAll('.spot').length - 1)
        ?.setAttribute('tabindex', '0');
      return drawn;
    },
    widths.get(id),
  );
  box.addEventListener('keydown', walk);
  return h('div', { class: 'chart-part', role: 'group', 'aria-label': label }, box, reading);
}

/** The focus moves from mark to mark; the one that had it last is the tab stop. */
function walk(event: KeyboardEvent): void {
  const { currentTarget, target } = event;
  if (!(currentTarget instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.altKey) return;
  const spots = [...currentTarget.querySelectorAll<SVGAElement>('.spot')];
  const at = target instanceof SVGAElement ? spots.indexOf(target) : -1;
  const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: spots.length - 1 }[event.key];
  const spot = next === undefined || at === -1 ? undefined : spots[next];
  if (!spot) return;
  event.preventDefault();
  spots[at]?.setAttribute('tabindex', '-1');
  spot.setAttribute('tabindex', '0');
  spot.focus();
}

/** A chart under its title, with what it means and its numbers as a table behind a button. */
export function figure(title: string, about: Child, content: readonly Child[], numbers: Child): HTMLElement {
  return h('section', { class: 'figure' }, h('h2', {}, title), ...figureParts(about, content, numbers));
}

/** A figure that is behind its title on a phone. */
export function foldedFigure(title: string, about: Child, content: readonly Child[], numbers: Child): HTMLElement {
  return h('section', { class: 'figure' }, ...folded(h('h2', {}, title), ...figureParts(about, content, numbers)));
}

function figureParts(about: Child, content: readonly Child[], numbers: Child): readonly Child[] {
  const behind = numbers && h('details', { class: 'behind' }, h('summary', {}, 'The numbers as a table'), numbers);
  return [h('p', { class: 'soft' }, about), ...content, behind];
}

const PHONE = '(max-width: 40rem)';

/** What is secondary, after its heading; on a phone behind it, until the reader opens it. */
export function folded(heading: HTMLElement, ...content: readonly Child[]): readonly Child[] {
  if (!matchMedia(PHONE).matches) return [heading, ...content];
  return [h('details', { class: 'fold' }, h('summary', {}, heading), ...content)];
}

/** Those whose texts do not cover each other, and are not cut at the end. @param room of one text */
export function spaced<Each>(all: readonly Each[], step: number, room: number): readonly (readonly [Each, number])[] {
  const every = Math.max(1, Math.ceil(room / step));
  return all.flatMap((each, at) =>
    at % every === 0 && (all.length - at) * step >= room - 8 ? [[each, at] as const] : [],
  );
}
