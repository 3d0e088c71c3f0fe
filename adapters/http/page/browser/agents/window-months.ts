import type { PeriodOutcomes } from '../../../../../domain/decisions/own/outcome-periods.ts';
import { figure } from '../kit/charts.ts';
import { h } from '../kit/elements.ts';
import { bucketLegend, columnTable, stacks, WAYS } from './outcome-chart.ts';
import { type OutcomeColumn, outcomeColumns, totalOf } from './outcome-columns.ts';

/** The outcomes of an agent by month, as the service counts them. */
export interface AgentMonths {
  readonly agent_id: string;
  readonly name: string;
  readonly items: readonly PeriodOutcomes[];
}

type Origin = PeriodOutcomes['submission_origin'];

interface DrawnAgent extends AgentMonths {
  readonly columns: readonly OutcomeColumn[];
}

/** The outcomes of agents by the month in which windows ended, side by side in the same months and of one scale. */
export function windowMonths(all: readonly AgentMonths[], origin: Origin): HTMLElement | null {
  const own = all.map(({ items, ...agent }) => ({
    ...agent,
    items: items.filter(({ submission_origin }) => submission_origin === origin),
  }));
  const items = own.flatMap((each) => each.items);
  if (items.length === 0) return null;
  const drawn = own.map((each) => ({
    ...each,
    columns: outcomeColumns(each.items, 'month', null, Date.now(), items),
  }));
  const unit = drawn[0]?.columns[0]?.step ?? 'month';
  const others = drawn.flatMap(({ columns }) => columns);
  return figure(
    `Outcomes by ${unit} in which the window ended`,
    'Each bar is a number of decisions; all charts have one scale. Fewer than ten are dots. Each leads to its decisions.',
    [bucketLegend(), h('div', { class: 'columns' }, ...drawn.map((each) => agentCharts(each, others, origin)))],
    h('div', {}, ...drawn.map(({ name, columns }) => columnTable(columns, name))),
  );
}

function agentCharts({ agent_id, name, columns }: DrawnAgent, others: readonly OutcomeColumn[], origin: Origin) {
  const title = h('h3', {}, name);
  if (columns.every(({ distribution }) => totalOf(distribution) === 0))
    return h('div', {}, title, h('p', { class: 'soft' }, 'Nothing is graded.'));
  const filters = { agent_id, submission_origin: origin };
  const [asDecided, ...directions] = WAYS.map((way) => ({
    name: way.name,
    chart: (height: number) => stacks({ way, columns, filters, height, others, of: name }),
  }));
  const isKnown = columns.every(({ had_said }) => had_said !== null);
  return h(
    'div',
    {},
    title,
    asDecided?.chart(200),
    isKnown
      ? h(
          'details',
          { class: 'behind' },
          h('summary', {}, 'What each direction would have got'),
          ...directions.flatMap((way) => [h('h4', {}, way.name), way.chart(130)]),
        )
      : h('p', { class: 'soft' }, 'What each direction would have got is not counted yet for all of them.'),
  );
}
