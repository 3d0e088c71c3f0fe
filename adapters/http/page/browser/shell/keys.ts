import { openDialog } from '../kit/dialogs.ts';
import { h, part } from '../kit/elements.ts';
import { keepLetters, lettersWork } from '../kit/kept.ts';
import { goTo } from './arrival.ts';

/** Where `g` and a letter lead. */
const PLACES: Readonly<Record<string, readonly [address: string, name: string]>> = {
  o: ['#/overview', 'Overview'],
  d: ['#/own', 'Decisions'],
  t: ['#/track', 'Track records'],
  c: ['#/compare', 'Compare'],
  a: ['#/agents', 'Agents'],
  k: ['#/keys', 'API keys'],
  p: ['#/plans', 'Plans'],
  w: ['#/workflows', 'Workflows'],
  s: ['#/settings', 'Settings'],
  h: ['#/', 'Home'],
};

/** So long after `g` a letter belongs to it. */
const TOGETHER = 1_500;

/** The keys that work in every view, and the button of the header that opens the search. */
export function watchKeys(): void {
  let isGoing = 0;
  part('#find', HTMLButtonElement).addEventListener('click', openPalette);
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, target } = event;
    if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k') {
      event.preventDefault();
      if (!document.querySelector('dialog[open]:not(.palette)')) void openPalette();
      return;
    }
    const isTyping = target instanceof Element && target.matches('input:not([type=checkbox]), select, textarea');
    if (ctrlKey || metaKey || altKey || isTyping || event.defaultPrevented || !lettersWork()) return;
    if (document.querySelector('dialog[open]')) return;
    const place = event.timeStamp - isGoing < TOGETHER ? PLACES[key] : undefined;
    isGoing = key === 'g' && !place ? event.timeStamp : 0;
    const act = place ? () => goTo(place[0]) : ACTS[key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

const ACTS: Readonly<Record<string, () => void>> = { '?': () => void showKeys(), '/': focusSearch };

async function openPalette(): Promise<void> {
  const { togglePalette } = await import('../palette/palette.ts');
  togglePalette();
}

/** The search of the view; without one, that of the page. */
function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>('#other input[type=search]');
  if (!field) return void openPalette();
  const closed = field.closest('details');
  if (closed) closed.open = true;
  field.focus();
}

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['Ctrl K', 'search: decisions, agents, instruments, workflows, the guide, settings'],
  ['/', 'the search of the view'],
  ['j, k', 'the next and the previous row of your decisions; of an open decision, the next one and the one before'],
  ['Enter, Esc', 'open a row; close the open decision'],
  ...Object.entries(PLACES).map(([letter, [, name]]) => [`g ${letter}`, name] as const),
  ['?', 'this list'],
];

async function showKeys(): Promise<void> {
  const letters = h('input', { type: 'checkbox', checked: lettersWork() });
  letters.addEventListener('change', () => keepLetters(letters.checked));
  await openDialog('Keys', (close) => [
    h(
      'dl',
      { class: 'keys' },
      ...KEYS.map(([keys, what]) => h('div', {}, h('dt', {}, h('kbd', {}, keys)), h('dd', {}, what))),
    ),
    h('label', { class: 'choice' }, letters, 'Keys of one letter work in this browser'),
    h('div', { class: 'buttons' }, closeButton(close)),
  ]);
}

function closeButton(close: (result: null) => void): HTMLButtonElement {
  const made = h('button', { type: 'button', autofocus: true }, 'Close');
  made.addEventListener('click', () => close(null));
  return made;
}
