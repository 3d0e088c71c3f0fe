import { button } from '../../kit/elements.ts';
import { STEPS, type SteeredDrawing } from '../../kit/svg.ts';

export function graphTools(drawing: SteeredDrawing): readonly HTMLElement[] {
  return [
    button('+', () => STEPS.closer(drawing), { 'aria-label': 'Zoom in' }),
    button('\u2212', () => STEPS.further(drawing), { 'aria-label': 'Zoom out' }),
    button('Show all', () => STEPS.whole(drawing)),
  ];
}
