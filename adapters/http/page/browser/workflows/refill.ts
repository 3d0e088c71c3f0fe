import { type Child, fill } from '../kit/elements.ts';

/** Replaces the content of an element; what had the focus has it again, if there is still one with its id. */
export function refill(element: HTMLElement, ...children: readonly Child[]): void {
  const focused = document.activeElement;
  const id = focused && element.contains(focused) ? focused.id : '';
  fill(element, ...children);
  if (id !== '') document.getElementById(id)?.focus({ preventScroll: true });
}
