import { type Child, h } from '../../kit/elements.ts';
import { plain } from '../../kit/value-texts.ts';
import { valueWords } from '../config/schema-form.ts';
import type { WorkflowEdge, WorkflowNode } from '../wire-workflows.ts';
import { type Difference, isEmpty, type MemberChange, type StepChange } from './snapshot-difference.ts';

type Level = 'h3' | 'h4';

/** What differs, in words, in groups with headings of that level; `none` if nothing does. */
export function differenceList(difference: Difference, none: string, level: Level = 'h3'): HTMLElement {
  if (isEmpty(difference)) return h('p', { class: 'soft' }, none);
  const { texts, added, removed, changed, connected, disconnected } = difference;
  return h(
    'div',
    { class: 'differences' },
    ...group(level, 'Texts', texts.map(memberItem)),
    ...group(
      level,
      'Steps added',
      added.map((node) => stepItem(node, 'added')),
    ),
    ...group(
      level,
      'Steps removed',
      removed.map((node) => stepItem(node, 'removed')),
    ),
    ...group(level, 'Steps changed', changed.map(changeItem)),
    ...group(
      level,
      'Connections added',
      connected.map((edge) => edgeItem(edge, 'added')),
    ),
    ...group(
      level,
      'Connections removed',
      disconnected.map((edge) => edgeItem(edge, 'removed')),
    ),
  );
}

function group(level: Level, title: string, items: readonly HTMLElement[]): readonly Child[] {
  return items.length === 0 ? [] : [h(level, {}, title), h('ul', {}, ...items)];
}

function memberItem({ member, before, after }: MemberChange): HTMLElement {
  return h('li', {}, h('b', {}, plain(member)), ...values(before, after));
}

/** Values that read alike, as the number 1 and the text 1 do, are shown as JSON. */
function values(before: unknown, after: unknown): readonly HTMLElement[] {
  const isAlike = valueWords(before) === valueWords(after);
  const words = (value: unknown) => (isAlike ? JSON.stringify(value) : valueWords(value)) || 'empty';
  return [
    before === undefined ? h('span', { class: 'soft' }, 'not set') : h('del', {}, words(before)),
    h(
      'span',
      { class: 'arrow' },
      h('span', { class: 'hidden' }, 'becomes'),
      h('span', { 'aria-hidden': 'true' }, '\u2192'),
    ),
    after === undefined ? h('span', { class: 'soft' }, 'not set') : h('ins', {}, words(after)),
  ];
}

function stepItem({ id, node_id, config }: WorkflowNode, kind: string): HTMLElement {
  const settings = Object.entries(config).map(([name, value]) => `${plain(name)}: ${valueWords(value)}`);
  return h(
    'li',
    { class: kind },
    h('b', {}, id),
    ` ${node_id}`,
    settings.length > 0 && h('span', { class: 'about' }, settings.join('; ')),
  );
}

function changeItem({ id, changes }: StepChange): HTMLElement {
  return h('li', {}, h('b', {}, id), h('ul', {}, ...changes.map(memberItem)));
}

function edgeItem({ from, to }: WorkflowEdge, kind: string): HTMLElement {
  return h('li', { class: kind }, `${from} to ${to}`);
}
