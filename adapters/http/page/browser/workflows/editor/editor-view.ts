import { ask } from '../../kit/ask.ts';
import { fill, h } from '../../kit/elements.ts';
import { showReading } from '../../kit/states.ts';
import type { Visit } from '../../kit/visit.ts';
import type { Library, WireWorkflow } from '../wire-workflows.ts';
import { draftTexts } from './draft-texts.ts';
import { editorBar } from './editor-bar.ts';
import { editorFoot } from './editor-foot.ts';
import { graphPanel } from './graph-panel.ts';
import { readLibrary } from './library.ts';
import { readinessPanel } from './readiness-panel.ts';
import { workflowPath } from './save-draft.ts';
import { stepPanel } from './step-panel.ts';
import { WorkflowEditor } from './workflow-editor.ts';

/** Editors with changes that are not stored, by workflow: they are there again when their owner returns. */
const unsaved = new Map<string, WorkflowEditor>();

/** The editor of one draft. */
export async function showEditor(view: HTMLElement, visit: Visit, id: string): Promise<string> {
  const box = h('div');
  const title = h('h1', { tabindex: -1 }, 'A workflow');
  fill(view, h('p', { class: 'crumbs' }, h('a', { href: '#/workflows' }, 'Workflows'), ' / draft'), box);
  await showReading(box, visit.signal, {
    what: 'the workflow',
    read: () => readAll(id, visit.signal),
    show({ saved, library }) {
      const editor = editorOf(saved, library);
      unsaved.set(id, editor);
      keep(editor, visit.signal);
      fill(title, editor.draft.name);
      if (!title.isConnected) box.before(title);
      visit.rename(editor.saved.name);
      return partsOf(editor, title, visit);
    },
  });
  if (!title.isConnected) box.before(title);
  return title.textContent;
}

async function readAll(id: string, signal: AbortSignal) {
  const [saved, library] = await Promise.all([ask<WireWorkflow>(workflowPath(id), { signal }), readLibrary()]);
  return { saved, library };
}

/** Changes that are not stored go on from the version that they began with, so that saving notices a newer one. */
function editorOf(saved: WireWorkflow, library: Library): WorkflowEditor {
  const before = unsaved.get(saved.id);
  return before?.hasChanges ? before : new WorkflowEditor(saved, library);
}

/** Without changes there is nothing to return to; with changes, the browser asks before the page closes. */
function keep(editor: WorkflowEditor, signal: AbortSignal): void {
  addEventListener('beforeunload', (event) => editor.hasChanges && event.preventDefault(), { signal });
  signal.addEventListener('abort', () => {
    if (!editor.hasChanges && unsaved.get(editor.saved.id) === editor) unsaved.delete(editor.saved.id);
  });
}

function partsOf(editor: WorkflowEditor, title: HTMLElement, visit: Visit): readonly HTMLElement[] {
  const { signal } = visit;
  editor.on(() => {
    title.textContent = editor.draft.name;
  }, signal);
  return [
    editorBar(editor, visit),
    readinessPanel(editor, signal),
    draftTexts(editor, signal),
    graphPanel(editor, signal),
    stepPanel(editor, signal),
    editorFoot(editor),
  ];
}
