import { ask } from '../kit/ask.ts';
import { attempt } from '../kit/dialogs.ts';
import { button, type Child, fill, h } from '../kit/elements.ts';
import type { Visit } from '../kit/forms.ts';
import { type ListPage, listView, readAgentNames } from '../kit/lists.ts';
import type { Schemas } from '../kit/schemas.ts';
import { showReading } from '../kit/states.ts';
import { table } from '../kit/tables.ts';
import { counted, instant } from '../kit/value-texts.ts';
import { goTo } from '../shell/arrival.ts';
import {
  confidencePart,
  directionsPart,
  monthsPart,
  section,
  type TrackCounts,
  totalsPart,
  waysTable,
} from './track-parts.ts';

const SETS = '/api/v1/owner/backtests';
const GUIDE = '/guide/backtests';
const ABOUT =
  'Calls about the past, graded like decisions and apart from them: nobody else sees them, and no record counts them.';

/** Milliseconds between two looks at a set that is being graded, and at one of which all rows came to an end. */
const PAUSE = 4_000;
const REST = 15_000;

type Counts = Schemas['BacktestSet'];

interface NamedSet {
  readonly set: string;
  readonly agent_id: string;
  readonly agent: string;
  readonly about: Counts['about'];
  readonly created_at: string;
  readonly rows: number;
}

/** All sets of back-tests of the owner, or one: `AGENT/SET`. */
export function show(view: HTMLElement, visit: Visit): Promise<string> {
  return visit.rest === '' ? showSets(view, visit) : showSet(view, visit);
}

const showSets = listView<NamedSet>(({ signal }) => ({
  title: 'Back-tests',
  about: h('p', { class: 'lead' }, ABOUT),
  path: SETS,
  what: 'your back-tests',
  none: h('p', {}, 'You have no back-test yet. ', h('a', { href: GUIDE }, 'How agents send one'), '.'),
  after: () => h('p', {}, h('a', { class: 'button', href: '/import' }, 'Import a file')),
  more: 'Show more',
  async read() {
    const [{ items }, agents] = await Promise.all([
      ask<Pick<ListPage<Omit<NamedSet, 'agent'>>, 'items'>>(SETS, { signal }),
      readAgentNames(signal),
    ]);
    const nameOf = (id: string) => agents.find(({ agent_id }) => agent_id === id)?.name ?? id;
    return { items: items.map((set) => ({ ...set, agent: nameOf(set.agent_id) })), next_cursor: null };
  },
  columns: [
    { title: 'Set', cell: ({ agent_id, set }) => h('a', { href: `#/backtests/${agent_id}/${set}` }, set) },
    { title: 'Agent', cell: ({ agent }) => agent },
    { title: 'Source', cell: ({ about }) => [about.source, h('span', { class: 'about' }, about.horizon_rule)] },
    { title: 'Rows', kind: 'number', cell: ({ rows }) => rows.toLocaleString('en-GB') },
    { title: 'Begun', cell: ({ created_at }) => instant(created_at) },
  ],
}));

async function showSet(view: HTMLElement, { rest, signal }: Visit): Promise<string> {
  const [agentId = '', name = ''] = rest.split('/').map(decodeURIComponent);
  const own = `/api/v1/owner/agents/${encodeURIComponent(agentId)}/backtests/${encodeURIComponent(name)}`;
  const path = `/api/v1/agent/backtests/${encodeURIComponent(name)}?agent_id=${encodeURIComponent(agentId)}`;
  const [box, foot] = [h('div'), h('div', { class: 'buttons' })];
  fill(
    view,
    h('p', { class: 'crumbs' }, h('a', { href: '#/backtests' }, 'Back-tests'), ' / ', h('span', {}, name)),
    h('h1', { tabindex: -1 }, name),
    h('p', { class: 'lead' }, ABOUT),
    box,
    foot,
  );
  const counts = (aborted: AbortSignal) => ask<Counts>(path, { signal: aborted });
  const read = () =>
    showReading(box, signal, {
      what: 'the back-test',
      read: counts,
      show(shown) {
        follow(shown);
        if (foot.childElementCount === 0) fill(foot, ...actions(own, agentId, name));
        return setParts(shown, box.querySelector('details[open]') !== null);
      },
    });
  /** Counts that did not change are not drawn again: the reader may be in a table of them. */
  const follow = (shown: Counts) => {
    setTimeout(() => signal.aborted || void look(shown), shown.pending_count > 0 ? PAUSE : REST);
  };
  const look = async (shown: Counts) => {
    const next = await counts(signal).catch(() => null);
    if (JSON.stringify(next) === JSON.stringify(shown)) follow(shown);
    else if (!signal.aborted) await read();
  };
  await read();
  return `Back-test ${name}`;
}

/** @param isOpen whether the table behind the drawing is */
function setParts(counts: Counts, isOpen: boolean): readonly Child[] {
  const shown = { ...counts, by_symbol: [] } as unknown as TrackCounts;
  const months = monthsPart(shown, MONTHS, 'row');
  months?.querySelector('details')?.toggleAttribute('open', isOpen);
  return [
    progressPart(counts),
    totalsPart(shown, 'row'),
    reasonsPart(counts),
    months,
    directionsPart(shown, 'row'),
    confidencePart(shown, 'row'),
    knowledgePart(counts),
  ];
}

const MONTHS = {
  title: 'By month of the window',
  about:
    'Each bar is the number of rows whose window began in a month and came out in a bucket. All drawings have one scale.',
};

function progressPart(counts: Counts): HTMLElement {
  const {
    submission_count: all,
    pending_count: pending,
    ungraded_yet,
    tried_again,
    windows,
    about,
    first_anchor,
    last_anchor,
  } = counts;
  const ended = all - pending;
  const again =
    tried_again > 0
      ? `, ${tried_again.toLocaleString('en-GB')} of them until a source answers (for 8 days at most)`
      : '';
  const overlap = windows
    ? ` ${counted(windows.instruments, 'instrument')}, ${counted(windows.disjoint, 'window')} that do not overlap, at most ${windows.max_concurrent} of one instrument at once.`
    : ` ${counted(counts.instruments, 'instrument')}.`;
  const span =
    first_anchor && last_anchor
      ? ['Windows begin from ', instant(first_anchor), ' to ', instant(last_anchor), '.']
      : [];
  return section(
    'What is in it',
    `From ${about.source}. Horizons: ${about.horizon_rule}.`,
    h('progress', { max: Math.max(1, all), value: ended, 'aria-label': 'Rows that are graded' }),
    h(
      'p',
      { 'aria-live': 'polite' },
      `${counted(ended, 'row')} of ${all.toLocaleString('en-GB')} came to an end; ${ungraded_yet.toLocaleString('en-GB')} wait for their grade${again}.${overlap} `,
      ...span,
    ),
  );
}

function reasonsPart({ ungraded }: Counts): HTMLElement | null {
  const reasons = [
    ...(ungraded.rejected > 0 ? [{ reason: 'rejected', total: ungraded.rejected }] : []),
    ...ungraded.data_unavailable,
    ...(ungraded.suspected > 0 ? [{ reason: 'suspected prices', total: ungraded.suspected }] : []),
  ];
  if (reasons.length === 0) return null;
  return section(
    'Without an outcome that counts',
    'The reasons are those of decisions.',
    table({
      caption: 'Rows without an outcome that counts, by reason',
      isCaptionHidden: true,
      rows: reasons,
      columns: [
        { title: 'Reason', cell: ({ reason }) => reason.replaceAll('_', ' ') },
        { title: 'Rows', kind: 'number', cell: ({ total }) => total.toLocaleString('en-GB') },
      ],
    }),
  );
}

const KNOWLEDGE = [
  ['before', 'data before it'],
  ['after', 'data after it'],
  ['without', 'none stated'],
] as const;

function knowledgePart({ by_knowledge_cutoff: counts }: Counts): HTMLElement {
  const rows = KNOWLEDGE.map(([key, name]) => ({ name, ...counts[key] }));
  return section(
    'By the stated end of what the model knew',
    'Of data before that end, the model may know what came next.',
    waysTable('knowledge cutoff', rows as unknown as Parameters<typeof waysTable>[1], 'row'),
  );
}

/** What can be done with a set. */
function actions(path: string, agentId: string, name: string): readonly Child[] {
  const remove = async () => {
    const words = [`All rows of ${name} and their outcomes are deleted, for good. Export them first if you want them.`];
    const question = { title: `Delete ${name}?`, words, action: 'Delete the back-test' };
    const send = () => ask(path, { method: 'DELETE' });
    if (await attempt(`${name} is not deleted`, `${name} is deleted.`, send, question)) goTo('#/backtests');
  };
  const more = new URLSearchParams({ set: name, agent: agentId });
  return [
    h('a', { class: 'button', href: `/import?${more}` }, 'Send a file to it'),
    h('a', { class: 'button', href: `${path}/export`, download: `${name}.jsonl` }, 'Export the rows'),
    button('Delete the back-test', () => remove(), { class: 'danger' }),
  ];
}
