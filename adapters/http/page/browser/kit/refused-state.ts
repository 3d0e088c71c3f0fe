import { button, fill, h } from './elements.ts';
import { ownRetryAfter, RefusedRequest } from './refused-request.ts';
import { counted } from './value-texts.ts';

const RETURN = 'address-after-sign-in';

export interface Again {
  /** Reads it again. @param attempt of the new reading: 0 where the reader asks for it */
  retry(attempt: number): unknown;
  /** How often the page has read it by itself since the reader last asked for it. */
  readonly attempt: number;
  /** Aborted when the reader goes elsewhere: then nothing is read again. */
  readonly signal: AbortSignal;
}

/**
 * Why something cannot be shown, and what comes next: it is read again by itself where it was refused for a moment; else
 * the reader has a button where that can help.
 */
export function refusedState(error: unknown, words: string, again: Again): HTMLElement {
  const refusal = refusalIn(error, words);
  if (refusal.code === 'UNAUTHORIZED') return endedState();
  if (refusal.code === 'FACTOR_REQUIRED') return factorState(refusal);
  const { status, message, suggestion, wait } = refusal;
  const said = status === 0 || status === 429 || status === -1 ? message : `${words} ${message}`;
  const seconds = ownRetryAfter(error, again.attempt);
  if (seconds !== null) return passingState(said, status, seconds, again);
  const { retry, signal } = again;
  const ask = () => retry(0);
  if (status === 0) addEventListener('online', ask, { once: true, signal });
  const offer = button('Try again', ask);
  const next = wait === null ? suggestion : countdown(wait, offer, signal);
  const canHelp = status === 0 || status === 429 || status >= 500;
  return state(status, true, h('p', {}, h('b', {}, said)), h('p', {}, next), canHelp && offer);
}

/** Anything else than a refusal is an error of the page, which is reported. */
function refusalIn(error: unknown, words: string): RefusedRequest {
  if (error instanceof RefusedRequest) return error;
  reportError(error);
  return new RefusedRequest({ status: -1, message: words, suggestion: 'Load the page again.' });
}

function endedState(): HTMLElement {
  // A link to the current address shows the view again, which begins with the login.
  const link = h('a', { href: location.hash }, 'Sign in again');
  return state(401, true, h('p', {}, h('b', {}, 'Your session has ended.')), h('p', {}, link, ' to go on here.'));
}

/** The reader adds a factor, or logs in with one: here, or at the identity provider. */
function factorState({ status, message }: RefusedRequest): HTMLElement {
  const link = h('a', { href: '#/security' }, 'Add a second factor');
  const ways = h('p', {}, link, '; or sign out, and sign in with the one that you have.');
  const words = 'Log in with a second factor at the identity provider';
  const atProvider = hasProvider() && h('p', {}, providerLink(words, ['fresh', 'factor']));
  return state(status, true, h('p', {}, h('b', {}, message)), ways, atProvider);
}

function state(status: number, isNews: boolean, ...content: readonly (Node | false)[]): HTMLElement {
  return h('div', { class: 'refused', role: isNews && 'alert', 'data-status': status }, ...content);
}

/** A screen reader reads it once: not for each part of a view, and not for each attempt. */
function passingState(said: string, status: number, seconds: number, { retry, attempt, signal }: Again): HTMLElement {
  const alerts = [...document.querySelectorAll('.refused[role=alert]')];
  const isNews = attempt === 0 && !alerts.some((alert) => alert.checkVisibility());
  const text = quietText();
  const shown = state(status, isNews, h('p', {}, h('b', {}, said)), h('p', {}, text));
  count(seconds, signal, (left) => {
    if (left > 0) fill(text, `It is read again by itself in ${counted(left, 'second')}.`);
    else fill(text, 'It is read again\u2026');
    // Replaced, it is no longer what the reader looks at.
    if (left === 0 && shown.isConnected) retry(attempt + 1);
  });
  return shown;
}

/** Counts down to the time at which a retry may succeed, and enables the button then. */
function countdown(seconds: number, again: HTMLButtonElement, signal: AbortSignal): HTMLElement {
  const text = quietText();
  count(seconds, signal, (left) => {
    fill(text, left > 0 ? `Try again in ${counted(left, 'second')}.` : 'You can try again now.');
    again.disabled = left > 0;
  });
  return text;
}

/** Without a live region, so that a screen reader does not read each second. */
function quietText(): HTMLElement {
  return h('span', { 'aria-live': 'off' });
}

/** Calls with the seconds that are left, now and then each second, until none is left or the reader goes elsewhere. */
function count(seconds: number, signal: AbortSignal, show: (left: number) => void): void {
  const until = Date.now() + seconds * 1_000;
  const tick = () => {
    if (signal.aborted) return clearInterval(timer);
    const left = Math.max(0, Math.ceil((until - Date.now()) / 1_000));
    if (left === 0) clearInterval(timer);
    show(left);
  };
  const timer = setInterval(tick, 1_000);
  signal.addEventListener('abort', () => clearInterval(timer));
  tick();
}

/** Whether owners can sign in through an identity provider; the document says so. */
export function hasProvider(): boolean {
  return signInWords().includes('provider');
}

/** Whether this service sends mail; the document says so. */
export function hasMail(): boolean {
  return signInWords().includes('mail');
}

/** Whether owners need a second factor for all that they do; the document says so. */
export function everyoneNeedsFactor(): boolean {
  return signInWords().includes('factor');
}

function signInWords(): readonly string[] {
  return (document.querySelector<HTMLMetaElement>('meta[name="sign-in"]')?.content ?? '').split(' ');
}

/**
 * A link to the identity provider, which sends the browser back to this view.
 * @param asked `fresh`: the person has to log in there again, even if the provider knows the browser; `factor`: with a
 * second factor
 */
export function providerLink(words: string, asked: readonly ('fresh' | 'factor')[] = []): HTMLElement {
  const query = asked.map((each) => `${each}=true`).join('&');
  const link = h('a', { class: 'button', href: `/api/v1/public/auth/idp${query && `?${query}`}` }, words);
  link.addEventListener('click', () => sessionStorage.setItem(RETURN, location.hash));
  return link;
}

/** The address of the view from which the reader went to the provider. */
export function addressAfterSignIn(): string {
  const address = sessionStorage.getItem(RETURN) ?? '';
  sessionStorage.removeItem(RETURN);
  return address.startsWith('#/') && !/^#\/sign/.test(address) ? address : '#/overview';
}
