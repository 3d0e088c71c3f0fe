import { button, type Child, fill, h } from '../../kit/elements.ts';
import { textField } from '../../kit/forms.ts';
import { type Config, configForm } from '../config/config-form.ts';
import { refill } from '../refill.ts';
import { isSameJson } from '../same-json.ts';
import { nameFault, withConfig, withName, withoutStep } from './draft-edits.ts';
import { instructionsBlock } from './library-dialog.ts';
import { portSections } from './port-sections.ts';
import { failuresOf } from './readiness-panel.ts';
import type { EditorEvent, WorkflowEditor } from './workflow-editor.ts';

/** The chosen step: its faults, name, connections and settings. */
export function stepPanel(editor: WorkflowEditor, signal: AbortSignal): HTMLElement {
  const faults = h('ul', { class: 'faults' });
  const box = h('section', { class: 'step-panel', 'aria-labelledby': 'step-title' });
  let shown = editor.draft;
  const show = (event: EditorEvent) => {
    const at = editor.chosen;
    box.hidden = at === null;
    if (at === null || event === 'connecting') return;
    fill(faults, ...faultItems(editor, at));
    // What is being typed in stays in place.
    const isShown = event === 'typed' || (event === 'saved' && isSameJson(shown.nodes, editor.draft.nodes));
    shown = editor.draft;
    if (!isShown) refill(box, ...content(editor, at, faults));
  };
  editor.on(show, signal);
  show('chosen');
  return box;
}

function faultItems(editor: WorkflowEditor, at: number): readonly HTMLElement[] {
  const faults = failuresOf(editor, editor.draft.nodes[at]?.id ?? '');
  return faults.map(({ message, port }) => h('li', {}, port && h('b', {}, `${port}: `), message));
}

function content(editor: WorkflowEditor, at: number, faults: HTMLElement): readonly Child[] {
  const { id = '', node_id = '', config = {} } = editor.draft.nodes[at] ?? {};
  const template = editor.library.get(node_id);
  const changed = (next: Config) => editor.edit(withConfig(editor.draft, at, next), 'typed');
  return [
    h(
      'div',
      { class: 'head' },
      h('h2', { id: 'step-title', tabindex: -1 }, template?.title ?? node_id, ' ', h('code', {}, id)),
      button('Close', () => close(editor, at), { id: 'step-close' }),
    ),
    faults,
    template && h('details', {}, h('summary', {}, 'What this step does'), instructionsBlock(template.instructions)),
    h(
      'div',
      { class: 'columns' },
      h('div', {}, nameElement(editor, at, id), ...portSections(editor, at)),
      h('div', {}, h('h3', {}, 'Settings'), configForm({ template, config, changed })),
    ),
    h(
      'div',
      { class: 'buttons' },
      button('Remove this step', () => remove(editor, at), { id: 'step-remove' }),
    ),
  ];
}

function close(editor: WorkflowEditor, at: number): void {
  editor.choose(null);
  document.getElementById(`step-${at}`)?.focus();
}

function remove(editor: WorkflowEditor, at: number): void {
  editor.choose(null);
  editor.edit(withoutStep(editor.draft, at));
  document.querySelector<HTMLElement>('.steps button, .workflow-side button')?.focus();
}

function nameElement(editor: WorkflowEditor, at: number, id: string): HTMLElement {
  const field = textField(
    { name: 'id', label: 'Name of the step', hint: 'Connections and instructions use it.' },
    { id: 'step-name', value: id, autocomplete: 'off', spellcheck: 'false' },
  );
  field.control.addEventListener('change', () => {
    const name = field.control.value.trim();
    const fault = nameFault(editor.draft, at, name);
    field.showFault(fault);
    if (fault === null) editor.edit(withName(editor.draft, at, name));
  });
  return field.element;
}
