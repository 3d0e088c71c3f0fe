import { ask } from '../kit/ask.ts';
import { announce, isConfirmed } from '../kit/dialogs.ts';
import { button, type Child, fill, h } from '../kit/elements.ts';
import { choiceField, textField, type Visit } from '../kit/forms.ts';
import { refusalWords } from '../kit/refused-request.ts';
import { instant } from '../kit/value-texts.ts';
import { reasonDialog, showFilteredList } from './filtered-list.ts';
import type { WireAccount } from './wire-operators.ts';

const TITLE = 'Accounts';
const PATH = '/api/v1/admin/accounts';

/** The accounts, with the ways to suspend and resume one and to change its tier. */
export async function show(view: HTMLElement, visit: Visit): Promise<string> {
  let again: () => Promise<unknown> = async () => undefined;
  const done = async (words: string) => {
    await again();
    announce(words);
  };
  again = await showFilteredList<WireAccount>(view, visit, {
    title: TITLE,
    view: 'accounts',
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
        cell: ({ email, owner_id }) => [email ?? 'without a password', h('br'), h('small', {}, owner_id)],
      },
      { title: 'Role, tier', cell: ({ role, tier }) => `${role}, ${tier}` },
      { title: 'Since', cell: ({ created_at }) => instant(created_at) },
      { title: 'State', cell: ({ suspended_at }) => (suspended_at ? `suspended ${instant(suspended_at)}` : 'in use') },
      { title: 'Decisions', kind: 'number', cell: ({ decisions }) => decisions.toLocaleString('en-GB') },
      { title: 'Agents', kind: 'number', cell: ({ agents }) => String(agents) },
      { title: 'Keys', kind: 'number', cell: ({ keys }) => String(keys) },
      { title: 'Sessions', kind: 'number', cell: ({ sessions }) => String(sessions) },
      { title: 'Actions', kind: 'actions', cell: (account) => actions(account, done) },
    ],
  });
  return TITLE;
}

function actions(account: WireAccount, done: (words: string) => Promise<void>): readonly Child[] {
  const { owner_id, email, role, tier, suspended_at } = account;
  const audit = h('a', { class: 'button', href: `#/audit-log?subject=${owner_id}` }, 'Audit log');
  if (role === 'admin') return [audit];
  const name = email ?? owner_id;
  const path = `${PATH}/${owner_id}`;
  const fault = h('p', { class: 'fault', role: 'alert' });
  const tried = async (work: () => Promise<unknown>, words: string) => {
    try {
      await work();
    } catch (error) {
      return fill(fault, refusalWords(error));
    }
    await done(words);
  };
  const suspend = async () => {
    const isDone = await reasonDialog({
      title: `Suspend ${name}`,
      words:
        'Its sessions end and its keys stop at once, until you resume it. Its decisions stay, are graded and counted.',
      action: 'Suspend the account',
      hint: 'For operators: stored in the audit log for ever.',
      send: (reason) => ask(`${path}/suspend`, { method: 'POST', body: { reason } }),
    });
    if (isDone) await done(`${name} is suspended.`);
  };
  const resume = () => tried(() => ask(`${path}/resume`, { method: 'POST' }), `${name} is in use again.`);
  const next = tier === 'free' ? 'pro' : 'free';
  const setTier = async () => {
    const isSure = await isConfirmed({
      title: `Give ${name} the tier ${next}`,
      words: [next === 'pro' ? 'Its sessions end.' : 'Nothing is removed.'],
      action: `Set the tier ${next}`,
    });
    if (isSure) await tried(() => ask(`${path}/tier`, { method: 'PUT', body: { tier: next } }), `${name} is ${next}.`);
  };
  return [
    suspended_at ? button('Resume', resume) : button('Suspend', suspend, { class: 'danger' }),
    button(`Make ${next}`, setTier),
    audit,
    fault,
  ];
}
