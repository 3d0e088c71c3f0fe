import { answerTo } from '../../kit/ask.ts';
import { h } from '../../kit/elements.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { showReading } from '../../kit/states.ts';
import { table } from '../../kit/tables.ts';
import { instant } from '../../kit/value-texts.ts';

interface Row {
  readonly name: string;
  readonly about: string;
  readonly limit: number;
  readonly remaining: number;
  readonly reset: string;
}

/** What is left of the daily pools, and of the rate window of this session. */
export async function showUsage(box: HTMLElement, signal: AbortSignal): Promise<void> {
  await showReading(box, signal, {
    what: 'the quotas',
    read: () => answerTo<Schemas['Capabilities']>('/api/v1/public/auth/status?include=quota', { signal }),
    show: ({ reply, headers }) => [
      usageTable([...poolRows(reply), windowRow(headers)]),
      reply.quota &&
        h(
          'p',
          { class: 'about' },
          `Each decision has ${reply.quota.check.limit_per_decision} checks of its state a day.`,
        ),
    ],
  });
}

function usageTable(rows: readonly Row[]): HTMLElement {
  return table<Row>({
    caption: 'All keys of the account share the pools of a day.',
    rows,
    columns: [
      { title: 'Pool', cell: ({ name, about }) => [name, h('span', { class: 'about' }, about)] },
      { title: 'Left', kind: 'number', cell: ({ remaining }) => remaining.toLocaleString('en-GB') },
      { title: 'Limit', kind: 'number', cell: ({ limit }) => limit.toLocaleString('en-GB') },
      { title: 'Full again', cell: ({ reset }) => instant(reset) },
    ],
  });
}

function poolRows({ quota }: Schemas['Capabilities']): readonly Row[] {
  if (!quota) return [];
  const { query, read } = quota;
  const credit = query.credit > 0 ? `, ${query.credit} of them earned by graded decisions` : '';
  return [
    { name: 'Cohort queries', about: `of agents${credit}`, ...query },
    { name: 'Records and batches', about: 'read by agents', ...read },
  ];
}

/** The window of the session, as the headers of the reply report it. */
function windowRow(headers: Headers): Row {
  const figure = (name: string) => Number(headers.get(`x-ratelimit-${name}`));
  return {
    name: 'Requests',
    about: 'in the current second or minute, whichever has less left; each key has windows of its own',
    limit: figure('limit'),
    remaining: figure('remaining'),
    reset: new Date(figure('reset') * 1_000).toISOString(),
  };
}
