import { choiceField, textField, type Visit } from '../kit/forms.ts';
import { instant, plain } from '../kit/value-texts.ts';
import { showFilteredList } from './filtered-list.ts';
import type { WireSecurityEvent } from './wire-operators.ts';

const TITLE = 'Security events of all accounts';

/** Logins, refusals and changes that concern the security of any account. */
export async function show(view: HTMLElement, visit: Visit): Promise<string> {
  await showFilteredList<WireSecurityEvent>(view, visit, {
    title: TITLE,
    view: 'all-security-events',
    path: '/api/v1/admin/security-events',
    what: 'the security events',
    more: 'Show older events',
    none: 'No event matches.',
    filters: [
      textField({ name: 'owner_id', label: 'Owner', hint: 'An owner_id.' }),
      textField({ name: 'kind', label: 'Kind', hint: 'Such as login, lockout or admin_call.' }),
      choiceField({ name: 'result', label: 'Result' }, [
        ['', 'all'],
        ['failure', 'failure'],
        ['success', 'success'],
      ]),
      textField({ name: 'since', label: 'Since', hint: 'Such as 2026-03-01T00:00:00Z.' }),
    ],
    columns: [
      { title: 'When', cell: ({ at }) => instant(at) },
      { title: 'Event', cell: ({ kind }) => plain(kind) },
      { title: 'Result', cell: ({ result, count }) => (count > 1 ? `${result}, ${count} times` : result) },
      { title: 'Owner', cell: ({ owner_id }) => owner_id ?? 'unknown' },
      { title: 'By', cell: ({ actor }) => actor ?? '' },
      { title: 'Subject', cell: ({ subject }) => subject ?? '' },
      { title: 'Network', cell: ({ network }) => network ?? '' },
      { title: 'Client', cell: ({ client }) => client },
    ],
  });
  return TITLE;
}
