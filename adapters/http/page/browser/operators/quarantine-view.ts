import { ask } from '../kit/ask.ts';
import { announce, reasonDialog } from '../kit/dialogs.ts';
import { h } from '../kit/elements.ts';
import { form, textField } from '../kit/forms.ts';
import { listView } from '../kit/lists.ts';
import type { Schemas } from '../kit/schemas.ts';
import { instant } from '../kit/value-texts.ts';

const decisionPath = (record_id: string) => `/api/v1/admin/decisions/${encodeURIComponent(record_id)}`;

/** The records under quarantine, with their release; and the form that puts one under quarantine. */
export const show = listView<Schemas['QuarantinedRecord']>(() => ({
  title: 'Quarantine',
  path: '/api/v1/admin/quarantined-decisions',
  what: 'the decisions under quarantine',
  more: 'Show older decisions',
  none: 'No decision is under quarantine.',
  filters: [textField({ name: 'owner_id', label: 'Owner', hint: 'An owner_id.' })],
  columns: [
    { title: 'Decision', cell: ({ record_id }) => record_id },
    { title: 'About', cell: ({ symbol, venue, direction }) => `${symbol} on ${venue}, ${direction}` },
    { title: 'Submitted', cell: ({ submission_time }) => instant(submission_time) },
    { title: 'Owner', cell: ({ owner_id }) => h('a', { href: `#/accounts?find=${owner_id}` }, owner_id) },
    { title: 'Reason', cell: ({ reason }) => reason ?? '' },
    { title: 'Graded', cell: ({ graded }) => (graded ? 'yes' : 'no') },
  ],
  actions: ({ record_id }) => [
    {
      label: 'Release',
      of: record_id,
      run: () =>
        reasonDialog({
          title: `Release ${record_id}`,
          words:
            'A graded decision is public again, with the outcome that it had; any other is verified and graded again.',
          action: 'Release the decision',
          hint: 'For the audit log.',
          done: `${record_id} is released.`,
          send: (reason) => ask(`${decisionPath(record_id)}/release`, { method: 'POST', body: { reason } }),
        }),
    },
  ],
  after: quarantineForm,
}));

function quarantineForm(read: () => Promise<unknown>): HTMLElement {
  const record = textField(
    { name: 'record_id', label: 'Decision', hint: 'Its id, such as dec_20260130_5c0ffee5.' },
    { required: true },
  );
  const reason = textField({ name: 'reason', label: 'Reason', hint: 'Its owner sees it.' }, { required: true });
  return h(
    'section',
    {},
    h('h2', {}, 'Put a decision under quarantine'),
    h('p', {}, 'Only its owner still sees it, and no cohort counts it.'),
    form({
      fields: [record, reason],
      action: 'Put it under quarantine',
      async send() {
        const record_id = record.control.value.trim();
        await ask(`${decisionPath(record_id)}/quarantine`, { method: 'POST', body: { reason: reason.control.value } });
        record.control.value = '';
        reason.control.value = '';
        await read();
        announce(`${record_id} is under quarantine.`);
      },
    }),
  );
}
