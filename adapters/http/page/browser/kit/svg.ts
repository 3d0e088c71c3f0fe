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

/** Draws for the width of the box now, and again whenever it changes, so that text keeps its size. */
export function keepSized(box: HTMLElement, draw: (width: number) => SVGElement): void {
  let drawn = 0;
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
