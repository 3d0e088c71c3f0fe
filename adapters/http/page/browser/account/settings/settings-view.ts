import { fill, h } from '../../kit/elements.ts';
import type { Visit } from '../../kit/visit.ts';
import { showEmail } from './email-part.ts';
import { showErasure } from './erasure-part.ts';
import { exportLinks } from './export-links.ts';
import { showPassword } from './password.ts';
import { showPreferences } from './preferences.ts';
import { showTerms } from './terms.ts';

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
      'Your account, agents, keys without secrets, workflows, security events, and every decision with its outcome, bars and receipts. If the download breaks off, start it again.',
    ),
    exportLinks(),
  );
}
