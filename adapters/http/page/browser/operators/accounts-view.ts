import { ask } from '../kit/ask.ts';
import { attempt, reasonDialog } from '../kit/dialogs.ts';
import { h } from '../kit/elements.ts';
import { choiceField, textField } from '../kit/forms.ts';
import { listView } from '../kit/lists.ts';
import type { Schemas } from '../kit/schemas.ts';
import type { RowAction } from '../kit/tables.ts';
import { instant } from '../kit/value-texts.ts';

type Account = Schemas['Account'];

const PATH = '/api/v1/admin/accounts';

/** The accounts, with the ways to suspend and resume one and to change its tier. */
export const show = listView<Account>(() => ({
  title: 'Accounts',
  path: PATH,
  what: 'the accounts',
  more: 'Show older accounts',
  none: 'No account matches.',
  filters: [
    textField({ name: 'find', label: 'Find', hint: 'An owner_id, or the begin of an email.' }),
    choiceField({ name: 'suspended', label: 'Suspended' }, [
      ['', 'all'],
      ['true', 'suspended'],
      ['false', 'in use'],
    ]),
    choiceField({ name: 'tier', label: 'Tier' }, [
      ['', 'all'],
      ['free', 'free'],
      ['pro', 'pro'],
    ]),
    choiceField({ name: 'role', label: 'Role' }, [
      ['', 'all'],
      ['owner', 'owner'],
      ['admin', 'admin'],
    ]),
  ],
  columns: [
    {
      title: 'Account',
      cell: ({ email, owner_id }) => [email ?? 'without a password', h('span', { class: 'about' }, owner_id)],
    },
    { title: 'Role, tier', cell: ({ role, tier }) => `${role}, ${tier}` },
    { title: 'Since', cell: ({ created_at }) => instant(created_at) },
    { title: 'State', cell: ({ suspended_at }) => (suspended_at ? `suspended ${instant(suspended_at)}` : 'in use') },
    { title: 'Decisions', kind: 'number', cell: ({ decisions }) => decisions.toLocaleString('en-GB') },
    { title: 'Agents', kind: 'number', cell: ({ agents }) => String(agents) },
    { title: 'Keys', kind: 'number', cell: ({ keys }) => String(keys) },
    { title: 'Sessions', kind: 'number', cell: ({ sessions }) => String(sessions) },
  ],
  actions: (account) => [
    ...(account.role === 'admin' ? [] : [suspension(account), tierChange(account)]),
    { label: 'Audit log', href: `#/audit-log?subject=${account.owner_id}` },
  ],
}));

function suspension({ owner_id, email, suspended_at }: Account): RowAction {
  const name = email ?? owner_id;
  const path = `${PATH}/${owner_id}`;
  if (suspended_at)
    return {
      label: 'Resume',
      of: name,
      run: () =>
        attempt(`${name} is not resumed`, `${name} is in use again.`, () => ask(`${path}/resume`, { method: 'POST' })),
    };
  return {
    label: 'Suspend',
    of: name,
    isDangerous: true,
    run: () =>
      reasonDialog({
        title: `Suspend ${name}`,
        words:
          'Its sessions end and its keys stop at once, until you resume it. Its decisions stay, are graded and counted.',
        action: 'Suspend the account',
        hint: 'For operators: stored in the audit log for ever.',
        done: `${name} is suspended.`,
        send: (reason) => ask(`${path}/suspend`, { method: 'POST', body: { reason } }),
      }),
  };
}

function tierChange({ owner_id, email, tier }: Account): RowAction {
  const name = email ?? owner_id;
  const next = tier === 'free' ? 'pro' : 'free';
  const question = {
    title: `Give ${name} the tier ${next}`,
    words: [next === 'pro' ? 'Its sessions end.' : 'Nothing is removed.'],
    action: `Set the tier ${next}`,
  };
  const send = () => ask(`${PATH}/${owner_id}/tier`, { method: 'PUT', body: { tier: next } });
  return {
    label: `Make ${next}`,
    of: name,
    run: () => attempt(`The tier of ${name} is not changed`, `${name} is ${next}.`, send, question),
  };
}
