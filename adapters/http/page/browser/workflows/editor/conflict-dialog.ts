import { openDialog } from '../../kit/dialogs.ts';
import { button, h } from '../../kit/elements.ts';
import { differenceList } from '../versions/difference-list.ts';
import { differenceOf } from '../versions/snapshot-difference.ts';
import { type Draft, draftOf, type WireWorkflow } from '../wire-workflows.ts';

interface Conflict {
  /** The version that the edits began with. */
  readonly base: Draft;
  readonly mine: Draft;
  readonly theirs: WireWorkflow;
  /** What would be stored: the current version with the members that were edited here. */
  readonly merged: Draft;
}

/** Shows what was stored meanwhile and what was edited here, and asks which of them is to stay. null: go on editing. */
export function resolveConflict({ base, mine, theirs, merged }: Conflict): Promise<'theirs' | 'mine' | null> {
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
