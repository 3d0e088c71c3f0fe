import { h } from '../kit/elements.ts';
import { textField, type Visit } from '../kit/forms.ts';
import { instant, plain } from '../kit/value-texts.ts';
import { showFilteredList } from './filtered-list.ts';
import type { WireAuditEntry } from './wire-operators.ts';

const TITLE = 'Audit log';

/** What operators did and which keys were changed. */
export async function show(view: HTMLElement, visit: Visit): Promise<string> {
  await showFilteredList<WireAuditEntry>(view, visit, {
    title: TITLE,
    view: 'audit-log',
    path: '/api/v1/admin/audit-log',
    what: 'the audit log',
    more: 'Show older entries',
    none: 'No entry matches.',
    filters: [
      textField({ name: 'actor', label: 'By', hint: 'An owner_id, or "command line: " with a user.' }),
      textField({ name: 'action', label: 'Action', hint: 'Such as quarantine or suspend_owner.' }),
      textField({ name: 'subject', label: 'Subject', hint: 'A record id, an owner_id, the prefix of a key.' }),
      textField({ name: 'since', label: 'Since', hint: 'Such as 2026-03-01T00:00:00Z.' }),
      textField({ name: 'until', label: 'Until', hint: 'Such as 2026-03-02T00:00:00Z.' }),
    ],
    columns: [
      { title: 'When', cell: ({ at }) => instant(at) },
      { title: 'Action', cell: ({ action }) => plain(action) },
      { title: 'By', cell: ({ actor }) => actor },
      { title: 'Subject', cell: ({ subject }) => subject },
      { title: 'Detail', cell: ({ detail }) => h('code', {}, JSON.stringify(detail)) },
    ],
  });
  return TITLE;
}
