import { type Child, h } from '../../kit/elements.ts';
import { instant, plain } from '../../kit/value-texts.ts';
import type { WireUsage } from '../wire-workflows.ts';

/** The counts of a workflow's use, as the service gives them. */
export function usageFacts({ decisions, forks, snapshots, last_used_at }: WireUsage): readonly Child[] {
  const { total, evaluated, result_distribution: results } = decisions;
  return [
    h(
      'div',
      { class: 'tiles' },
      tile('Decisions that name it', total),
      tile('of them evaluated', evaluated),
      tile('Copies', forks),
      tile('Different contents published', snapshots),
    ),
    h(
      'p',
      { class: 'soft' },
      last_used_at === null ? 'No decision has named it yet.' : `Named last at ${instant(last_used_at)}.`,
    ),
    results === null
      ? h('p', {}, 'Results are withheld: those of other owners are shown only for enough decisions by enough owners.')
      : evaluated > 0 && distribution(results),
  ];
}

function tile(title: string, count: number): HTMLElement {
  return h('div', { class: 'tile' }, h('b', {}, count.toLocaleString('en-GB')), h('span', { class: 'soft' }, title));
}

function distribution(results: Readonly<Record<string, number>>): HTMLElement {
  return h(
    'dl',
    { 'aria-label': 'Results' },
    ...Object.entries(results).map(([bucket, count]) =>
      h('div', {}, h('dt', {}, plain(bucket)), h('dd', {}, count.toLocaleString('en-GB'))),
    ),
  );
}
