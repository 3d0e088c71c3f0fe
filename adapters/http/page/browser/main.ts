import { type AtlasView, showAtlas } from './atlas-view.ts';
import { showCircuits } from './circuits-view.ts';
import { part } from './elements.ts';
import { showOwn } from './own-view.ts';
import { showRecord } from './record-view.ts';
import { showSeeds } from './seeds.ts';

const NAME = 'Stancebook';
const SEEDS = 12;

const home = part('#home', HTMLElement);
const other = part('#other', HTMLElement);
const places = new Map<string, number>();
let atlas: Promise<AtlasView> | undefined;
let last = location.hash;
let followed = false;

/** The part of the address behind `#` names the view: `#/records/ID`, `#/own`, `#/atlas/NODE`, or a section of the home. */
function show(isFirst: boolean): void {
  const [, name = '', rest = ''] = /^#\/(\w*)\/?(.*)$/.exec(location.hash) ?? [];
  const isHome = name !== 'records' && name !== 'own';
  home.hidden = !isHome;
  other.hidden = isHome;
  if (isHome) showHome(name, rest, isFirst);
  else void (name === 'own' ? showOwn(other) : showRecord(other, rest)).then((title) => arrive(title, isFirst));
}

function showHome(section: string, rest: string, isFirst: boolean): void {
  document.title = `${NAME}: calls by software agents, with their evidence`;
  if (atlas === undefined) {
    atlas = showAtlas();
    void showSeeds(part('#seeds', HTMLElement), null, SEEDS);
    void showCircuits(part('#circuits', HTMLElement));
  }
  const node = section === 'atlas' && rest !== '' ? decoded(rest) : null;
  void atlas.then((view) => {
    view.select(node);
    if (node !== null && followed) document.querySelector<HTMLElement>('#atlas-node h3')?.focus();
  });
  const target = section === '' ? null : document.querySelector<HTMLElement>(`#${section}-title`);
  if (!followed && !isFirst) {
    restore();
    return;
  }
  if (target && (node === null || isFirst)) target.scrollIntoView();
  if (target && node === null && !isFirst) target.focus({ preventScroll: true });
  if (!target && !isFirst) scrollTo(0, 0);
}

function arrive(title: string, isFirst: boolean): void {
  document.title = `${title} \u2013 ${NAME}`;
  if (isFirst) return;
  other.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
  if (followed) scrollTo(0, 0);
  else restore();
}

/** Back and forward lead to where one was. */
function restore(): void {
  scrollTo(0, places.get(location.hash) ?? 0);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

addEventListener('scroll', () => places.set(last, scrollY), { passive: true });
addEventListener('click', ({ target }) => {
  followed = target instanceof Element && target.closest('a, button, canvas') !== null;
});
addEventListener('hashchange', () => {
  last = location.hash;
  show(false);
  followed = false;
});
part('#open-record', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  followed = true;
  location.assign(`#/records/${encodeURIComponent(part('#record-id', HTMLInputElement).value.trim())}`);
});
show(true);
