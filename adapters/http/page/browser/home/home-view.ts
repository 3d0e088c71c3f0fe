import { part } from '../kit/elements.ts';
import { addressOf } from '../shell/address.ts';
import type { Way } from '../shell/arrival.ts';
import { atlasAddress, choiceOf } from './atlas-data.ts';
import { showSeeds } from './atlas-seeds.ts';
import { type AtlasPanel, showAtlas } from './atlas-view.ts';
import { showCircuits } from './circuits-view.ts';
import { showShowcase } from './showcase.ts';

const SEEDS = 12;

let atlas: Promise<AtlasPanel | null> | undefined;

/** Shows a section of the home, and a node of the atlas if the address names one. */
export function showHome(hash: string, way: Way, restore: () => void): void {
  const { name: section, rest } = addressOf(hash);
  followChoice(choiceOf(hash));
  const node = section === 'atlas' && rest !== '' ? rest : null;
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

/** Shows the atlas with or without retroactive decisions, and keeps the node; the address then says so. */
export function chooseRetroactive(isIncluded: boolean): void {
  const { name, rest } = addressOf(location.hash);
  const chosen = name === 'atlas' && rest !== '' ? rest : null;
  history.replaceState(null, '', atlasAddress(chosen, isIncluded));
  followChoice(isIncluded);
  void atlas?.then((view) => view?.select(chosen));
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
  }).then((listed) => showShowcase(part('#showcase', HTMLElement), listed));
  return view;
}
