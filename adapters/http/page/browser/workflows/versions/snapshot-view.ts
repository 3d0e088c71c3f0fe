import { ask } from '../../kit/ask.ts';
import { withShownTexts } from '../../kit/domain.ts';
import { type Child, fill, h } from '../../kit/elements.ts';
import type { Visit } from '../../kit/forms.ts';
import { copyLine } from '../../kit/secrets.ts';
import { showReading } from '../../kit/states.ts';
import { steer } from '../../kit/svg.ts';
import { counted, instant, plain } from '../../kit/value-texts.ts';
import { valueWords } from '../config/schema-form.ts';
import { stepOf } from '../editor/draft-edits.ts';
import { readLibrary } from '../editor/editor-view.ts';
import { instructionsBlock } from '../editor/graph-panel.ts';
import { inOrder } from '../editor/workflow-editor.ts';
import { openDrawing } from '../graph/graph-drawing.ts';
import { graphTools } from '../graph/graph-tools.ts';
import { loadStyle } from '../import-view.ts';
import { aboutLines } from '../list-view.ts';
import type { Draft, Library, WireSnapshot } from '../wire-workflows.ts';
import { fileLinks } from './versions-view.ts';

const TITLE = 'A published workflow';

/** One snapshot: what it is for, its steps drawn and in words, its reference and its files. */
export async function show(view: HTMLElement, { rest, signal, rename }: Visit): Promise<string> {
  await loadStyle();
  const box = h('div');
  const title = h('h1', { tabindex: -1 }, TITLE);
  fill(
    view,
    h('p', { class: 'crumbs' }, h('a', { href: '#/marketplace' }, 'Public workflows'), ' / published'),
    title,
    box,
  );
  await showReading(box, signal, {
    what: 'the workflow',
    async read() {
      const path = `/api/v1/public/workflows/snapshots/${encodeURIComponent(rest)}`;
      const [snapshot, library] = await Promise.all([ask<WireSnapshot>(path, { signal }), readLibrary()]);
      // Publications from before hidden characters were refused may contain them.
      return { snapshot: withShownTexts(snapshot), library };
    },
    show({ snapshot, library }) {
      fill(title, snapshot.name);
      rename(snapshot.name);
      return content(snapshot, library, signal);
    },
  });
  return title.textContent;
}

function content(snapshot: WireSnapshot, library: Library, signal: AbortSignal): readonly Child[] {
  const { description, tags, published_at, workflow_ref, hash, node_count } = snapshot;
  return [
    h('p', { class: 'soft published-when' }, `Published ${instant(published_at)}, ${counted(node_count, 'step')}.`),
    h('p', { class: 'described' }, description),
    ...aboutLines('', tags, '#/marketplace?tag='),
    h('h2', {}, 'Reference'),
    h(
      'p',
      {},
      'Agents that follow it name it in their decisions, as ',
      h('code', {}, 'workflow_ref'),
      '. As a file: ',
      ...fileLinks(hash),
    ),
    h('div', { class: 'reference' }, copyLine(workflow_ref, 'Copy the reference')),
    h('h2', {}, 'Steps'),
    drawing({ ...snapshot }, library, signal),
    h('ol', { class: 'steps read' }, ...inOrder(snapshot).map((at) => stepItem(snapshot, library, at))),
  ];
}

function drawing(draft: Draft, library: Library, signal: AbortSignal): HTMLElement {
  const label =
    'The workflow as a drawing. Arrow keys move it, plus and minus zoom, 0 shows all. The list below contains the same.';
  const box = h('div', { class: 'graph', role: 'application', 'aria-label': label });
  const tools = h('div', { class: 'atlas-tools' });
  const handlers = {
    onStep: goToStep,
    onPort: ({ at }: { at: number }) => goToStep(at),
    onLine: () => undefined,
    signal,
  };
  const drawn = openDrawing(box, handlers);
  drawn.show({ draft, library, failures: [] });
  steer(box, drawn, signal);
  fill(tools, ...graphTools(drawn));
  return h('div', { class: 'workflow-map' }, box, tools);
}

function goToStep(at: number): void {
  const item = document.getElementById(`read-${at}`);
  item?.focus({ preventScroll: true });
  item?.scrollIntoView({ block: 'center' });
}

function stepItem({ nodes, edges }: Draft, library: Library, at: number): HTMLElement {
  const { id = '', node_id = '', config = {} } = nodes[at] ?? {};
  const template = library.get(node_id);
  const reads = edges.filter(({ to }) => stepOf(to) === id);
  return h(
    'li',
    { id: `read-${at}`, tabindex: -1 },
    h('b', {}, id),
    ` ${template?.title ?? node_id}`,
    reads.length > 0 && h('span', { class: 'about' }, `reads ${reads.map(({ from }) => from).join(', ')}`),
    ...Object.entries(config).map(([name, value]) =>
      h('span', { class: 'about' }, `${plain(name)}: ${valueWords(value)}`),
    ),
    template &&
      h(
        'details',
        {},
        h('summary', {}, 'What it does', h('span', { class: 'hidden' }, `: ${id}`)),
        instructionsBlock(template.instructions),
      ),
  );
}
