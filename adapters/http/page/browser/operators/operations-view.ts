import { ask } from '../kit/ask.ts';
import { button, fill, h } from '../kit/elements.ts';
import { showReading } from '../kit/states.ts';
import { counted, instant } from '../kit/value-texts.ts';
import type { Visit } from '../kit/visit.ts';
import { statusSections } from './status-sections.ts';
import type { WireStatus } from './wire-operators.ts';

const TITLE = 'Operations';

/** What is wrong now and what to do; then the figures that it follows from. */
export async function show(view: HTMLElement, { signal }: Visit): Promise<string> {
  const box = h('div');
  const read = () =>
    showReading(box, signal, {
      what: 'the state of the service',
      read: () => ask<WireStatus>('/api/v1/admin/status', { signal }),
      show: (status) => [
        h('p', { class: 'soft' }, `As of ${instant(status.now)}. `, button('Read again', read)),
        problems(status),
        ...statusSections(status),
      ],
    });
  fill(view, h('h1', { tabindex: -1 }, TITLE), box);
  await read();
  return TITLE;
}

function problems({ problems: found }: WireStatus): HTMLElement {
  if (found.length === 0)
    return h('section', { class: 'operator-problems' }, h('p', {}, h('b', {}, 'Nothing is wrong.')));
  return h(
    'section',
    { class: 'operator-problems', 'data-wrong': true },
    h('h2', {}, counted(found.length, 'problem')),
    h(
      'ol',
      {},
      ...found.map(({ part, problem, action }) =>
        h('li', {}, h('p', {}, h('span', { class: 'state' }, part), ' ', h('b', {}, problem)), h('p', {}, action)),
      ),
    ),
  );
}
