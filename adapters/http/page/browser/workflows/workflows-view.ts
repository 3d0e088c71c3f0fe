import { ask } from '../kit/ask.ts';
import { fill, h } from '../kit/elements.ts';
import { areaField, form, textField, textOf, type Visit } from '../kit/forms.ts';
import { goTo } from '../shell/arrival.ts';
import { showEditor } from './editor/editor-view.ts';
import { loadStyle, showImport } from './import-view.ts';
import { showList } from './list-view.ts';
import { showVersions } from './versions/versions-view.ts';
import type { WireSummary } from './wire-workflows.ts';

const TITLE = 'New workflow';

/** `#/workflows`: the list; `/new`, `/import`, `/ID`: a draft in the editor; `/ID/versions`: its versions and its use. */
export async function show(view: HTMLElement, visit: Visit): Promise<string> {
  await loadStyle();
  const [id = '', part = ''] = visit.rest.split('/');
  if (id === '') return showList(view, visit);
  if (id === 'new') return showNew(view);
  if (id === 'import') return showImport(view);
  if (part === 'versions') return showVersions(view, visit, id);
  return showEditor(view, visit, id);
}

/** A name is enough to begin with. */
async function showNew(view: HTMLElement): Promise<string> {
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
