import { ask } from '../../kit/ask.ts';
import { h } from '../../kit/elements.ts';
import { hasProvider } from '../../kit/provider-sign-in.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { showReading } from '../../kit/states.ts';
import { table } from '../../kit/tables.ts';
import { counted, instant, plain } from '../../kit/value-texts.ts';

type Event = Schemas['OwnSecurityEvent'];

const SHOWN = 5;

/** The last logins, also those that were refused. */
export async function showSignIns(box: HTMLElement, signal: AbortSignal): Promise<void> {
  const kinds = hasProvider() ? ['login', 'provider_login'] : ['login'];
  await showReading(box, signal, {
    what: 'recent sign-ins',
    async read() {
      const path = `/api/v1/owner/security-events?limit=${SHOWN}&kind=`;
      const pages = await Promise.all(
        kinds.map((kind) => ask<Schemas['OwnSecurityEventPage']>(`${path}${kind}`, { signal })),
      );
      const events = pages.flatMap(({ items }) => items);
      return events.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at)).slice(0, SHOWN);
    },
    show: (events) =>
      events.length === 0
        ? []
        : [signInTable(events), h('p', {}, h('a', { href: '#/security' }, 'Sessions and all security events'))],
    none: 'None is recorded.',
  });
}

function signInTable(rows: readonly Event[]): HTMLElement {
  return table<Event>({
    caption: 'If you do not know one of them, change your password and end the other sessions.',
    rows,
    columns: [
      { title: 'When', cell: ({ at }) => instant(at) },
      {
        title: 'Result',
        cell: ({ result, count }) =>
          `${result === 'failure' ? 'refused' : 'signed in'}${count > 1 ? `, ${counted(count, 'time')}` : ''}`,
      },
      { title: 'Client', cell: ({ client }) => plain(client) },
      { title: 'Network', cell: ({ network }) => (network === null ? '' : h('code', {}, network)) },
    ],
  });
}
