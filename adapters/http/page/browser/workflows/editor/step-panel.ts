import { button, type Child, fill, h, refill } from '../../kit/elements.ts';
import { textField } from '../../kit/forms.ts';
import { configFields, jsonField } from '../config/config-fields.ts';
import { type FieldSchema, fieldsOf, membersFit } from '../config/schema-form.ts';
import { edgeBetween, endOf, offeredFor, portsOf, type StepPort } from '../graph/step-ports.ts';
import { isSameJson } from '../same-json.ts';
import type { NodeTemplate, WorkflowNode } from '../wire-workflows.ts';
import { nameFault, withConfig, withEdge, withName, withoutEdge, withoutStep, withStep } from './draft-edits.ts';
import { instructionsBlock } from './graph-panel.ts';
import { type EditorEvent, failuresOf, type WorkflowEditor } from './workflow-editor.ts';

/** The chosen step: its faults, name, connections and settings. */
export function stepPanel(editor: WorkflowEditor, signal: AbortSignal): HTMLElement {
  const faults = h('ul', { class: 'faults' });
  const box = h('section', { class: 'step-panel', 'aria-labelledby': 'step-title' });
  let shown = editor.draft;
  const show = (event: EditorEvent) => {
    const at = editor.chosen;
    box.hidden = at === null;
    if (at === null || event === 'connecting') return;
    fill(faults, ...faultItems(editor, at));
    // What is being typed in stays in place.
    const isShown = event === 'typed' || (event === 'saved' && isSameJson(shown.nodes, editor.draft.nodes));
    shown = editor.draft;
    if (!isShown) refill(box, ...content(editor, at, faults));
  };
  editor.on(show, signal);
  show('chosen');
  return box;
}

function faultItems(editor: WorkflowEditor, at: number): readonly HTMLElement[] {
  const faults = failuresOf(editor, editor.draft.nodes[at]?.id ?? '');
  return faults.map(({ message, port }) => h('li', {}, port && h('b', {}, `${port}: `), message));
}

function content(editor: WorkflowEditor, at: number, faults: HTMLElement): readonly Child[] {
  const { id = '', node_id = '', config = {} } = editor.draft.nodes[at] ?? {};
  const template = editor.library.get(node_id);
  const changed = (next: Config) => editor.edit(withConfig(editor.draft, at, next), 'typed');
  return [
    h(
      'div',
      { class: 'head' },
      h('h2', { id: 'step-title', tabindex: -1 }, template?.title ?? node_id, ' ', h('code', {}, id)),
      button('Close', () => close(editor, at), { id: 'step-close' }),
    ),
    faults,
    template && h('details', {}, h('summary', {}, 'What this step does'), instructionsBlock(template.instructions)),
    h(
      'div',
      { class: 'columns' },
      h('div', {}, nameElement(editor, at, id), ...portSections(editor, at)),
      h('div', {}, h('h3', {}, 'Settings'), configForm({ template, config, changed })),
    ),
    h(
      'div',
      { class: 'buttons' },
      button('Remove this step', () => remove(editor, at), { id: 'step-remove' }),
    ),
  ];
}

function close(editor: WorkflowEditor, at: number): void {
  editor.choose(null);
  document.getElementById(`step-${at}`)?.focus();
}

function remove(editor: WorkflowEditor, at: number): void {
  editor.choose(null);
  editor.edit(withoutStep(editor.draft, at));
  document.querySelector<HTMLElement>('.steps button, .workflow-side button')?.focus();
}

function nameElement(editor: WorkflowEditor, at: number, id: string): HTMLElement {
  const field = textField(
    { name: 'id', label: 'Name of the step', hint: 'Connections and instructions use it.' },
    { id: 'step-name', value: id, autocomplete: 'off', spellcheck: 'false' },
  );
  field.control.addEventListener('change', () => {
    const name = field.control.value.trim();
    const fault = nameFault(editor.draft, at, name);
    field.showFault(fault);
    if (fault === null) editor.edit(withName(editor.draft, at, name));
  });
  return field.element;
}

/** The connections of a step by its ports, with what each port can be connected with. */
function portSections(editor: WorkflowEditor, at: number): readonly HTMLElement[] {
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

type Config = WorkflowNode['config'];

interface ConfigForm {
  readonly template: NodeTemplate | undefined;
  readonly config: Config;
  /** Gets the whole config after each change of a field. */
  changed(config: Config): void;
}

/**
 * A form for a config, made of the schema of its template; as JSON where the owner prefers that, or where the form would
 * lose some of the config.
 */
function configForm({ template, config, changed }: ConfigForm): HTMLElement {
  const fields = fieldsOf((template?.config_schema ?? {}) as FieldSchema);
  const box = h('div', { class: 'config' });
  let current = config;
  const note = (next: Config) => {
    current = next;
    changed(next);
  };
  const show = (asJson: boolean) => {
    const canShow = fields.length > 0 && membersFit(fields, current);
    const toggle = h('input', { type: 'checkbox', id: 'config-json' });
    toggle.checked = asJson || !canShow;
    toggle.disabled = !canShow;
    toggle.addEventListener('change', () => {
      show(toggle.checked);
      document.querySelector<HTMLElement>('#config-json')?.focus();
    });
    const why = canShow
      ? null
      : h(
          'p',
          { class: 'hint' },
          'These settings do not fit the form of this kind of step, so they are edited as JSON.',
        );
    box.replaceChildren(
      ...(toggle.checked
        ? [
            jsonField({
              label: 'Settings as JSON',
              value: current,
              isObject: true,
              changed: (next) => note(next as Config),
            }),
          ]
        : configFields({ fields, value: current, prefix: 'config', changed: note })),
      ...(why ? [why] : []),
      h('div', { class: 'field check' }, toggle, h('label', { for: 'config-json' }, 'Edit as JSON')),
    );
  };
  show(false);
  return box;
}
