import { ask } from '../kit/ask.ts';
import { button, type Child, factList, fill, h } from '../kit/elements.ts';
import type { Visit } from '../kit/forms.ts';
import type { Schemas } from '../kit/schemas.ts';
import { showReading } from '../kit/states.ts';
import { type Column, table } from '../kit/tables.ts';
import { counted, type Fact, facts, instant, plain } from '../kit/value-texts.ts';
import { showMinutes } from './minute-charts.ts';
import { type BackupsPart, backupsPart, sourceProbe, verifyAnyButton, verifyButton } from './operator-actions.ts';
import { type ProblemGroup, problemGroups } from './problem-groups.ts';

type Status = Schemas['ServiceStatus'];

const PROCESSES: readonly Column<Schemas['ProcessStatus']>[] = [
  { title: 'Process', cell: ({ process }) => process },
  { title: 'State', cell: ({ state }) => badge(state, state === 'silent') },
  {
    title: 'Does',
    cell: ({ runs_jobs, answers_requests }) =>
      [runs_jobs && 'jobs', answers_requests && 'requests'].filter(Boolean).join(', ') || 'starts others',
  },
  { title: 'Reported', cell: ({ reported_at }) => instant(reported_at) },
  {
    title: 'Connections',
    cell: ({ connections: use }) => (use ? `${use.in_use} used, ${use.idle} idle, ${use.waiting} waiting` : 'unknown'),
  },
  { title: 'Disk', cell: ({ disk }) => diskWords(disk) },
  { title: 'Release', cell: ({ release }) => release },
];

const JOBS: readonly Column<Schemas['JobStatus']>[] = [
  { title: 'Job', cell: ({ job }) => job },
  { title: 'State', cell: ({ state }) => badge(state, state !== 'idle' && state !== 'running') },
  { title: 'Succeeded last', cell: ({ last_succeeded_at }) => timeOr(last_succeeded_at, 'not yet') },
  { title: 'Runs since', cell: ({ active_since }) => timeOr(active_since, '') },
  { title: 'Waiting', kind: 'number', cell: ({ waiting }) => String(waiting) },
  {
    title: 'Failed in a row',
    kind: 'number',
    cell: ({ failures, last_error }) => (failures === 0 ? '0' : `${failures} (${last_error})`),
  },
];

const SOURCES: readonly Column<Schemas['SourceStatus']>[] = [
  { title: 'Source', cell: ({ source }) => source },
  { title: 'State', cell: ({ state }) => badge(state, state === 'paused' || state === 'failing') },
  { title: 'Serves', cell: ({ serves }) => serves },
  { title: 'Process', cell: ({ process }) => process },
  { title: 'Answered last', cell: ({ last_success_at }) => timeOr(last_success_at, 'never') },
  { title: 'Failures', kind: 'number', cell: ({ failures }) => String(failures) },
  { title: 'Last error', cell: ({ last_error }) => last_error ?? 'none' },
];

const CALENDARS: readonly Column<Status['calendars'][number]>[] = [
  { title: 'Venues', cell: ({ venues }) => venues.join(', ') },
  { title: 'Known until', cell: ({ until }) => until },
  { title: 'Days left', kind: 'number', cell: ({ days_left }) => String(days_left) },
  { title: 'Source', cell: ({ source }) => source },
];

const TITLE = 'Operations';

/** What is wrong now and what to do; then the figures that it follows from. */
export async function show(view: HTMLElement, { signal }: Visit): Promise<string> {
  const box = h('div');
  const charts = h('section', { class: 'minutes' });
  const figures = h('div');
  const backups = backupsPart(signal);
  const read = () =>
    showReading(box, signal, {
      what: 'the state of the service',
      read: () => ask<Status>('/api/v1/admin/status', { signal }),
      show(status) {
        backups.show(status.backups);
        fill(figures, ...statusSections(status, signal), section('Backups', backups.element));
        return [
          h('p', { class: 'soft' }, `As of ${instant(status.now)}. `, button('Read again', read)),
          problems(status, { signal, backups }),
        ];
      },
    });
  fill(view, h('h1', { tabindex: -1 }, TITLE), box, charts, figures);
  showMinutes(charts, signal);
  await read();
  return TITLE;
}

/** What the buttons next to a problem need. */
interface Means {
  readonly signal: AbortSignal;
  readonly backups: BackupsPart;
}

function problems({ problems: found }: Status, means: Means): HTMLElement {
  if (found.length === 0)
    return h('section', { class: 'operator-problems' }, h('p', {}, h('b', {}, 'Nothing is wrong.')));
  return h(
    'section',
    { class: 'operator-problems', 'data-wrong': true },
    h('h2', {}, counted(found.length, 'problem')),
    h('ol', {}, ...problemGroups(found).map((group) => problemItem(group, means))),
  );
}

function problemItem(
  { part, isUrgent, texts, action, instruments }: ProblemGroup,
  { signal, backups }: Means,
): HTMLElement {
  const place = PLACES[part];
  return h(
    'li',
    {},
    h(
      'p',
      {},
      h('span', { class: 'state', 'data-wrong': isUrgent }, isUrgent ? 'urgent' : 'warning'),
      ' ',
      h('span', { class: 'state' }, part),
      ' ',
      h('b', {}, texts[0] ?? ''),
    ),
    ...texts.slice(1).map((text) => h('p', { class: 'soft' }, text)),
    h('p', {}, action, place && ' ', place && h('a', { class: 'button', href: place[0] }, place[1])),
    instruments.length > 0 && h('div', { class: 'buttons' }, ...instruments.map(verifyButton)),
    ...(part === 'sources' ? sourceProbe(signal) : []),
    part === 'backups' && h('div', { class: 'buttons' }, backups.button()),
  );
}

/** Where the page does what a command does. */
const PLACES: Readonly<Record<string, readonly [address: string, words: string]>> = {
  circuits: ['#/circuits', 'Open circuits'],
  evaluations: ['#/instruments', 'Open instruments'],
  names: ['#/instruments', 'Open instruments'],
};

/** The figures of the status, in sections. */
function statusSections(status: Status, signal: AbortSignal): readonly HTMLElement[] {
  return [
    section('Decisions', factList(decisionFacts(status))),
    section(
      'Processes',
      table({ caption: 'Processes', isCaptionHidden: true, columns: PROCESSES, rows: status.processes }),
    ),
    section('Jobs', table({ caption: 'Jobs', isCaptionHidden: true, columns: JOBS, rows: status.jobs })),
    section(
      'Sources of prices',
      status.sources.length === 0
        ? h(
            'p',
            {},
            'No process has reported on a source within the last minute: none is configured, or no process runs.',
          )
        : table({ caption: 'Sources of prices', isCaptionHidden: true, columns: SOURCES, rows: status.sources }),
      ...sourceProbe(signal, verifyAnyButton()),
    ),
    section(
      'Calendars of stock venues',
      status.calendars.length === 0
        ? h('p', {}, 'No stock was submitted yet.')
        : table({ caption: 'Calendars', isCaptionHidden: true, columns: CALENDARS, rows: status.calendars }),
    ),
    section('Evidence log, webhooks, mails', factList(otherFacts(status))),
  ];
}

function section(title: string, ...content: readonly HTMLElement[]): HTMLElement {
  return h('section', {}, h('h2', {}, title), ...content);
}

function decisionFacts({ backlog, last_graded_at, failures }: Status): readonly Fact[] {
  const { rejected, data_unavailable } = failures;
  const reasons = data_unavailable.today_by_reason.map(({ reason, total }) => `${plain(reason)} ${total}`).join(', ');
  return facts(
    [
      'Due for evaluation',
      `${backlog.due}${backlog.oldest_due_at ? `, the oldest since ${instant(backlog.oldest_due_at)}` : ''}`,
    ],
    ['Graded last', timeOr(last_graded_at, 'none yet')],
    ['Rejected', `${rejected.total}, of them submitted today ${rejected.today}`],
    [
      'Without data',
      `${data_unavailable.total}, of them submitted today ${data_unavailable.today}${reasons && ` (${reasons})`}`,
    ],
    backlog.of_unknown_methods > 0 && [
      'Of methods that this release does not know',
      String(backlog.of_unknown_methods),
    ],
  );
}

function otherFacts(status: Status): readonly Fact[] {
  const { log, witnesses, timestamp_authorities, webhooks, mails, replica } = status;
  return facts(
    [
      'Evidence log',
      log.origin === null ? 'off' : `${log.origin}, ${log.state}, ${counted(log.size, 'leaf', 'leaves')}`,
    ],
    ['Signed last', `${timeOr(log.signed_at, 'never')}; ${log.pending} events without a leaf`],
    ['Logged late in 24 hours', `${log.late_today} realtime decisions`],
    ...witnesses.map(
      ({ witness, cosigned_at, refused }): Fact => [
        `Witness ${witness}`,
        `${timeOr(cosigned_at, 'never')}${refused ? '; it refuses' : ''}`,
      ],
    ),
    ...timestamp_authorities.map(
      ({ authority, stamped_at, failure }): Fact => [
        `Time-stamp authority ${authority}`,
        `${timeOr(stamped_at, 'never')}${failure === null ? '' : `; the last request failed: ${failure}`}`,
      ],
    ),
    ['Deliveries due', `${webhooks.due}; stopped webhooks ${webhooks.stopped}`],
    ['Mails due', `${mails.due}; to be sent again ${mails.failed}${mails.failure ? ` (${plain(mails.failure)})` : ''}`],
    replica && ['Replica', `${replica.lag_bytes ?? 'unknown'} bytes behind`],
  );
}

function diskWords(disk: Schemas['ProcessStatus']['disk']): string {
  if (disk === null) return 'unknown';
  const { state, free_bytes } = disk;
  return free_bytes === null ? state : `${state}, ${(free_bytes / 1e9).toFixed(1)} GB free`;
}

function badge(state: string, isWrong: boolean): Child {
  return h('span', { class: 'state', 'data-wrong': isWrong }, state);
}

function timeOr(time: string | null, otherwise: string): string {
  return time === null ? otherwise : instant(time);
}
