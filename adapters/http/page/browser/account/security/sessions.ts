import { attempt, renewed } from '../../kit/actions.ts';
import { ask } from '../../kit/ask.ts';
import { button, h } from '../../kit/elements.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { forgetSession } from '../../kit/session-hint.ts';
import { showReading } from '../../kit/states.ts';
import { table } from '../../kit/tables.ts';
import { counted, instant, plain } from '../../kit/value-texts.ts';
import type { Visit } from '../../kit/visit.ts';

type Session = Schemas['Session'];

const SESSIONS = '/api/v1/owner/auth/sessions';

/** The open sessions of the owner, of which each can be ended. */
export async function showSessions(box: HTMLElement, visit: Visit): Promise<void> {
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
