import { h } from '../kit/elements.ts';
import type { Detail, Factor } from '../kit/wire.ts';
import { metaText } from './agent-words.ts';

/** The agent's own words: the summary and `meta` for its owner, the key factors for everybody. */
export function agentPart(record: Detail): HTMLElement | null {
  const isOwn = record.view === 'owner';
  const summary = isOwn ? record.summary : null;
  const meta = isOwn ? metaText(record) : null;
  const { key_factors: factors } = record;
  if (summary === null && meta === null && factors.length === 0) return null;
  return h(
    'section',
    { class: 'facts words' },
    h('h2', {}, 'In the words of the agent'),
    summary !== null && h('p', { class: 'summary' }, summary),
    factors.length > 0 && h('h3', {}, 'Key factors'),
    factors.length > 0 && h('ul', { class: 'factors' }, ...factors.map(factorItem)),
    meta !== null && h('h3', {}, 'meta, as it was sent'),
    // Long lines scroll, so the keyboard has to reach them.
    meta !== null && h('pre', { class: 'meta', tabindex: 0, role: 'region', 'aria-label': 'meta' }, meta),
  );
}

function factorItem({ factor, dimension, direction, metric }: Factor): HTMLElement {
  const measured = metric && `${metric.name} ${metric.value}${metric.unit ? ` ${metric.unit}` : ''}`;
  const note = [dimension, direction, measured].filter(Boolean).join(', ');
  return h('li', {}, factor, note ? h('span', { class: 'about' }, note) : null);
}
