import { ask } from '../../kit/ask.ts';
import { openDialog } from '../../kit/dialogs.ts';
import { button, h } from '../../kit/elements.ts';
import { RefusedRequest } from '../../kit/refused-request.ts';
import { isSameJson } from '../same-json.ts';
import { differenceList } from '../versions/difference-list.ts';
import { differenceOf } from '../versions/snapshot-difference.ts';
import { type Draft, draftOf, type WireWorkflow } from '../wire-workflows.ts';
import type { WorkflowEditor } from './workflow-editor.ts';

export function workflowPath(id: string): string {
  return `/api/v1/owner/workflows/${encodeURIComponent(id)}`;
}

/**
 * Stores the edits as the next version. If another one was stored meanwhile, the owner decides. False: not stored.
 * @throws RefusedRequest
 */
export async function save(editor: WorkflowEditor): Promise<boolean> {
  const { saved, draft } = editor;
  const change = changeOf(draftOf(saved), draft);
  try {
    const body = { expected_version: saved.version, ...change };
    const stored = await ask<WireWorkflow>(workflowPath(saved.id), { method: 'PUT', body });
    editor.store(stored, editor.draft === draft ? draftOf(stored) : editor.draft);
    return true;
  } catch (error) {
    if (!(error instanceof RefusedRequest) || error.code !== 'VERSION_CONFLICT') throw error;
    return decide(editor);
  }
}

async function decide(editor: WorkflowEditor): Promise<boolean> {
  const theirs = await ask<WireWorkflow>(workflowPath(editor.saved.id));
  const base = draftOf(editor.saved);
  const change = changeOf(base, editor.draft);
  const choice = await resolveConflict({ base, mine: editor.draft, theirs, merged: { ...draftOf(theirs), ...change } });
  if (choice === 'theirs') editor.store(theirs);
  if (choice !== 'mine') return false;
  editor.store(theirs, { ...draftOf(theirs), ...change });
  return save(editor);
}

/** The members that differ. Steps and connections go together, so that neither refers to what the other lacks. */
function changeOf(before: Draft, after: Draft): Partial<Draft> {
  const { name, description, tags, visibility, nodes, edges } = after;
  const isWired = isSameJson([before.nodes, before.edges], [nodes, edges]);
  const texts = Object.entries({ name, description, tags, visibility }).filter(
    ([member, value]) => !isSameJson(before[member as keyof Draft], value),
  );
  return { ...Object.fromEntries(texts), ...(isWired ? {} : { nodes, edges }) };
}

interface Conflict {
  /** The version that the edits began with. */
  readonly base: Draft;
  readonly mine: Draft;
  readonly theirs: WireWorkflow;
  /** What would be stored: the current version with the members that were edited here. */
  readonly merged: Draft;
}

/** Shows what was stored meanwhile and what was edited here, and asks which of them is to stay. null: go on editing. */
function resolveConflict({ base, mine, theirs, merged }: Conflict): Promise<'theirs' | 'mine' | null> {
  const title = `Version ${theirs.version} was saved meanwhile`;
  return openDialog<'theirs' | 'mine'>(title, (close) => [
    h(
      'p',
      {},
      'Another page or program has changed this workflow since you opened it. Nothing of yours is stored yet.',
    ),
    h('h3', {}, 'What changed there'),
    differenceList(differenceOf(base, draftOf(theirs)), 'Nothing that differs from what you opened.', 'h4'),
    h('h3', {}, 'What you changed'),
    differenceList(differenceOf(base, mine), 'Nothing.', 'h4'),
    h('h3', {}, `What saving yours again does to version ${theirs.version}`),
    differenceList(differenceOf(draftOf(theirs), merged), 'Nothing: it contains your changes already.', 'h4'),
    h(
      'div',
      { class: 'buttons' },
      button('Save mine again', () => close('mine'), { class: 'primary' }),
      button('Take theirs, drop mine', () => close('theirs')),
      button('Go on editing', () => close(null)),
    ),
  ]);
}
