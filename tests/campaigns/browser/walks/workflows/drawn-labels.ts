import type { Page } from 'playwright-core';

/** A port of the drawing: the place of its step, its side and its name. */
export type DrawnPort = readonly [step: number, side: 'input' | 'output', port: string];

interface Box {
  readonly x1: number;
  readonly x2: number;
  readonly y1: number;
  readonly y2: number;
}

interface Drawn {
  id(): string;
  data(name: string): string;
  renderedPosition(): { readonly x: number; readonly y: number };
  boundingBox(options: object): Box;
}

/** What the drawing library leaves at its box. */
interface Core {
  getElementById(id: string): Drawn;
  nodes(selector: string): { toArray(): readonly Drawn[] };
  renderer(): { invalidateContainerClientCoordsCache(): void; findContainerClientCoords(): unknown };
}

/** The middle of a port in the window, once it has stayed there for some frames. */
export function placeOf(
  page: Page,
  [step, side, port]: DrawnPort,
): Promise<{ readonly x: number; readonly y: number }> {
  return page.evaluate(async (id) => {
    const box = document.querySelector('.graph');
    const core = (box as unknown as { readonly _cyreg: { readonly cy: Core } })._cyreg.cy;
    const place = () => {
      const { left, top } = box?.getBoundingClientRect() ?? { left: 0, top: 0 };
      const { x, y } = core.getElementById(id).renderedPosition();
      return { x: left + x, y: top + y };
    };
    let now = place();
    for (let still = 0; still < 3; ) {
      await new Promise(requestAnimationFrame);
      const next = place();
      still = next.x === now.x && next.y === now.y ? still + 1 : 0;
      now = next;
    }
    return now;
  }, `${step} ${side} ${port}`);
}

/** Something above the drawing has grown, and the library goes on remembering where its box was before. */
export function growAbove(page: Page): Promise<void> {
  return page.evaluate(() => {
    const box = document.querySelector('.graph');
    const core = (box as unknown as { readonly _cyreg: { readonly cy: Core } })._cyreg.cy;
    const { style } = document.querySelector('section.workflow') as HTMLElement;
    style.marginBlockStart = '0';
    core.renderer().invalidateContainerClientCoordsCache();
    core.renderer().findContainerClientCoords();
    style.marginBlockStart = '100px';
  });
}

/** The labels of the drawing that touch each other, as pairs. */
export function touchingLabels(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const box = document.querySelector('.graph');
    const core = (box as unknown as { readonly _cyreg: { readonly cy: Core } })._cyreg.cy;
    const labels = core.nodes('[label]').toArray();
    const bounds = labels.map((each) =>
      each.boundingBox({ includeNodes: false, includeEdges: false, includeLabels: true, includeOverlays: false }),
    );
    return labels.flatMap((a, i) =>
      labels.slice(i + 1).flatMap((b, j) => {
        const [left, right] = [bounds[i], bounds[i + 1 + j]];
        if (!left || !right) return [];
        const isApart = left.x2 <= right.x1 || right.x2 <= left.x1 || left.y2 <= right.y1 || right.y2 <= left.y1;
        return isApart ? [] : [`${a.id()} and ${b.id()}`];
      }),
    );
  });
}
