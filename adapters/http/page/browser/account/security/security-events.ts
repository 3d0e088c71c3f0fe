import { ask } from '../../kit/ask.ts';
import { SECURITY_EVENT_KINDS } from '../../kit/domain.ts';
import { fill, h } from '../../kit/elements.ts';
import { choiceField, textField } from '../../kit/forms.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { showReading } from '../../kit/states.ts';
import { pagedTable, type WirePage } from '../../kit/tables.ts';
import { counted, instant, plain } from '../../kit/value-texts.ts';
import type { Visit } from '../../kit/visit.ts';

type Event = Schemas['OwnSecurityEvent'];

/** What happened to the account, the newest first, with filters. */
export async function showEvents(box: HTMLElement, { signal }: Visit): Promise<void> {
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
