import type { Page } from 'playwright-core';

/** How many pixels something was drawn on, over all canvases of the box. */
export function inkOf(page: Page, box: string): Promise<number> {
  return page.evaluate(countInk, box);
}

function countInk(box: string): number {
  const canvases = [...document.querySelectorAll<HTMLCanvasElement>(`${box} canvas`)];
  return canvases.reduce((sum, canvas) => {
    const { width, height } = canvas;
    if (width === 0 || height === 0) return sum;
    const { data } = canvas.getContext('2d')?.getImageData(0, 0, width, height) ?? { data: [] };
    let inked = 0;
    for (let i = 3; i < data.length; i += 4) if ((data[i] ?? 0) > 0) inked += 1;
    return sum + inked;
  }, 0);
}

/** How many pixels have the colour of one of the style's custom properties, as a dot of the drawing has. */
export function dotsOf(page: Page, box: string, property: string): Promise<number> {
  return page.evaluate(countColour, { box, property });
}

function countColour({ box, property }: { readonly box: string; readonly property: string }): number {
  const probe = document.createElement('canvas').getContext('2d');
  if (!probe) return 0;
  probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(property).trim();
  probe.fillRect(0, 0, 1, 1);
  const [red, green, blue] = probe.getImageData(0, 0, 1, 1).data;
  return [...document.querySelectorAll<HTMLCanvasElement>(`${box} canvas`)].reduce((sum, canvas) => {
    const { width, height } = canvas;
    if (width === 0 || height === 0) return sum;
    const { data } = canvas.getContext('2d')?.getImageData(0, 0, width, height) ?? { data: [] };
    let same = 0;
    for (let i = 0; i < data.length; i += 4) {
      if (data[i] === red && data[i + 1] === green && data[i + 2] === blue && data[i + 3] === 255) same += 1;
    }
    return sum + same;
  }, 0);
}
