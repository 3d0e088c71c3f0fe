import { ask } from '../../kit/ask.ts';
import { announce, attempt, renewed } from '../../kit/dialogs.ts';
import { wantsNotices } from '../../kit/domain.ts';
import { button, fill, h } from '../../kit/elements.ts';
import { checkField, choiceField, form, isChecked, textField, textOf, type Visit } from '../../kit/forms.ts';
import { readIdentity } from '../../kit/identity.ts';
import { hasMail } from '../../kit/refused-state.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { showReading } from '../../kit/states.ts';
import { counted, instant } from '../../kit/value-texts.ts';
import { chooseZone } from '../../kit/zone.ts';
import { exportLinks, showErasure } from './erasure-part.ts';

const PREFERENCES = '/api/v1/owner/preferences';

const TITLE = 'Settings';

/** What the owner decides about the account: its address, password, preferences, terms, a copy of everything, the end of it. */
export async function show(view: HTMLElement, visit: Visit): Promise<string> {
  const [email, password, preferences, terms, erasure] = [h('div'), h('div'), h('div'), h('div'), h('div')];
  fill(
    view,
    h('h1', { tabindex: -1 }, TITLE),
    section('address', 'Email address', email),
    section('password', 'Password', password),
    section('preferences', 'Preferences', preferences),
    section('terms', 'Terms', terms),
    section('copy', 'A copy of your data', copyPart()),
    section('erasure', 'Erase the account', erasure),
  );
  await Promise.all([
    showEmail(email, visit.signal),
    showPassword(password),
    showPreferences(preferences, visit),
    showTerms(terms, visit),
    showErasure(erasure, visit.signal),
  ]);
  return TITLE;
}

function section(id: string, title: string, content: HTMLElement): HTMLElement {
  return h('section', { 'aria-labelledby': id }, h('h2', { id }, title), content);
}

function copyPart(): HTMLElement {
  return h(
    'div',
    {},
    h(
      'p',
      {},
      'Your account and every decision with its outcome, bars and receipts. If the download breaks off, start it again.',
    ),
    exportLinks(),
  );
}

/** The email address of the account, since when it is confirmed, and the mail that confirms it. */
async function showEmail(box: HTMLElement, signal: AbortSignal): Promise<void> {
  await showReading(box, signal, {
    what: 'your email address',
    read: () => ask<Schemas['Capabilities']>('/api/v1/public/auth/status', { signal }),
    show({ owner, email_confirmed_at: since }) {
      if (!owner || owner.email === null) return [];
      if (since) return [h('p', {}, `${owner.email}, confirmed ${instant(since)}.`)];
      const send = async () => {
        const isDone = await attempt('No mail was sent', 'A mail with a link is on its way.', () =>
          ask('/api/v1/owner/auth/email/confirmation', { method: 'POST' }),
        );
        if (isDone) await renewed(box, () => showEmail(box, signal));
      };
      return [
        h('p', {}, `${owner.email}, not confirmed${hasMail() ? '' : ', since this service sends no mail'}.`),
        hasMail() && h('p', { class: 'buttons' }, button('Send a mail that confirms it', send)),
      ];
    },
    none: 'This account has no email address here: you sign in through the identity provider.',
  });
}

type Status = Schemas['LegalStatus'];

/** Which versions of the terms are current, and which the owner accepted. */
async function showTerms(box: HTMLElement, visit: Visit): Promise<void> {
  const { signal } = visit;
  await showReading(box, signal, {
    what: 'the terms',
    read: () => ask<Status>('/api/v1/owner/legal-status', { signal }),
    show: (status) => [h('p', {}, statusWords(status)), !status.up_to_date && acceptance(status, box, visit)],
  });
}

function statusWords({ current, accepted, up_to_date }: Status): string {
  const now = `The current versions are ${current.terms_version} of the terms and ${current.privacy_version} of the privacy notice.`;
  if (accepted === null) return `${now} You have not accepted any.`;
  if (up_to_date) return `${now} You accepted them ${instant(accepted.accepted_at)}.`;
  return `${now} You accepted ${accepted.terms_version} and ${accepted.privacy_version} ${instant(accepted.accepted_at)}.`;
}

function acceptance({ current }: Status, box: HTMLElement, visit: Visit): HTMLElement {
  const accept = async () => {
    const body = { ...current, source: 'page' };
    const isDone = await attempt('The terms are not accepted', 'You have accepted the current terms.', () =>
      ask('/api/v1/owner/legal-acceptance', { method: 'POST', body }),
    );
    if (isDone) await showTerms(box, visit);
  };
  return h('p', {}, button('Accept the current versions', accept, { class: 'primary' }));
}

/** Changes the password; an account of the identity provider has none. */
async function showPassword(box: HTMLElement): Promise<void> {
  const identity = await readIdentity();
  if (identity && identity.email === null) {
    fill(box, h('p', {}, 'This account has no password: you sign in through the identity provider.'));
    return;
  }
  const current = textField(
    { name: 'current_password', label: 'Current password' },
    { type: 'password', autocomplete: 'current-password', required: true },
  );
  const next = textField(
    { name: 'new_password', label: 'New password', hint: 'A few plain words are better than one odd word.' },
    { type: 'password', autocomplete: 'new-password', required: true },
  );
  const keys = checkField({ name: 'revoke_keys', label: 'Revoke all API keys too' });
  const made = form({
    fields: [current, next, keys],
    action: 'Change the password',
    async send() {
      const reply = await ask<Schemas['PasswordChanged'] | undefined>('/api/v1/owner/password', {
        method: 'PUT',
        body: {
          current_password: current.control.value,
          new_password: next.control.value,
          revoke_keys: isChecked(keys),
        },
      });
      made.reset();
      const revoked = reply ? ` ${counted(reply.keys_revoked, 'key')} ended.` : '';
      announce(`The password is changed, and all other sessions have ended.${revoked}`);
    },
  });
  fill(box, made);
}

/** An empty change returns what is stored, so the form begins with that. */
async function showPreferences(box: HTMLElement, { signal }: Visit): Promise<void> {
  await showReading(box, signal, {
    what: 'your preferences',
    read: () => ask<Schemas['Preferences']>(PREFERENCES, { method: 'PUT', body: {}, signal }),
    show(stored) {
      chooseZone(stored.timezone ?? null);
      return [preferencesForm(stored)];
    },
  });
}

function preferencesForm(stored: Schemas['Preferences']): HTMLElement {
  const name = textField(
    { name: 'display_name', label: 'Name', hint: 'Shown only to you.' },
    { value: stored.display_name },
  );
  const zone = textField(
    {
      name: 'timezone',
      label: 'Time zone',
      hint: 'Such as Europe/Berlin; without one it is UTC. Times are shown in it, in a browser that has shown this form.',
    },
    { value: stored.timezone, autocomplete: 'off' },
  );
  const locale = textField(
    { name: 'locale', label: 'Language', hint: 'Such as en-GB. Your programs read it.' },
    { value: stored.locale, autocomplete: 'off' },
  );
  const visibility = choiceField(
    { name: 'default_workflow_visibility', label: 'A new workflow is' },
    [
      ['private', 'private'],
      ['public', 'public'],
    ],
    stored.default_workflow_visibility,
  );
  let wanted = wantsNotices(stored.notify);
  const notices = checkField(
    {
      name: 'notify',
      label: 'Mail me notices',
      hint: 'Of sign-ins from new networks, lockouts, new keys and keys that expire.',
    },
    wanted,
  );
  return form({
    fields: [name, zone, locale, visibility, ...(hasMail() ? [notices] : [])],
    action: 'Save',
    async send() {
      const body = {
        display_name: textOf(name) ?? null,
        timezone: textOf(zone) ?? null,
        locale: textOf(locale) ?? null,
        default_workflow_visibility: visibility.control.value,
        // `notify` is the owner's to fill, so the page writes what was chosen here and nothing else.
        ...(isChecked(notices) === wanted ? {} : { notify: { mail: { notices: isChecked(notices) } } }),
      };
      await ask(PREFERENCES, { method: 'PUT', body });
      wanted = isChecked(notices);
      chooseZone(body.timezone);
      announce('The preferences are saved.');
    },
  });
}
