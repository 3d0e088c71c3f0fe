import { announce } from '../../kit/announcements.ts';
import { ask } from '../../kit/ask.ts';
import { openDialog } from '../../kit/dialogs.ts';
import { button, h } from '../../kit/elements.ts';
import { copyLine } from '../../kit/secrets.ts';
import type { WireSnapshot, WireWorkflow } from '../wire-workflows.ts';
import { save, workflowPath } from './save-draft.ts';
import type { WorkflowEditor } from './workflow-editor.ts';

/** Saves what is not saved, shows what is missing or asks, publishes, and shows the reference. @throws RefusedRequest */
export async function publish(editor: WorkflowEditor): Promise<void> {
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
