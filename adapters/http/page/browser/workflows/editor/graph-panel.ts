import { openDialog } from '../../kit/dialogs.ts';
import { button, fill, h } from '../../kit/elements.ts';
import { textField } from '../../kit/forms.ts';
import { steer } from '../../kit/svg.ts';
import { type GraphDrawing, openDrawing } from '../graph/graph-drawing.ts';
import { graphTools } from '../graph/graph-tools.ts';
import { edgeBetween, offeredFor, portsOf, type StepPort } from '../graph/step-ports.ts';
import type { Library, NodeTemplate } from '../wire-workflows.ts';
import { withEdge, withStep } from './draft-edits.ts';
import { groupsOf, matchingTemplates } from './library-search.ts';
import { stepList, type WorkflowEditor } from './workflow-editor.ts';

/** The drawing and, next to it, the list of the steps: what one of them can do, the other one can too. */
export function graphPanel(editor: WorkflowEditor, signal: AbortSignal): HTMLElement {
  const box = h('div', {
    class: 'graph',
    role: 'application',
    'aria-label':
      'The workflow as a drawing. Arrow keys move it, plus and minus zoom, 0 shows all. The list contains the same.',
  });
  const tools = h('div', { class: 'atlas-tools' });
  const status = h('p', { class: 'connecting', role: 'status' });
  const drawing = openDrawing(box, { ...handlersOf(editor), signal });
  fill(tools, ...graphTools(drawing));
  steer(box, drawing, signal);
  follow(editor, drawing, signal);
  editor.on(() => showConnecting(status, editor), signal);
  addEventListener('keydown', ({ key }) => key === 'Escape' && editor.connecting && editor.connect(null), { signal });
  return h(
    'section',
    { class: 'workflow', 'aria-label': 'Steps' },
    h(
      'div',
      { class: 'workflow-side' },
      h(
        'div',
        { class: 'head' },
        h('h2', {}, 'Steps'),
        button('Add a step\u2026', () => addStep(editor)),
      ),
      stepList(editor, signal),
    ),
    h('div', { class: 'workflow-map' }, box, tools, status),
  );
}

async function addStep(editor: WorkflowEditor): Promise<void> {
  const template = await chooseTemplate(editor.library);
  if (!template) return;
  const { draft, at } = withStep(editor.draft, template);
  editor.edit(draft);
  editor.choose(at);
}

/** Draws every change. */
function follow(editor: WorkflowEditor, drawing: GraphDrawing, signal: AbortSignal): void {
  const show = () => {
    const { draft, library, saved } = editor;
    drawing.show({ draft, library, failures: saved.readiness.failures });
    drawing.choose(editor.chosen);
  };
  editor.on((event) => {
    if (event === 'chosen') drawing.choose(editor.chosen);
    else if (event === 'connecting') drawing.offer(editor.connecting, offers(editor));
    else show();
  }, signal);
  show();
}

function offers({ connecting, draft, library }: WorkflowEditor): readonly StepPort[] {
  return connecting ? offeredFor(draft, library, connecting) : [];
}

type PortName = Pick<StepPort, 'at' | 'side' | 'port'>;

function handlersOf(editor: WorkflowEditor) {
  const portOf = ({ at, side, port }: PortName) =>
    portsOf(editor.draft, editor.library, at).find((each) => each.side === side && each.port === port) ?? null;
  const join = (from: StepPort, name: PortName) => {
    const other = offeredFor(editor.draft, editor.library, from).find(
      ({ at, side, port }) => at === name.at && side === name.side && port === name.port,
    );
    if (!other) return false;
    const edge = edgeBetween(from, other);
    editor.edit(withEdge(editor.draft, edge.from, edge.to));
    return true;
  };
  return {
    onStep: (at: number) => {
      if (editor.connecting) editor.connect(null);
      editor.choose(at);
    },
    onPort: (name: PortName) => {
      const { connecting } = editor;
      if (connecting && join(connecting, name)) return;
      const port = portOf(name);
      editor.connect(connecting && connecting.at === port?.at && connecting.port === port.port ? null : port);
    },
    onLine: (from: PortName, to: PortName) => {
      const port = portOf(from);
      if (port && !join(port, to)) editor.connect(port);
    },
  };
}

function showConnecting(status: HTMLElement, editor: WorkflowEditor): void {
  const { connecting } = editor;
  if (!connecting) {
    fill(status);
    return;
  }
  const { step, port, type, side } = connecting;
  const other = side === 'input' ? 'output' : 'input';
  const count = offers(editor).length;
  const words =
    count === 0
      ? `${step}.${port} can be connected with nothing now: no free ${other} of another step is of type ${type}.`
      : `Choose the ${other} that ${step}.${port} is connected with; ${count} of type ${type} can be.`;
  fill(
    status,
    words,
    button('Stop', () => editor.connect(null)),
  );
}

/** Lets the owner choose a kind of step; null: none. */
function chooseTemplate(library: Library): Promise<NodeTemplate | null> {
  return openDialog<NodeTemplate>('Add a step', (close) => {
    const search = textField(
      { name: 'search', label: 'Search the library of steps' },
      { type: 'search', autocomplete: 'off' },
    );
    const list = h('div', { class: 'library' });
    const count = h('p', { class: 'soft', role: 'status' });
    const show = () => {
      const found = matchingTemplates(library, search.control.value);
      fill(list, ...[...groupsOf(found)].map(([group, templates]) => groupSection(group, templates, close)));
      fill(count, found.size === library.size ? '' : `${found.size} of ${library.size} kinds of steps`);
    };
    search.control.addEventListener('input', show);
    show();
    return [
      search.element,
      count,
      list,
      h(
        'div',
        { class: 'buttons' },
        button('Cancel', () => close(null)),
      ),
    ];
  });
}

function groupSection(group: string, templates: readonly NodeTemplate[], close: (template: NodeTemplate) => void) {
  const id = `library-${group}`;
  return h(
    'section',
    { 'aria-labelledby': id },
    h('h3', { id }, group),
    h('ul', {}, ...templates.map((template) => templateItem(template, close))),
  );
}

function templateItem(template: NodeTemplate, close: (template: NodeTemplate) => void): HTMLElement {
  const { title, node_id, instructions } = template;
  return h(
    'li',
    {},
    h(
      'div',
      { class: 'head' },
      h('span', {}, h('b', {}, title), ' ', h('code', {}, node_id)),
      button('Add', () => close(template), { 'aria-label': `Add ${title}` }),
    ),
    h('p', { class: 'about' }, portWords(template)),
    h(
      'details',
      {},
      h('summary', {}, 'What it does', h('span', { class: 'hidden' }, `: ${title}`)),
      instructionsBlock(instructions),
    ),
  );
}

/** `takes bars, benchmark; gives features` */
function portWords({ inputs, outputs }: NodeTemplate): string {
  const names = (ports: readonly { readonly port: string }[]) => ports.map(({ port }) => port).join(', ');
  const takes = inputs.length === 0 ? '' : `takes ${names(inputs)}`;
  const gives = outputs.length === 0 ? '' : `gives ${names(outputs)}`;
  return [takes, gives].filter(Boolean).join('; ');
}

/** The instructions of a template, a paragraph for each of its lines. */
export function instructionsBlock(instructions: string): HTMLElement {
  return h('div', { class: 'instructions' }, ...instructions.split('\n').map((line) => h('p', {}, line)));
}
