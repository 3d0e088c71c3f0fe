import { ask } from '../kit/ask.ts';
import { h, part } from '../kit/elements.ts';
import { refusedState } from '../kit/refused-state.ts';
import { showReading } from '../kit/states.ts';
import { instant } from '../kit/value-texts.ts';
import type { CircuitFacts } from '../kit/wire.ts';
import { addressOf } from '../shell/address.ts';
import type { Way } from '../shell/arrival.ts';
import { atlasAddress, choiceOf } from './atlas-data.ts';
import { type Listed, showSeeds } from './atlas-seeds.ts';
import { type AtlasPanel, showAtlas, showNoAtlas } from './atlas-view.ts';
import { circuitWords } from './circuit-words.ts';
import { showShowcase } from './showcase.ts';

const SEEDS = 12;

let atlas: Promise<AtlasPanel | null> | undefined;
/** Aborted when the reader leaves the home or another section of it is shown. */
let visit = new AbortController().signal;
/** Aborted when the atlas is read anew. */
let filling = new AbortController();
/** The newest list of records. */
let listed: (Listed & { readonly includesRetroactive: boolean }) | undefined;

interface Arrival {
  readonly way: Way;
  readonly signal: AbortSignal;
  /** Returns to the scroll position of the address. */
  restore(): void;
}

/** Shows a section of the home, and a node of the atlas if the address names one. */
export function showHome(hash: string, { way, signal, restore }: Arrival): void {
  visit = signal;
  const { name: section, rest } = addressOf(hash);
  const node = section === 'atlas' && rest !== '' ? rest : null;
  followChoice(choiceOf(hash), node);
  void atlas?.then((view) => {
    if (view && node !== null && way === 'followed') turnTo('#atlas-node h3');
  });
  resume();
  const title = section === '' ? null : document.querySelector<HTMLElement>(`#${section}-title`);
  if (way === 'returned') restore();
  else if (title && (node === null || way === 'opened')) title.scrollIntoView();
  else if (!title && way === 'followed') scrollTo(0, 0);
  if (title && node === null && way === 'followed') title.focus({ preventScroll: true });
}

/** What is missing, since the home was left before it was read, is read now. */
function resume(): void {
  showCircuits(part('#circuits', HTMLElement), visit);
  const seeds = part('#seeds', HTMLElement);
  if (seeds.querySelector('.refused') !== null) void atlas?.then((view) => view && listSeeds(view, visit));
  else if (listed) void showShowcase(part('#showcase', HTMLElement), listed, visit);
}

/** Shows the atlas with or without retroactive decisions, and keeps the node; the address then says so. */
export function chooseRetroactive(isIncluded: boolean): void {
  const { name, rest } = addressOf(location.hash);
  const chosen = name === 'atlas' && rest !== '' ? rest : null;
  history.replaceState(null, '', atlasAddress(chosen, isIncluded));
  followChoice(isIncluded, chosen);
}

/** Moves the focus, and scrolls the page as little as possible. */
function turnTo(selector: string): void {
  const heading = document.querySelector<HTMLElement>(selector);
  heading?.focus({ preventScroll: true });
  heading?.scrollIntoView({ block: 'nearest' });
}

/**
 * An address without a choice on retroactive decisions keeps the current choice. After a failure the request is sent
 * again.
 */
function followChoice(choice: boolean | null, node: string | null, attempt = 0): void {
  atlas = (atlas ?? Promise.resolve(null)).then((view) =>
    view && (choice === null || choice === view.includesRetroactive) ? view : fillAtlas(choice, node, attempt),
  );
  void atlas.then((view) => view?.select(node, visit));
}

async function fillAtlas(choice: boolean | null, node: string | null, attempt: number): Promise<AtlasPanel | null> {
  filling.abort();
  filling = new AbortController();
  const signal = AbortSignal.any([visit, filling.signal]);
  const view = await showAtlas(choice).catch((error: unknown) => {
    const retry = (next: number) => followChoice(choice, node, next);
    showNoAtlas(refusedState(error, 'There is no atlas to show now.', { retry, attempt, signal }));
    return null;
  });
  listSeeds(view, signal, attempt);
  return view;
}

/** Those of the atlas that is shown; those that are shown already stay. */
function listSeeds(view: AtlasPanel | null, signal: AbortSignal, attempt = 0): void {
  const includesRetroactive = view?.includesRetroactive ?? true;
  const [box, showcase] = [part('#seeds', HTMLElement), part('#showcase', HTMLElement)];
  if (listed?.includesRetroactive === includesRetroactive && box.querySelector('.refused') === null) {
    void showShowcase(showcase, listed, signal);
    return;
  }
  const shown = (found: Listed) => {
    listed = { ...found, includesRetroactive };
    void showShowcase(showcase, found, signal);
  };
  void showSeeds(box, { node: null, limit: SEEDS, includesRetroactive }, signal, shown, attempt);
}

/** Shows the state of the stablecoins and the observations behind it, once. */
function showCircuits(box: HTMLElement, signal: AbortSignal): void {
  if (box.querySelector('.circuit') !== null) return;
  void showReading(box, signal, {
    what: 'the state of the stablecoins',
    read: () => ask<readonly CircuitFacts[]>('/api/v1/public/stablecoin', { signal }),
    show: (circuits) => circuits.map(circuitCard),
  });
}

function circuitCard({ coin, state, since, peg }: CircuitFacts): HTMLElement {
  const { badge, meaning } = circuitWords({ state, peg });
  const observed = peg
    ? `Last seen at ${peg.price.toFixed(4)} USD, ${peg.drift_bps.toFixed(1)} basis points from par, ${instant(peg.observed_at)}.`
    : 'No two sources have reported its price yet.';
  return h(
    'article',
    { class: 'circuit', 'data-state': state },
    h('h3', {}, coin, h('span', { class: 'state' }, badge)),
    h('p', {}, meaning),
    h('p', { class: 'soft' }, `${observed}${since ? ` ${state} since ${instant(since)}.` : ''}`),
  );
}
