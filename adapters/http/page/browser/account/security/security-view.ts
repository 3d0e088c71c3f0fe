import { ask } from '../../kit/ask.ts';
import { attempt, renewed } from '../../kit/dialogs.ts';
import { SECURITY_EVENT_KINDS } from '../../kit/domain.ts';
import { button, fill, h } from '../../kit/elements.ts';
import { choiceField, textField, type Visit } from '../../kit/forms.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { forgetSession } from '../../kit/session-hint.ts';
import { showReading } from '../../kit/states.ts';
import { pagedTable, table, type WirePage } from '../../kit/tables.ts';
import { counted, instant, plain } from '../../kit/value-texts.ts';
import { showFactors } from './factors.ts';

const SESSIONS = '/api/v1/owner/auth/sessions';

const TITLE = 'Security';

/** The second factors, the open sessions, and what happened to the account. */
export async function show(view: HTMLElement, visit: Visit): Promise<string> {
  const [factors, sessions, events] = [h('div'), h('div'), h('div')];
  fill(
    view,
    h('h1', { tabindex: -1 }, TITLE),
    h('section', { 'aria-labelledby': 'factors' }, h('h2', { id: 'factors' }, 'Second factor'), factors),
    h('section', { 'aria-labelledby': 'sessions' }, h('h2', { id: 'sessions' }, 'Sessions'), sessions),
    h('section', { 'aria-labelledby': 'events' }, h('h2', { id: 'events' }, 'Security events'), events),
  );
  await Promise.all([showFactors(factors, visit.signal), showSessions(sessions, visit), showEvents(events, visit)]);
  return TITLE;
}

type Session = Schemas['Session'];

/** The open sessions of the owner, of which each can be ended. */
async function showSessions(box: HTMLElement, visit: Visit): Promise<void> {
  const { signal } = visit;
  await showReading(box, signal, {
    what: 'your sessions',
    read: () => ask<Schemas['SessionPage']>(SESSIONS, { signal }),
    show: ({ items }) => [sessionTable(items, box, visit), ...othersOf(items, box, visit)],
  });
}

function sessionTable(rows: readonly Session[], box: HTMLElement, visit: Visit): HTMLElement {
  return table<Session>({
    caption: 'Your open sessions, the last used first. Equal networks have equal names; they do not show the address.',
    rows,
    columns: [
      {
        title: 'Begun',
        cell: ({ created_at, current }) => [
          instant(created_at),
          current && h('span', { class: 'about' }, 'this session'),
        ],
      },
      { title: 'Last used', cell: ({ last_used_at }) => instant(last_used_at) },
      { title: 'Client', cell: ({ client }) => (client === null ? 'unknown' : plain(client)) },
      { title: 'Network', cell: ({ network }) => (network === null ? 'unknown' : h('code', {}, network)) },
      { title: 'Actions', kind: 'actions', cell: (session) => endButton(session, box, visit) },
    ],
  });
}

function endButton({ session_id, current, created_at }: Session, box: HTMLElement, visit: Visit): HTMLElement {
  const end = async () => {
    const isDone = await attempt('The session is not ended', 'The session has ended.', () =>
      ask(`${SESSIONS}/${encodeURIComponent(session_id)}`, { method: 'DELETE' }),
    );
    if (!isDone) return;
    if (!current) return renewed(box, () => showSessions(box, visit));
    forgetSession();
    visit.again();
  };
  return h(
    'div',
    { class: 'buttons' },
    button('End', end, { 'aria-label': `End the session of ${instant(created_at)}` }),
  );
}

function othersOf(items: readonly Session[], box: HTMLElement, visit: Visit): readonly HTMLElement[] {
  if (items.length < 2) return [];
  const end = async () => {
    const isDone = await attempt('The other sessions are not ended', 'All other sessions have ended.', () =>
      ask(SESSIONS, { method: 'DELETE' }),
    );
    if (isDone) await renewed(box, () => showSessions(box, visit));
  };
  return [h('p', {}, button(`End ${counted(items.length - 1, 'other session')}`, end))];
}

type Event = Schemas['OwnSecurityEvent'];

/** What happened to the account, the newest first, with filters. */
async function showEvents(box: HTMLElement, { signal }: Visit): Promise<void> {
  const kinds = SECURITY_EVENT_KINDS.map((value) => [value, plain(value)] as const);
  const kind = choiceField({ name: 'kind', label: 'Kind' }, [['', 'all'], ...kinds]);
  const result = choiceField({ name: 'result', label: 'Result' }, [
    ['', 'all'],
    ['success', 'what succeeded'],
    ['failure', 'what was refused'],
  ]);
  const since = textField({ name: 'since', label: 'Since (UTC)' }, { type: 'date' });
  const list = h('div');
  const query = () => ({
    kind: kind.control.value,
    result: result.control.value,
    since: since.control.value === '' ? '' : `${since.control.value}T00:00:00Z`,
  });
  const renew = () => showList(list, query(), signal);
  const filters = h(
    'form',
    { class: 'filters', 'aria-label': 'Filters of security events' },
    kind.element,
    result.element,
    since.element,
  );
  filters.addEventListener('change', renew);
  filters.addEventListener('submit', (event) => {
    event.preventDefault();
    void renew();
  });
  fill(box, filters, list);
  await renew();
}

/** Without the filters that are empty. */
function showList(list: HTMLElement, query: Readonly<Record<string, string>>, signal: AbortSignal) {
  const filters = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
  const read = (cursor?: string) => {
    const sent = new URLSearchParams({ ...filters, ...(cursor === undefined ? {} : { cursor }) });
    return ask<WirePage<Event>>(`/api/v1/owner/security-events?${sent}`, { signal });
  };
  return showReading(list, signal, {
    what: 'security events',
    read: () => read(),
    show: (first) => (first.items.length === 0 ? [] : eventTable(first, read, signal)),
    none: 'There is no such event. Old events are removed.',
  });
}

function eventTable(
  first: WirePage<Event>,
  next: (cursor: string) => Promise<WirePage<Event>>,
  signal: AbortSignal,
): readonly HTMLElement[] {
  return pagedTable<Event>({
    caption: 'Security events, the newest first. Equal events within a minute are one row.',
    first,
    next,
    more: 'Show older events',
    signal,
    columns: [
      { title: 'When', cell: ({ at }) => instant(at) },
      { title: 'What', cell: whatWords },
      { title: 'On', cell: ({ subject }) => (subject === null ? '' : h('code', {}, subject)) },
      { title: 'Client', cell: ({ client }) => plain(client) },
      { title: 'Network', cell: ({ network }) => (network === null ? '' : h('code', {}, network)) },
    ],
  });
}

function whatWords({ kind, result, count, by_operator }: Event) {
  const notes = [
    result === 'failure' ? 'refused' : null,
    count > 1 ? counted(count, 'time') : null,
    by_operator ? 'by an operator' : null,
  ].filter(Boolean);
  return [plain(kind), notes.length > 0 && h('span', { class: 'about' }, notes.join(', '))];
}
