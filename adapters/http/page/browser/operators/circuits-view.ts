import { announce } from '../kit/announcements.ts';
import { ask } from '../kit/ask.ts';
import { button, type Child, fill, h } from '../kit/elements.ts';
import { showReading } from '../kit/states.ts';
import { pagedTable, type WirePage } from '../kit/tables.ts';
import { instant, plain } from '../kit/value-texts.ts';
import type { Visit } from '../kit/visit.ts';
import { resolveDialog, tripDialog } from './circuit-dialogs.ts';
import { pegDrawing } from './peg-drawing.ts';
import type { WireCircuit, WirePegHistory, WireSnapshot } from './wire-operators.ts';

const TITLE = 'Circuits';
const PATH = '/api/v1/admin/stablecoin';

/** The stablecoins: state, the history of the peg, who changed what, and the ways to trip and to resolve. */
export async function show(view: HTMLElement, { signal }: Visit): Promise<string> {
  const box = h('div');
  const read = () =>
    showReading(box, signal, {
      what: 'the circuits',
      read: () => ask<readonly WireCircuit[]>(PATH, { signal }),
      show: (circuits) => circuits.map((circuit) => card(circuit, signal, read)),
    });
  fill(view, h('h1', { tabindex: -1 }, TITLE), box);
  await read();
  return TITLE;
}

function card(circuit: WireCircuit, signal: AbortSignal, again: () => Promise<unknown>): HTMLElement {
  const { coin, state, since, reason, peg } = circuit;
  const [history, changes] = [h('div'), h('div')];
  const changed = async (isDone: boolean, words: string) => {
    if (!isDone) return;
    await again();
    announce(words);
  };
  void showHistory(history, coin, signal);
  void showChanges(changes, coin, signal);
  return h(
    'section',
    { class: 'operator-circuit', 'aria-label': coin },
    h('h2', {}, coin, ' ', h('span', { class: 'state', 'data-wrong': state !== 'normal' }, state)),
    h('p', {}, since ? `Since ${instant(since)}: ${reason ?? 'no reason'}` : 'It was never changed.'),
    h(
      'p',
      {},
      peg
        ? `${peg.price.toFixed(4)} USD, ${peg.drift_bps.toFixed(1)} bps from par, ${instant(peg.observed_at)}.`
        : 'No price was observed yet.',
    ),
    ...recovery(circuit),
    h(
      'div',
      { class: 'buttons' },
      state === 'warming' &&
        button('Resolve', async () => changed(await resolveDialog(coin), `${coin} is normal.`), { class: 'primary' }),
      button('Trip', async () => changed(await tripDialog(coin), `${coin} is tripped.`), { class: 'danger' }),
    ),
    history,
    changes,
  );
}

function recovery({ state, recovery: progress }: WireCircuit): readonly Child[] {
  if (state === 'warming') return [h('p', {}, 'The peg has held for 24 hours: an operator may resolve it.')];
  if (state !== 'tripped' || progress === null) return [];
  const { sub_threshold_since, warming_at } = progress;
  if (sub_threshold_since === null)
    return [h('p', {}, 'It can be resolved after 24 hours of calm, which have not begun.')];
  return [h('p', {}, `Calm since ${instant(sub_threshold_since)}; it can be resolved from ${instant(warming_at)} on.`)];
}

async function showHistory(box: HTMLElement, coin: string, signal: AbortSignal): Promise<void> {
  await showReading(box, signal, {
    what: `the peg of ${coin}`,
    read: () => ask<WirePegHistory>(`${PATH}/${coin}/observations?hours=48`, { signal }),
    show: (path) => (path.stretches.length === 0 ? [] : [pegDrawing(coin, path)]),
    none: 'No price was observed in the last 48 hours.',
  });
}

async function showChanges(box: HTMLElement, coin: string, signal: AbortSignal): Promise<void> {
  const read = (cursor?: string) =>
    ask<WirePage<WireSnapshot>>(
      `${PATH}/${coin}/history?limit=5${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      { signal },
    );
  await showReading(box, signal, {
    what: `the changes of ${coin}`,
    read: () => read(),
    show: (first) =>
      first.items.length === 0
        ? []
        : [
            ...pagedTable({
              caption: `Changes of ${coin}`,
              columns: CHANGES,
              first,
              next: read,
              more: 'Show older changes',
              signal,
            }),
          ],
    none: 'No change yet.',
  });
}

const CHANGES = [
  { title: 'When', cell: ({ at }: WireSnapshot) => instant(at) },
  { title: 'Change', cell: ({ from, to }: WireSnapshot) => `${from} to ${to}` },
  { title: 'Cause', cell: ({ cause }: WireSnapshot) => plain(cause) },
  { title: 'By', cell: ({ actor }: WireSnapshot) => actor },
  { title: 'Why', cell: ({ reason, justification }: WireSnapshot) => justification ?? reason ?? '' },
  { title: 'Evidence', cell: ({ evidence_urls }: WireSnapshot) => (evidence_urls ?? []).join(' ') },
];
