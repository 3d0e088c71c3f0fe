import { proveBy } from './kit/ask.ts';
import { announce } from './kit/dialogs.ts';
import { button, fill, h, part } from './kit/elements.ts';
import type { ViewModule, Visit } from './kit/forms.ts';
import { forgetIdentity, lacksFactor, logOut, readIdentity } from './kit/identity.ts';
import { followSession, type LiveState, onLiveState } from './kit/live-events.ts';
import { refusedState } from './kit/refused-state.ts';
import { forgetSession, isSignedIn, onSessionChange } from './kit/session-hint.ts';
import { timeOfDay } from './kit/value-texts.ts';
import { showKeptZone } from './kit/zone.ts';
import { addressOf } from './shell/address.ts';
import { follow, noteReplaced, restorePosition, type Way, watchArrivals } from './shell/arrival.ts';
import { watchKeys } from './shell/keys.ts';
import { type Audience, VIEWS, type ViewEntry, viewAt } from './shell/views.ts';

const NAME = 'Stancebook';
const HOME_TITLE = `${NAME}: decisions of software agents, with their evidence`;

const home = part('#home', HTMLElement);
const other = part('#other', HTMLElement);
let visit = new AbortController();
let hasBell = false;
/** What the current view does with another address of its own, and which view that is. */
let taking: { readonly view: string; takes(query: URLSearchParams): boolean } | undefined;

/** The address after `#` names the view: `#/records/ID`, `#/keys`, `#/atlas/NODE`, or a section of the home. */
function show(way: Way): void {
  const { name, rest, query } = addressOf(location.hash);
  if (taking?.view === `${name}/${rest}` && taking.takes(query)) return;
  taking = undefined;
  visit.abort();
  visit = new AbortController();
  const entry = viewAt(name);
  home.hidden = entry !== undefined;
  other.hidden = entry === undefined;
  fill(other);
  const isIn = isSignedIn();
  // The session expired.
  if (!isIn) forgetSession();
  showNavigation(name, isIn && entry ? entry.audience : 'everybody');
  const { signal } = visit;
  if (!entry) showSection(way, signal);
  else {
    const takeAddress: Visit['takeAddress'] = (takes) => {
      if (!signal.aborted) taking = { view: `${name}/${rest}`, takes };
    };
    const again = () => show('followed');
    const isReturn = way === 'returned';
    void showView(entry, { rest, query, signal, isReturn, again, takeAddress, rename: nameWhile(signal) }, way);
  }
}

/**
 * Each visit has its own element, so that a late reply for a view that was left is not shown. It is busy until the reader
 * has arrived: until the page has its title, and the heading the focus.
 */
async function showView(entry: ViewEntry, visit: Visit, way: Way, attempt = 0): Promise<void> {
  const view = h('div', { class: entry.audience === 'everybody' ? '' : 'console-view', 'aria-busy': 'true' });
  fill(other, view);
  try {
    const shown = (await moduleOf(entry)).show(view, visit);
    // What the view reads may come much later than its heading.
    const heading = view.isConnected && view.querySelector('h1')?.textContent;
    if (heading) visit.rename(heading);
    const title = await shown;
    if (view.isConnected) arrive(view, title, way);
  } catch (error) {
    if (visit.signal.aborted) return;
    const retry = (next: number) => showView(entry, visit, way, next);
    fill(
      view,
      h('h1', { tabindex: -1 }, 'This view could not be shown'),
      refusedState(error, 'It did not load.', { retry, attempt, signal: visit.signal }),
    );
    arrive(view, 'Not shown', way);
  }
}

/** Views of owners begin with the login where nobody is signed in, and with the second factor that is missing; the address stays. */
async function moduleOf({ audience, load }: ViewEntry): Promise<ViewModule> {
  if (audience === 'everybody') return load();
  if (!isSignedIn()) return import('./account/sign-in/sign-in-view.ts');
  return (await lacksFactor()) ? import('./account/security/factor-first-view.ts') : load();
}

function showSection(way: Way, signal: AbortSignal): void {
  document.title = HOME_TITLE;
  const { hash } = location;
  void import('./home/home-view.ts').then(({ showHome }) => {
    if (!signal.aborted) showHome(hash, { way, signal, restore: restorePosition });
  });
}

function nameWhile(signal: AbortSignal): (title: string) => void {
  return (title) => {
    if (!signal.aborted) document.title = titleOf(title);
  };
}

function titleOf(title: string): string {
  return `${title} \u2013 ${NAME}`;
}

function arrive(view: HTMLElement, title: string, way: Way): void {
  document.title = titleOf(title);
  view.removeAttribute('aria-busy');
  if (way === 'opened') return;
  // A reader who was faster than the last part of the view keeps the focus.
  if (!other.contains(document.activeElement)) other.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
  if (way === 'followed') scrollTo(0, 0);
  else restorePosition();
}

part('#atlas-back', HTMLInputElement).addEventListener('change', async ({ target }) => {
  if (!(target instanceof HTMLInputElement)) return;
  const { chooseRetroactive } = await import('./home/home-view.ts');
  chooseRetroactive(target.checked);
  noteReplaced();
});
part('#open-record', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  follow();
  location.assign(`#/records/${encodeURIComponent(part('#record-id', HTMLInputElement).value.trim())}`);
});
onSessionChange(() => {
  forgetIdentity();
  showKeptZone();
  showAccount();
});
part('#own-origin', HTMLElement).textContent = location.origin;
proveBy(async () => (await import('./account/sign-in/proof-dialog.ts')).proveAgain());
showAccount();
showKeptZone();
followSession();
onLiveState(showLiveState);
watchArrivals(show);
watchKeys();
show('opened');

/** Shows the navigation of the account next to its views, with the current one marked; elsewhere it is hidden. */
function showNavigation(current: string, audience: Audience): void {
  const navigation = part('#console-navigation', HTMLElement);
  navigation.hidden = audience === 'everybody';
  if (navigation.hidden) return;
  list(navigation, current, 'owner');
  void readIdentity().then((identity) => {
    if (identity?.role === 'admin') list(navigation, current, 'admin');
  });
}

function list(navigation: HTMLElement, current: string, audience: Audience): void {
  const listed = Object.entries(VIEWS).filter(([, view]) => view.label && isOpenTo(view.audience, audience));
  const links = listed.map(([name, { label }]) =>
    h('li', {}, h('a', { href: `#/${name}`, 'aria-current': name === current && 'page' }, label)),
  );
  fill(navigation, h('ul', {}, ...links));
  navigation.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

function isOpenTo(audience: Audience, reader: Audience): boolean {
  return audience === 'owner' || (audience === 'admin' && reader === 'admin');
}

/** Shows in the header who is signed in, with the way out; or the ways in, and on the home how to begin. */
function showAccount(): void {
  const box = part('#account', HTMLElement);
  part('#first-steps', HTMLElement).hidden = isSignedIn();
  void showBell(isSignedIn());
  if (!isSignedIn()) {
    const key = h('a', { href: '#/sign-up', class: 'button' }, 'Get a key');
    fill(box, h('a', { href: '#/sign-in' }, 'Sign in'), key);
    return;
  }
  const name = h('a', { href: '#/overview', class: 'who' }, 'Your account');
  fill(box, name, button('Sign out', signOut));
  void readIdentity().then((identity) => {
    if (identity?.email) fill(name, h('span', { class: 'hidden' }, 'Your account: '), identity.email);
  });
}

/** It is loaded for owners alone. */
async function showBell(isIn: boolean): Promise<void> {
  if (!isIn && !hasBell) return;
  hasBell = true;
  (await import('./bell/bell.ts')).showBell(part('#bell', HTMLElement), isIn);
}

/** What is on the page may be older than it looks. */
function showLiveState(state: LiveState): void {
  fill(part('#live', HTMLElement), !state.isLive && `As of ${timeOfDay(state.since)}, reconnecting`);
}

/** The session is forgotten here in any case; only the service can end it for other copies of the cookie. */
async function signOut(): Promise<void> {
  try {
    await logOut();
    announce('You are signed out.');
  } catch {
    announce('You are signed out here, but the service could not be reached to end the session.');
  }
  location.hash = '#/';
}
