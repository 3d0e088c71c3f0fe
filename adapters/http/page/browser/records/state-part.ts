import { h } from '../kit/elements.ts';
import type { WireOwnerDetail } from '../kit/wire.ts';
import { withoutOutcomeWords } from './record-facts.ts';
import { whatToDo } from './what-to-do.ts';

/** Why an own decision has no outcome, when the service tries again, and what its owner can do. */
export function statePart(record: WireOwnerDetail): HTMLElement {
  const { lifecycle_state, evaluation } = record;
  const advice = whatToDo(lifecycle_state, evaluation.last_error);
  return h(
    'div',
    { class: 'notice' },
    h('p', {}, withoutOutcomeWords(record)),
    advice !== null && h('p', {}, h('b', {}, 'What to do: '), advice),
  );
}
