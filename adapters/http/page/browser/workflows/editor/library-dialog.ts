import { openDialog } from '../../kit/dialogs.ts';
import { button, fill, h } from '../../kit/elements.ts';
import { textField } from '../../kit/forms.ts';
import type { Library, NodeTemplate } from '../wire-workflows.ts';
import { groupsOf, matchingTemplates } from './library-search.ts';

/** Lets the owner choose a kind of step; null: none. */
export function chooseTemplate(library: Library): Promise<NodeTemplate | null> {
  return openDialog<NodeTemplate>('Add a step', (close) => {
    const search = textField(
      { name: 'search', label: 'Search the library of steps' },
      { type: 'search', autocomplete: 'off' },
    );
    const list = h('div', { class: 'library' });
    const count = h('p', { class: 'soft', role: 'status' });
    const show = () => {
      const found = matchingTemplates(library, search.control.value);
      fill(list, ...[...groupsOf(found)].map(([group, templates]) => groupSection(group, templates, close)));
      fill(count, found.size === library.size ? '' : `${found.size} of ${library.size} kinds of steps`);
    };
    search.control.addEventListener('input', show);
    show();
    return [
      search.element,
      count,
      list,
      h(
        'div',
        { class: 'buttons' },
        button('Cancel', () => close(null)),
      ),
    ];
  });
}

function groupSection(group: string, templates: readonly NodeTemplate[], close: (template: NodeTemplate) => void) {
  const id = `library-${group}`;
  return h(
    'section',
    { 'aria-labelledby': id },
    h('h3', { id }, group),
    h('ul', {}, ...templates.map((template) => templateItem(template, close))),
  );
}

function templateItem(template: NodeTemplate, close: (template: NodeTemplate) => void): HTMLElement {
  const { title, node_id, instructions } = template;
  return h(
    'li',
    {},
    h(
      'div',
      { class: 'head' },
      h('span', {}, h('b', {}, title), ' ', h('code', {}, node_id)),
      button('Add', () => close(template), { 'aria-label': `Add ${title}` }),
    ),
    h('p', { class: 'about' }, portWords(template)),
    h(
      'details',
      {},
      h('summary', {}, 'What it does', h('span', { class: 'hidden' }, `: ${title}`)),
      instructionsBlock(instructions),
    ),
  );
}

/** `takes bars, benchmark; gives features` */
function portWords({ inputs, outputs }: NodeTemplate): string {
  const names = (ports: readonly { readonly port: string }[]) => ports.map(({ port }) => port).join(', ');
  const takes = inputs.length === 0 ? '' : `takes ${names(inputs)}`;
  const gives = outputs.length === 0 ? '' : `gives ${names(outputs)}`;
  return [takes, gives].filter(Boolean).join('; ');
}

/** The instructions of a template, a paragraph for each of its lines. */
export function instructionsBlock(instructions: string): HTMLElement {
  return h('div', { class: 'instructions' }, ...instructions.split('\n').map((line) => h('p', {}, line)));
}
