import { ask } from '../kit/ask.ts';
import { fill, h } from '../kit/elements.ts';
import { areaField, form, textField, textOf } from '../kit/forms.ts';
import { goTo } from '../shell/arrival.ts';
import type { WireSummary } from './wire-workflows.ts';

const TITLE = 'New workflow';

/** A name is enough to begin with. */
export async function showNew(view: HTMLElement): Promise<string> {
  const name = textField({ name: 'name', label: 'Name' }, { required: true, autocomplete: 'off' });
  const description = areaField({
    name: 'description',
    label: 'Description',
    hint: 'What it is for and when to use it. It can be written later.',
  });
  fill(
    view,
    h('p', { class: 'crumbs' }, h('a', { href: '#/workflows' }, 'Workflows'), ' / new'),
    h('h1', { tabindex: -1 }, TITLE),
    form({
      fields: [name, description],
      action: 'Create the draft',
      async send() {
        const body = { name: textOf(name), description: textOf(description) };
        const { id } = await ask<WireSummary>('/api/v1/owner/workflows', { method: 'POST', body });
        goTo(`#/workflows/${id}`);
      },
    }),
  );
  return TITLE;
}
