import { ask } from '../../kit/ask.ts';
import { announce, isConfirmed } from '../../kit/dialogs.ts';
import { button, fill, h } from '../../kit/elements.ts';
import { areaField, choiceField, type Field, textField, type Visit } from '../../kit/forms.ts';
import { RefusedRequest, refusalWords } from '../../kit/refused-request.ts';
import { showReading } from '../../kit/states.ts';
import { counted } from '../../kit/value-texts.ts';
import { goTo } from '../../shell/arrival.ts';
import { fork } from '../import-view.ts';
import type {
  Draft,
  Library,
  NodeTemplate,
  NumberedList,
  Visibility,
  WirePublication,
  WireWorkflow,
} from '../wire-workflows.ts';
import { editorBar } from './editor-bar.ts';
import { graphPanel } from './graph-panel.ts';
import { workflowPath } from './save-draft.ts';
import { stepPanel } from './step-panel.ts';
import { readinessPanel, WorkflowEditor } from './workflow-editor.ts';

let library: Promise<Library> | undefined;

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

/** What can be done with the stored draft as a whole. */
function editorFoot(editor: WorkflowEditor): HTMLElement {
  const { id, name } = editor.saved;
  return h(
    'section',
    { class: 'editor-foot', 'aria-label': 'The draft as a whole' },
    h(
      'div',
      { class: 'buttons' },
      h('a', { class: 'button', href: `#/workflows/${id}/versions` }, 'Versions and use'),
      h('a', { class: 'button', href: `${workflowPath(id)}/yaml`, download: '' }, 'Export as YAML'),
      button('Copy', () => fork(id), { 'aria-label': `Copy ${name} to your workflows` }),
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

/** Name, description, tags and visibility; each is taken over when its field is left. */
function draftTexts(editor: WorkflowEditor, signal: AbortSignal): HTMLElement {
  const fields: Readonly<Record<'name' | 'description' | 'tags' | 'visibility', Field>> = {
    name: textField({ name: 'name', label: 'Name' }, { autocomplete: 'off' }),
    description: areaField({ name: 'description', label: 'Description', hint: 'What it is for and when to use it.' }),
    tags: areaField({ name: 'tags', label: 'Tags', hint: 'One a line.' }, { rows: 2 }),
    visibility: choiceField(
      {
        name: 'visibility',
        label: 'Visibility',
        hint: 'Of the next publication. What was published for everybody stays readable.',
      },
      [
        ['private', 'private'],
        ['public', 'public'],
      ],
    ),
  };
  const show = () => {
    const { name, description, tags, visibility } = editor.draft;
    const values = { name, description, tags: tags.join('\n'), visibility };
    for (const [member, field] of Object.entries(fields)) {
      const value = values[member as keyof typeof values];
      if (field.control.value !== value) field.control.value = value;
    }
  };
  for (const [member, { control }] of Object.entries(fields)) {
    control.addEventListener('change', () => {
      editor.edit({ ...editor.draft, [member]: parsedValue(member as keyof typeof fields, control.value) }, 'typed');
    });
  }
  editor.on((event) => (event === 'edited' || event === 'saved') && show(), signal);
  show();
  return h(
    'details',
    { class: 'draft-texts' },
    h('summary', {}, 'Name, description, tags, visibility'),
    h('div', { class: 'form' }, ...Object.values(fields).map(({ element }) => element)),
  );
}

function parsedValue(member: 'name' | 'description' | 'tags' | 'visibility', text: string): Draft[typeof member] {
  if (member === 'visibility') return text as Visibility;
  if (member !== 'tags') return text;
  return text
    .split('\n')
    .map((tag) => tag.trim())
    .filter(Boolean);
}

/** The library of steps, which does not change while the page is open. @throws RefusedRequest */
export function readLibrary(): Promise<Library> {
  library ??= ask<{ readonly items: readonly NodeTemplate[] }>('/api/v1/nodes').then(
    ({ items }) => new Map(items.map((template) => [template.node_id, template])),
    (error: unknown) => {
      library = undefined;
      throw error;
    },
  );
  return library;
}
