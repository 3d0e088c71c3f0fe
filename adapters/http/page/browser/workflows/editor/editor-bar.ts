import { ask } from '../../kit/ask.ts';
import { announce, openDialog } from '../../kit/dialogs.ts';
import { button, fill, h } from '../../kit/elements.ts';
import type { Visit } from '../../kit/forms.ts';
import { RefusedRequest, refusalWords } from '../../kit/refused-request.ts';
import { copyLine } from '../../kit/secrets.ts';
import type { WireSnapshot, WireWorkflow } from '../wire-workflows.ts';
import { save, workflowPath } from './save-draft.ts';
import type { WorkflowEditor } from './workflow-editor.ts';

/** Saving, undoing and publishing, and whether there is something to save. */
export function editorBar(editor: WorkflowEditor, { signal }: Visit): HTMLElement {
  const state = h('p', { class: 'state-line', role: 'status' });
  const refusal = h('div', { role: 'alert' });
  const run = async (action: () => Promise<void>) => {
    fill(refusal);
    try {
      await action();
    } catch (error) {
      if (!(error instanceof RefusedRequest)) reportError(error);
      fill(refusal, refusalNotice(error));
    }
  };
  const saveNow = () => run(() => store(editor));
  const buttons = {
    save: button('Save', saveNow, { class: 'primary', 'aria-keyshortcuts': 'Control+S' }),
    undo: button('Undo', () => editor.undo(), { 'aria-keyshortcuts': 'Control+Z' }),
    redo: button('Redo', () => editor.redo(), { 'aria-keyshortcuts': 'Control+Shift+Z' }),
  };
  const show = () => {
    const { saved, hasChanges, history } = editor;
    const words = hasChanges
      ? `Changes since version ${saved.version} are not saved.`
      : `Version ${saved.version}, saved.`;
    if (state.textContent !== words) state.textContent = words;
    // A button that has the focus and becomes disabled would lose it.
    buttons.save.setAttribute('aria-disabled', String(!hasChanges));
    buttons.undo.setAttribute('aria-disabled', String(history.past.length === 0));
    buttons.redo.setAttribute('aria-disabled', String(history.future.length === 0));
  };
  editor.on(show, signal);
  show();
  listenToKeys(editor, saveNow, signal);
  return h(
    'div',
    { class: 'editor-bar' },
    h(
      'div',
      { class: 'buttons' },
      ...Object.values(buttons),
      button('Publish\u2026', () => run(() => publish(editor))),
      state,
    ),
    refusal,
  );
}

async function store(editor: WorkflowEditor): Promise<void> {
  if (!editor.hasChanges) return announce('There is nothing to save.');
  if (await save(editor)) announce(`Saved as version ${editor.saved.version}.`);
}

function refusalNotice(error: unknown): HTMLElement {
  const faults = error instanceof RefusedRequest ? error.faults : [];
  return h(
    'div',
    { class: 'refused' },
    h('p', {}, h('b', {}, 'Not saved. '), refusalWords(error)),
    faults.length > 0 &&
      h('ul', {}, ...faults.map(({ path, message }) => h('li', {}, h('code', {}, path), ` ${message}`))),
  );
}

/** In a text field, the keys that undo belong to its text. */
function listenToKeys(editor: WorkflowEditor, saveNow: () => void, signal: AbortSignal): void {
  addEventListener(
    'keydown',
    (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || document.querySelector('dialog[open]')) return;
      const key = event.key.toLowerCase();
      const isText =
        event.target instanceof HTMLElement && event.target.matches('input:not([type="checkbox"]), textarea');
      const action =
        key === 's' ? saveNow : key !== 'z' || isText ? null : () => (event.shiftKey ? editor.redo() : editor.undo());
      if (!action) return;
      event.preventDefault();
      // The field that is being typed in takes its text over when it loses the focus.
      if (key === 's' && isText) (event.target as HTMLElement).dispatchEvent(new Event('change'));
      action();
    },
    { signal },
  );
}

/** Saves what is not saved, shows what is missing or asks, publishes, and shows the reference. @throws RefusedRequest */
async function publish(editor: WorkflowEditor): Promise<void> {
  if (editor.hasChanges && !(await save(editor))) return;
  const { saved } = editor;
  if (!saved.readiness.ready) return void showMissing(editor);
  if (!(await isWanted(saved))) return;
  const snapshot = await ask<WireSnapshot>(`${workflowPath(saved.id)}/snapshots`, { method: 'POST' });
  editor.store(await ask<WireWorkflow>(workflowPath(saved.id)), editor.draft);
  announce('Published.');
  await showReference(snapshot);
}

function showMissing(editor: WorkflowEditor): Promise<null> {
  const { version, readiness } = editor.saved;
  return openDialog<null>(`Version ${version} cannot be published yet`, (close) => [
    h(
      'ul',
      { class: 'faults' },
      ...readiness.failures.map(({ node, port, message }) =>
        h('li', {}, node !== null && h('b', {}, `${[node, port].filter(Boolean).join('.')}: `), message),
      ),
    ),
    h(
      'div',
      { class: 'buttons' },
      button('Close', () => close(null), { class: 'primary' }),
    ),
  ]);
}

async function isWanted({ name, version, visibility }: WireWorkflow): Promise<boolean> {
  const forWhom =
    visibility === 'public'
      ? 'It becomes readable by everybody, and that cannot be taken back.'
      : 'It is readable by you alone. To publish for everybody, change its visibility first.';
  const answer = await openDialog<true>(`Publish \u201c${name}\u201d`, (close) => [
    h('p', {}, `Version ${version} becomes a snapshot that nobody can change or remove. ${forWhom}`),
    h('p', {}, 'The draft stays as it is, and can be changed and published again.'),
    h(
      'div',
      { class: 'buttons' },
      button('Publish', () => close(true), { class: 'primary' }),
      button('Cancel', () => close(null)),
    ),
  ]);
  return answer === true;
}

function showReference({ workflow_ref, hash }: WireSnapshot): Promise<null> {
  return openDialog<null>('Published', (close) => [
    h('p', {}, 'Agents that follow it name it in their decisions, as ', h('code', {}, 'workflow_ref'), ':'),
    h('div', { class: 'reference' }, copyLine(workflow_ref, 'Copy the reference')),
    h(
      'p',
      {},
      h('a', { href: `/api/v1/public/workflows/snapshots/${hash}/export`, download: '' }, 'Download it as a skill'),
      ' for agents that follow it.',
    ),
    h(
      'div',
      { class: 'buttons' },
      button('Close', () => close(null), { class: 'primary' }),
    ),
  ]);
}
