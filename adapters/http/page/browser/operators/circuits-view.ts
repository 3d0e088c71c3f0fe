import { ask } from '../kit/ask.ts';
import { announce, openDialog } from '../kit/dialogs.ts';
import { button, type Child, fill, h } from '../kit/elements.ts';
import { areaField, form, type Visit } from '../kit/forms.ts';
import { showReading } from '../kit/states.ts';
import { pagedTable, type WirePage } from '../kit/tables.ts';
import { instant, plain } from '../kit/value-texts.ts';
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

/** Asks why, and trips the circuit; false if the operator does not want to. */
async function tripDialog(coin: string): Promise<boolean> {
  const reason = areaField(
    { name: 'reason', label: 'Reason', hint: 'Stored in the history and in the audit log, for ever.' },
    { required: true, autofocus: true },
  );
  const isDone = await openDialog<true>(`Trip the circuit of ${coin}`, (close) => [
    h('p', {}, `Decisions quoted in ${coin} that are sent from now on are counted in cohorts of their own.`),
    form({
      fields: [reason],
      action: 'Trip the circuit',
      extra: [button('Cancel', () => close(null))],
      async send() {
        await ask(`/api/v1/admin/stablecoin/${coin}/trip`, { method: 'POST', body: { reason: reason.control.value } });
        close(true);
      },
    }),
  ]);
  return isDone === true;
}

/** Asks for a justification and its evidence, and resolves the circuit; false if the operator does not want to. */
async function resolveDialog(coin: string): Promise<boolean> {
  const justification = areaField(
    { name: 'justification', label: 'Why the coin is sound again' },
    { required: true, autofocus: true },
  );
  const evidence = areaField(
    { name: 'evidence_urls', label: 'Evidence', hint: 'One https address a line. They are stored and never fetched.' },
    { required: true },
  );
  const isDone = await openDialog<true>(`Resolve the circuit of ${coin}`, (close) => [
    h('p', {}, `${coin} counts as the dollar again. Earlier decisions keep their cohorts.`),
    form({
      fields: [justification, evidence],
      action: 'Resolve the circuit',
      extra: [button('Cancel', () => close(null))],
      async send() {
        const evidence_urls = evidence.control.value
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== '');
        const body = { justification: justification.control.value, evidence_urls };
        await ask(`/api/v1/admin/stablecoin/${coin}/resolve`, { method: 'POST', body });
        close(true);
      },
    }),
  ]);
  return isDone === true;
}
