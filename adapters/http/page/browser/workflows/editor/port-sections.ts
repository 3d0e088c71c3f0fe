import { button, type Child, h } from '../../kit/elements.ts';
import { edgeBetween, endOf, offeredFor, portsOf, type StepPort } from '../graph/step-ports.ts';
import type { NodeTemplate } from '../wire-workflows.ts';
import { withEdge, withoutEdge, withStep } from './draft-edits.ts';
import type { WorkflowEditor } from './workflow-editor.ts';

/** The connections of a step by its ports, with what each port can be connected with. */
export function portSections(editor: WorkflowEditor, at: number): readonly HTMLElement[] {
  const ports = portsOf(editor.draft, editor.library, at);
  return (['input', 'output'] as const).flatMap((side) => {
    const own = ports.filter((port) => port.side === side);
    if (own.length === 0) return [];
    return [
      h('h3', {}, side === 'input' ? 'Reads' : 'Hands on'),
      h('ul', { class: 'ports' }, ...own.map((port) => portItem(editor, port))),
    ];
  });
}

function portItem(editor: WorkflowEditor, port: StepPort): HTMLElement {
  return h(
    'li',
    {},
    h('b', {}, port.port),
    h('span', { class: 'about' }, typeWords(port)),
    connections(editor, port),
    connector(editor, port),
  );
}

function typeWords({ port, type, side, isRequired, isMultiple }: StepPort): string {
  if (type === null) return 'this kind of step has no such port';
  const named = type === port ? '' : `of type ${type}`;
  if (side === 'output') return named;
  const count = isMultiple ? (isRequired ? 'one or more' : 'any number') : isRequired ? 'one' : 'one or none';
  return [named, count].filter(Boolean).join(', ');
}

function connections(editor: WorkflowEditor, { edges, side, port }: StepPort): Child {
  if (edges.length === 0) return null;
  return h(
    'ul',
    {},
    ...edges.map((edge) => {
      const { from = '', to = '' } = editor.draft.edges[edge] ?? {};
      const other = side === 'input' ? from : to;
      const remove = button('Remove', () => disconnect(editor, edge, `connect-${side}-${port}`), {
        'aria-label': `Remove the connection ${side === 'input' ? 'from' : 'to'} ${other}`,
      });
      return h('li', {}, h('span', {}, side === 'input' ? `from ${other}` : `to ${other}`), remove);
    }),
  );
}

function disconnect(editor: WorkflowEditor, edge: number, next: string): void {
  editor.edit(withoutEdge(editor.draft, edge));
  (document.getElementById(next) ?? document.querySelector<HTMLElement>('#step-title'))?.focus();
}

/** Ports of this workflow with the same type, and kinds of steps that have one. */
function connector(editor: WorkflowEditor, port: StepPort): Child {
  const offered = offeredFor(editor.draft, editor.library, port);
  const hasRoom = port.isMultiple || port.edges.length === 0;
  const templates =
    port.type === null || !hasRoom ? [] : [...editor.library.values()].filter((template) => fits(template, port));
  if (offered.length + templates.length === 0) return null;
  const id = `connect-${port.side}-${port.port}`;
  const choice = h(
    'select',
    { id, 'aria-label': `Connect ${port.port} ${port.side === 'input' ? 'from' : 'to'}` },
    offered.length > 0 &&
      h(
        'optgroup',
        { label: 'A step of this workflow' },
        ...offered.map((other) => h('option', { value: `port ${endOf(other)}` }, endOf(other))),
      ),
    templates.length > 0 &&
      h(
        'optgroup',
        { label: 'A new step' },
        ...templates.map(({ node_id, title }) => h('option', { value: `new ${node_id}` }, `${title} (new)`)),
      ),
  );
  const connect = () => {
    const [kind, name] = splitOnce(choice.value);
    const other = kind === 'port' ? offered.find((each) => endOf(each) === name) : undefined;
    const template = kind === 'new' ? editor.library.get(name) : undefined;
    if (other) join(editor, port, other);
    else if (template) joinNew(editor, port, template);
    (document.getElementById(id) ?? document.querySelector<HTMLElement>('#step-title'))?.focus();
  };
  return h('div', { class: 'connector' }, choice, button('Connect', connect, { 'aria-label': `Connect ${port.port}` }));
}

function splitOnce(text: string): readonly [string, string] {
  const space = text.indexOf(' ');
  return [text.slice(0, space), text.slice(space + 1)];
}

function fits({ inputs, outputs }: NodeTemplate, { side, type }: StepPort): boolean {
  const others: readonly { readonly type: string }[] = side === 'input' ? outputs : inputs;
  return others.some((each) => each.type === type);
}

function join(editor: WorkflowEditor, port: StepPort, other: StepPort): void {
  const { from, to } = edgeBetween(port, other);
  editor.edit(withEdge(editor.draft, from, to));
}

/** Adds a step and connects its first port of the type; the chosen step stays chosen. */
function joinNew(editor: WorkflowEditor, port: StepPort, template: NodeTemplate): void {
  const { draft, at } = withStep(editor.draft, template);
  const other = portsOf(draft, editor.library, at).find(({ side, type }) => side !== port.side && type === port.type);
  if (!other) return;
  const { from, to } = edgeBetween(port, other);
  editor.edit(withEdge(draft, from, to));
}
