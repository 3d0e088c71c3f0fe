import type { Core } from 'cytoscape';

/**
 * The wheel scrolls the page until the reader clicks the drawing. A click counts where the box is at that moment: the
 * library remembers where it was, and does not notice that something above it grew, or late that the page was scrolled.
 */
export function takePointer(box: HTMLElement, core: Core, signal: AbortSignal): void {
  box.addEventListener(
    'pointerdown',
    () => {
      core.resize();
      core.userZoomingEnabled(true);
    },
    { signal },
  );
  box.addEventListener('pointerleave', () => core.userZoomingEnabled(false), { signal });
}
