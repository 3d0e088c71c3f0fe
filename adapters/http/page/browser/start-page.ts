import { atlasAddress, choiceOf } from './atlas-data.ts';
import { showSeeds } from './atlas-seeds.ts';
import { type AtlasPanel, showAtlas } from './atlas-view.ts';
import { showCircuits } from './circuits-view.ts';
import { fill, h, part } from './elements.ts';
import { showOwn } from './own-view.ts';
import { showRecord } from './record-view.ts';

const NAME = 'Stancebook';
const SEEDS = 12;

const home = part('#home', HTMLElement);
const other = part('#other', HTMLElement);
const scrollPositions = new Map<string, number>();
let atlas: Promise<AtlasPanel | null> | undefined;
let last = location.hash;
let scrollPosition = 0;
let followed = false;

/** How the reader came to a view: by opening the page, by a link or a button, or by back and forward. */
type Way = 'opened' | 'followed' | 'returned';

/** The address after `#` names the view: `#/records/ID`, `#/own`, `#/atlas/NODE`, or a section of the home. */
function show(way: Way): void {
  const [, name = '', rest = ''] = /^#\/(\w*)\/?([^?]*)/.exec(location.hash) ?? [];
  const isHome = name !== 'records' && name !== 'own';
  home.hidden = !isHome;
  other.hidden = isHome;
  fill(other);
  if (isHome) showHome(name, rest, way);
  else showOther(name, rest, way);
}

/** Each visit has its own element, so that a late reply for a view that was left is not shown. */
function showOther(name: string, rest: string, way: Way): void {
  const view = h('div');
  fill(other, view);
  void (name === 'own' ? showOwn(view) : showRecord(view, rest)).then((title) => {
    if (view.isConnected) arrive(title, way);
  });
}

function showHome(section: string, rest: string, way: Way): void {
  document.title = `${NAME}: decisions of software agents, with their evidence`;
  followChoice(choiceOf(location.hash));
  const node = section === 'atlas' && rest !== '' ? decoded(rest) : null;
  void atlas?.then((view) => {
    // After a failure, returning to the home sends the request again.
    if (!view) atlas = undefined;
    view?.select(node);
    if (view && node !== null && way === 'followed') turnTo('#atlas-node h3');
  });
  const title = section === '' ? null : document.querySelector<HTMLElement>(`#${section}-title`);
  if (way === 'returned') restore();
  else if (title && (node === null || way === 'opened')) title.scrollIntoView();
  else if (!title && way === 'followed') scrollTo(0, 0);
  if (title && node === null && way === 'followed') title.focus({ preventScroll: true });
}

/** Moves the focus, and scrolls the page as little as possible. */
function turnTo(selector: string): void {
  const heading = document.querySelector<HTMLElement>(selector);
  heading?.focus({ preventScroll: true });
  heading?.scrollIntoView({ block: 'nearest' });
}

/** An address without a choice on retroactive decisions keeps the current choice. */
function followChoice(choice: boolean | null): void {
  if (!atlas) void showCircuits(part('#circuits', HTMLElement));
  atlas = (atlas ?? Promise.resolve(null)).then((view) =>
    view && (choice === null || choice === view.includesRetroactive) ? view : fillAtlas(choice),
  );
}

async function fillAtlas(choice: boolean | null): Promise<AtlasPanel | null> {
  const view = await showAtlas(choice);
  void showSeeds(part('#seeds', HTMLElement), {
    node: null,
    limit: SEEDS,
    includesRetroactive: view?.includesRetroactive ?? true,
  });
  return view;
}

function arrive(title: string, way: Way): void {
  document.title = `${title} \u2013 ${NAME}`;
  if (way === 'opened') return;
  other.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
  if (way === 'followed') scrollTo(0, 0);
  else restore();
}

/** Back and forward restore the scroll position. */
function restore(): void {
  scrollTo(0, scrollPosition);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

addEventListener('scroll', () => scrollPositions.set(last, scrollY), { passive: true });
addEventListener('click', ({ target }) => {
  const link = target instanceof Element ? target.closest('a, button, canvas') : null;
  followed = link !== null;
  // A link to the current address triggers no hashchange.
  if (!(link instanceof HTMLAnchorElement) || link.href !== location.href) return;
  followed = false;
  show('followed');
});
addEventListener('hashchange', () => {
  last = location.hash;
  // Read before the old view is removed, because that scrolls.
  scrollPosition = scrollPositions.get(last) ?? 0;
  show(followed ? 'followed' : 'returned');
  followed = false;
});
part('#atlas-back', HTMLInputElement).addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement)) return;
  const [, node] = /^#\/atlas\/([^?]+)/.exec(location.hash) ?? [];
  const chosen = node === undefined ? null : decoded(node);
  history.replaceState(null, '', atlasAddress(chosen, target.checked));
  last = location.hash;
  scrollPositions.set(last, scrollY);
  followChoice(target.checked);
  void atlas?.then((view) => view?.select(chosen));
});
part('#open-record', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  followed = true;
  location.assign(`#/records/${encodeURIComponent(part('#record-id', HTMLInputElement).value.trim())}`);
});
show('opened');
