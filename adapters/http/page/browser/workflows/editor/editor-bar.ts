import { announce } from '../../kit/announcements.ts';
import { button, fill, h } from '../../kit/elements.ts';
import { RefusedRequest, refusalWords } from '../../kit/refused-request.ts';
import type { Visit } from '../../kit/visit.ts';
import { publish } from './publish-dialog.ts';
import { save } from './save-draft.ts';
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
