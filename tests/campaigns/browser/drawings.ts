import type { Page } from 'playwright-core';

/** The number of drawn pixels on all canvases of the box. */
export function inkOf(page: Page, box: string): Promise<number> {
  return page.evaluate(countPixels, { box, property: null });
}

/** The number of pixels with the colour of a custom property of the style, such as the dots of a drawing. */
export function dotsOf(page: Page, box: string, property: string): Promise<number> {
  return page.evaluate(countPixels, { box, property });
}

/** Runs in the page. Reads from a copy, since reading would slow down the drawing itself. */
function countPixels({ box, property }: { readonly box: string; readonly property: string | null }): number {
  const copy = document.createElement('canvas');
  const context = copy.getContext('2d', { willReadFrequently: true });
  if (!context) return 0;
  const wanted = property === null ? null : colourOf(property);
  let count = 0;
  for (const canvas of document.querySelectorAll<HTMLCanvasElement>(`${box} canvas`)) {
    if (canvas.width === 0 || canvas.height === 0) continue;
    copy.width = canvas.width;
    copy.height = canvas.height;
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    for (let i = 0; i < data.length; i += 4) {
      if (wanted ? wanted.every((part, at) => data[i + at] === part) : data[i + 3] !== 0) count += 1;
    }
  }
  return count;

  function colourOf(name: string): readonly number[] {
    if (!context) return [];
    context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  }
}

/** The pairs of texts of one drawing that cover each other, by their boxes. */
export function collisionsOf(page: Page, drawings: string): Promise<readonly string[]> {
  return page.evaluate(coveredTexts, drawings);
}

/** Runs in the page. */
function coveredTexts(drawings: string): string[] {
  return [...document.querySelectorAll(drawings)].flatMap((drawing) => {
    const texts = [...drawing.querySelectorAll('text')].filter((text) => text.textContent !== '');
    const boxes = texts.map((text) => ({ text: text.textContent, box: text.getBoundingClientRect() }));
    return boxes.flatMap(({ text, box }, at) =>
      boxes
        .slice(at + 1)
        .filter(({ box: other }) => {
          const [across, down] = [
            Math.min(box.right, other.right) - Math.max(box.left, other.left),
            Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top),
          ];
          // Boxes of lines of text touch by their leading.
          return across > 1 && down > 3;
        })
        .map((other) => `${text} and ${other.text}`),
    );
  });
}

/** Texts of drawings that reach beyond the drawing. */
export function cutTextsOf(page: Page, drawings: string): Promise<readonly string[]> {
  return page.evaluate((selector) => {
    return [...document.querySelectorAll(selector)].flatMap((drawing) => {
      const { left, right } = drawing.getBoundingClientRect();
      const texts = [...drawing.querySelectorAll('text')].map((text) => [text, text.getBoundingClientRect()] as const);
      return texts
        .filter(([, box]) => box.left < left - 2 || box.right > right + 2)
        .map(([{ textContent }]) => textContent);
    });
  }, drawings);
}
