import { announce } from '../../kit/announcements.ts';
import { ask } from '../../kit/ask.ts';
import { isConfirmed } from '../../kit/dialogs.ts';
import { button, h } from '../../kit/elements.ts';
import { RefusedRequest, refusalWords } from '../../kit/refused-request.ts';
import { counted } from '../../kit/value-texts.ts';
import { goTo } from '../../shell/arrival.ts';
import { forkButton } from '../fork-button.ts';
import type { NumberedList, WirePublication } from '../wire-workflows.ts';
import { workflowPath } from './save-draft.ts';
import type { WorkflowEditor } from './workflow-editor.ts';

/** What can be done with the stored draft as a whole. */
export function editorFoot(editor: WorkflowEditor): HTMLElement {
  const { id, name } = editor.saved;
  return h(
    'section',
    { class: 'editor-foot', 'aria-label': 'The draft as a whole' },
    h(
      'div',
      { class: 'buttons' },
      h('a', { class: 'button', href: `#/workflows/${id}/versions` }, 'Versions and use'),
      h('a', { class: 'button', href: `${workflowPath(id)}/yaml`, download: '' }, 'Export as YAML'),
      forkButton(id, name),
      button('Delete\u2026', () => remove(editor), { class: 'danger' }),
    ),
    h('p', { class: 'hint' }, 'The export and the copy are of the stored version.'),
  );
}

async function remove(editor: WorkflowEditor): Promise<void> {
  const { id, name, version } = editor.saved;
  try {
    const { total } = await ask<NumberedList<WirePublication>>(`${workflowPath(id)}/snapshots?per_page=1`);
    const words = [
      `The draft, version ${version}, is removed for good.${editor.hasChanges ? ' Changes that are not saved go with it.' : ''}`,
      total === 0
        ? 'It was never published, so nothing of it stays.'
        : `Its ${counted(total, 'publication')} stay: decisions can name them, and who may read them now may read them then. ` +
          'It leaves the list of public workflows. This list of its publications goes with it, so note the references that you need.',
    ];
    if (!(await isConfirmed({ title: `Delete \u201c${name}\u201d?`, words, action: 'Delete the draft' }))) return;
    await ask(workflowPath(id), { method: 'DELETE' });
    // Nothing is left to be saved.
    editor.store(editor.saved);
    announce('Deleted.');
    goTo('#/workflows');
  } catch (error) {
    if (!(error instanceof RefusedRequest)) reportError(error);
    announce(refusalWords(error));
  }
}
