import { button, type Child, h } from '../../kit/elements.ts';
import { counted } from '../../kit/value-texts.ts';
import { refill } from '../refill.ts';
import type { ReadinessFailure } from '../wire-workflows.ts';
import type { WorkflowEditor } from './workflow-editor.ts';

/** What prevents the publication of the stored version, each with a way to its step. */
export function readinessPanel(editor: WorkflowEditor, signal: AbortSignal): HTMLElement {
  const box = h('section', { class: 'readiness', 'aria-label': 'Before it can be published' });
  const show = () => {
    const { ready, failures } = editor.saved.readiness;
    const scope = editor.hasChanges ? ` This is of version ${editor.saved.version}: save to check your changes.` : '';
    if (ready) return refill(box, h('p', { class: 'soft' }, `Nothing is missing for publication.${scope}`));
    refill(
      box,
      h(
        'details',
        { id: 'missing', open: failures.length <= FEW },
        h(
          'summary',
          { id: 'missing-summary' },
          `${counted(failures.length, 'fault')} to mend before it can be published`,
        ),
        scope !== '' && h('p', { class: 'soft' }, scope.trim()),
        h('ul', {}, ...failures.map((failure, i) => failureItem(failure, i, editor))),
      ),
    );
  };
  editor.on((event) => event !== 'connecting' && event !== 'chosen' && show(), signal);
  show();
  return box;
}

const FEW = 6;

function failureItem(failure: ReadinessFailure, index: number, editor: WorkflowEditor): HTMLElement {
  const at = editor.draft.nodes.findIndex(({ id }) => id === failure.node);
  const place = failure.port === null || failure.port === '' ? failure.node : `${failure.node}.${failure.port}`;
  const name: Child =
    failure.node === null
      ? null
      : at < 0
        ? h('b', {}, `${place} `)
        : button(place ?? '', () => editor.choose(at), { class: 'link', id: `missing-${index}` });
  return h('li', {}, name, name && ' ', failure.message);
}

/** The faults of one step, or of one of its ports. */
export function failuresOf(editor: WorkflowEditor, step: string): readonly ReadinessFailure[] {
  return editor.saved.readiness.failures.filter(({ node }) => node === step);
}
