import { ask } from '../../kit/ask.ts';
import { attempt, renewed } from '../../kit/dialogs.ts';
import { SECURITY_EVENT_KINDS } from '../../kit/domain.ts';
import { button, fill, h } from '../../kit/elements.ts';
import { choiceField, textField, type Visit } from '../../kit/forms.ts';
import { type List, listIn } from '../../kit/lists.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { forgetSession } from '../../kit/session-hint.ts';
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
  const readSessions: () => Promise<unknown> = listIn(
    sessions,
    visit.signal,
    sessionList(visit, () => renewed(sessions, readSessions)),
  );
  await Promise.all([showFactors(factors, visit.signal), readSessions(), showEvents(events, visit)]);
  return TITLE;
}

type Session = Schemas['Session'];

/** The open sessions of the owner, of which each can be ended. */
function sessionList(visit: Visit, changed: () => unknown): List<Session> {
  const end = async ({ session_id, current }: Session) => {
    const isDone = await attempt('The session is not ended', 'The session has ended.', () =>
      ask(`${SESSIONS}/${encodeURIComponent(session_id)}`, { method: 'DELETE' }),
    );
    if (!isDone || !current) return isDone;
    forgetSession();
    visit.again();
    return false;
  };
  const endOthers = async () => {
    const isDone = await attempt('The other sessions are not ended', 'All other sessions have ended.', () =>
      ask(SESSIONS, { method: 'DELETE' }),
    );
    if (isDone) await changed();
  };
  return {
    path: SESSIONS,
    what: 'your sessions',
    caption: 'Your open sessions, the last used first. Equal networks have equal names; they do not show the address.',
    none: 'There is no open session.',
    more: 'Show more sessions',
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
    ],
    actions: (session) => [
      { label: 'End', of: `the session of ${instant(session.created_at)}`, run: () => end(session) },
    ],
    below: ({ length }) =>
      length < 2 ? [] : [h('p', {}, button(`End ${counted(length - 1, 'other session')}`, endOthers))],
  };
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
  const read = listIn<Event>(list, signal, {
    path: '/api/v1/owner/security-events',
    query: () => ({
      kind: kind.control.value,
      result: result.control.value,
      since: since.control.value === '' ? '' : `${since.control.value}T00:00:00Z`,
    }),
    what: 'security events',
    caption: 'Security events, the newest first. Equal events within a minute are one row.',
    none: 'There is no such event. Old events are removed.',
    more: 'Show older events',
    columns: [
      { title: 'When', cell: ({ at }) => instant(at) },
      { title: 'What', cell: whatWords },
      { title: 'On', cell: ({ subject }) => (subject === null ? '' : h('code', {}, subject)) },
      { title: 'Client', cell: ({ client }) => plain(client) },
      { title: 'Network', cell: ({ network }) => (network === null ? '' : h('code', {}, network)) },
    ],
  });
  const filters = h(
    'form',
    { class: 'filters', 'aria-label': 'Filters of security events' },
    kind.element,
    result.element,
    since.element,
  );
  filters.addEventListener('change', read);
  filters.addEventListener('submit', (event) => {
    event.preventDefault();
    void read();
  });
  fill(box, filters, list);
  await read();
}

function whatWords({ kind, result, count, by_operator }: Event) {
  const notes = [
    result === 'failure' ? 'refused' : null,
    count > 1 ? counted(count, 'time') : null,
    by_operator ? 'by an operator' : null,
  ].filter(Boolean);
  return [plain(kind), notes.length > 0 && h('span', { class: 'about' }, notes.join(', '))];
}
