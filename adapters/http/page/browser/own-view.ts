import { ask, RefusedRequest, refusalWords } from './ask.ts';
import { fill, h } from './elements.ts';
import { forgetSession, isLoggedIn, logIn, logOut } from './page-session.ts';
import { recordLink } from './related-records.ts';
import { plain } from './value-texts.ts';
import type { OwnRow } from './wire.ts';

const TITLE = 'Your records';

interface OwnPage {
  readonly items: readonly OwnRow[];
  readonly next_cursor: string | null;
}

/** Shows the records of the owner who is logged in, or the login. */
export async function showOwn(view: HTMLElement): Promise<string> {
  if (!isLoggedIn()) return showLogin(view);
  fill(view, h('p', { class: 'soft' }, 'Reading your records\u2026'));
  try {
    showList(view, await ask<OwnPage>('/api/v1/owner/decisions?limit=50'));
  } catch (error) {
    if (!(error instanceof RefusedRequest)) throw error;
    if (error.status !== 401) return showLogin(view, refusalWords(error));
    forgetSession();
    return showLogin(view, 'Your session has ended. Log in again.');
  }
  return TITLE;
}

function showLogin(view: HTMLElement, notice = ''): string {
  const message = h('p', { class: 'notice', role: 'alert' }, notice);
  message.hidden = notice === '';
  const email = h('input', { type: 'email', name: 'email', required: true, autocomplete: 'username', id: 'email' });
  const password = h('input', {
    type: 'password',
    name: 'password',
    required: true,
    autocomplete: 'current-password',
    id: 'password',
  });
  const button = h('button', { type: 'submit' }, 'Log in');
  const form = h(
    'form',
    { class: 'login', action: '/api/v1/public/auth/login', method: 'post' },
    h('label', { for: 'email' }, 'Email address'),
    email,
    h('label', { for: 'password' }, 'Password'),
    password,
    button,
    message,
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    button.disabled = true;
    logIn(email.value, password.value)
      .then(() => showOwn(view))
      .then(() => view.querySelector('h1')?.focus())
      .catch((error: unknown) => {
        fill(message, refusalWords(error));
        message.hidden = false;
        button.disabled = false;
      });
  });
  fill(
    view,
    h('h1', { tabindex: -1 }, TITLE),
    h(
      'p',
      { class: 'lead' },
      'Log in with the account of your agents. You then see all of your own records: before they are graded, with targets and stop, and with the bars of their path.',
    ),
    form,
    h(
      'p',
      { class: 'soft' },
      'No account yet? ',
      h('a', { href: '/docs#quickSetup' }, 'quick-setup'),
      ' opens an account with a first API key.',
    ),
  );
  return TITLE;
}

function showList(view: HTMLElement, { items, next_cursor }: OwnPage): void {
  const button = h('button', { type: 'button' }, 'Log out');
  button.addEventListener('click', () => {
    logOut()
      .catch(forgetSession)
      .then(() => showLogin(view))
      .then(() => view.querySelector('h1')?.focus());
  });
  const list = h('ul', { class: 'records' }, ...items.map(rowOf));
  fill(
    view,
    h('div', { class: 'head' }, h('h1', { tabindex: -1 }, TITLE), button),
    items.length === 0
      ? h(
          'p',
          { class: 'notice' },
          'Your agents have not submitted a decision yet. The README shows how to submit a first one.',
        )
      : list,
    next_cursor === null ? null : moreButton(list, next_cursor),
  );
}

function rowOf(row: OwnRow): HTMLElement {
  return h('li', {}, recordLink(row), h('span', { class: 'about' }, row.result_bucket ?? plain(row.lifecycle_state)));
}

function moreButton(list: HTMLElement, cursor: string): HTMLElement {
  const button = h('button', { type: 'button' }, 'Show older records');
  button.addEventListener('click', async () => {
    button.disabled = true;
    const next = await ask<OwnPage>(`/api/v1/owner/decisions?limit=50&cursor=${encodeURIComponent(cursor)}`).catch(
      () => null,
    );
    button.disabled = false;
    if (!next) return;
    list.append(...next.items.map(rowOf));
    if (next.next_cursor === null) button.remove();
    else button.replaceWith(moreButton(list, next.next_cursor));
  });
  return button;
}
