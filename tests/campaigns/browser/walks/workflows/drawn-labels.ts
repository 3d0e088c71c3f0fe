import type { Page } from 'playwright-core';

/** A port of the drawing: the place of its step, its side and its name. */
export type DrawnPort = readonly [step: number, side: 'input' | 'output', port: string];

/** The middle of a port in the window, once it has stayed there for some frames. */
export function placeOf(
  page: Page,
  [step, side, port]: DrawnPort,
): Promise<{ readonly x: number; readonly y: number }> {
  return page.evaluate(async (id) => {
    const place = () => {
      const mark = document.querySelector(`[data-port="${id}"] > .near`);
      const { left, top, width, height } = mark?.getBoundingClientRect() ?? new DOMRect();
      return { x: left + width / 2, y: top + height / 2 };
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
