import { ask } from '../kit/ask.ts';
import { formDialog, reasonDialog } from '../kit/dialogs.ts';
import { button, type Child, fill, h } from '../kit/elements.ts';
import { areaField, type Visit } from '../kit/forms.ts';
import { type List, listIn } from '../kit/lists.ts';
import type { Schemas } from '../kit/schemas.ts';
import { showReading } from '../kit/states.ts';
import { s } from '../kit/svg.ts';
import { instant, plain } from '../kit/value-texts.ts';

type Circuit = Schemas['Circuit'];

const TITLE = 'Circuits';
const PATH = '/api/v1/admin/stablecoin';

/** The stablecoins: state, the history of the peg, who changed what, and the ways to trip and to resolve. */
export async function show(view: HTMLElement, { signal }: Visit): Promise<string> {
  const box = h('div');
  const read = () =>
    showReading(box, signal, {
      what: 'the circuits',
      read: () => ask<readonly Circuit[]>(PATH, { signal }),
      show: (circuits) => circuits.map((circuit) => card(circuit, signal, read)),
    });
  fill(view, h('h1', { tabindex: -1 }, TITLE), box);
  await read();
  return TITLE;
}

function card(circuit: Circuit, signal: AbortSignal, again: () => Promise<unknown>): HTMLElement {
  const { coin, state, since, reason, peg } = circuit;
  const [history, changes] = [h('div'), h('div')];
  const run = (dialog: (coin: string) => Promise<boolean>) => async () => {
    if (await dialog(coin)) await again();
  };
  void showHistory(history, coin, signal);
  void listIn(changes, signal, changesOf(coin))();
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
      state === 'warming' && button('Resolve', run(resolveDialog), { class: 'primary' }),
      button('Trip', run(tripDialog), { class: 'danger' }),
    ),
    history,
    changes,
  );
}

function recovery({ state, recovery: progress }: Circuit): readonly Child[] {
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
    read: () => ask<Schemas['PegHistory']>(`${PATH}/${coin}/observations?hours=48`, { signal }),
    show: (path) => (path.stretches.length === 0 ? [] : [pegDrawing(coin, path)]),
    none: 'No price was observed in the last 48 hours.',
  });
}

function changesOf(coin: string): List<Schemas['CircuitSnapshot']> {
  return {
    what: `the changes of ${coin}`,
    path: `${PATH}/${coin}/history`,
    query: () => ({ limit: '5' }),
    caption: `Changes of ${coin}`,
    none: 'No change yet.',
    more: 'Show older changes',
    columns: [
      { title: 'When', cell: ({ at }) => instant(at) },
      { title: 'Change', cell: ({ from, to }) => `${from} to ${to}` },
      { title: 'Cause', cell: ({ cause }) => plain(cause) },
      { title: 'By', cell: ({ actor }) => actor },
      { title: 'Why', cell: ({ reason, justification }) => justification ?? reason ?? '' },
      { title: 'Evidence', cell: ({ evidence_urls }) => (evidence_urls ?? []).join(' ') },
    ],
  };
}

/** Asks why, and trips the circuit. Returns whether it was done. */
function tripDialog(coin: string): Promise<boolean> {
  return reasonDialog({
    title: `Trip the circuit of ${coin}`,
    words: `Decisions quoted in ${coin} that are sent from now on are counted in cohorts of their own.`,
    action: 'Trip the circuit',
    hint: 'Stored in the history and in the audit log, for ever.',
    done: `${coin} is tripped.`,
    send: (reason) => ask(`${PATH}/${coin}/trip`, { method: 'POST', body: { reason } }),
  });
}

/** Asks for a justification and its evidence, and resolves the circuit. Returns whether it was done. */
function resolveDialog(coin: string): Promise<boolean> {
  const justification = areaField(
    { name: 'justification', label: 'Why the coin is sound again' },
    { required: true, autofocus: true },
  );
  const evidence = areaField(
    { name: 'evidence_urls', label: 'Evidence', hint: 'One https address a line. They are stored and never fetched.' },
    { required: true },
  );
  return formDialog({
    title: `Resolve the circuit of ${coin}`,
    words: `${coin} counts as the dollar again. Earlier decisions keep their cohorts.`,
    fields: [justification, evidence],
    action: 'Resolve the circuit',
    done: `${coin} is normal.`,
    send() {
      const lines = evidence.control.value.split('\n').map((line) => line.trim());
      const body = { justification: justification.control.value, evidence_urls: lines.filter((line) => line !== '') };
      return ask(`${PATH}/${coin}/resolve`, { method: 'POST', body });
    },
  });
}

const [WIDTH, HEIGHT] = [600, 140];
/** The least range that is drawn, so that noise is not blown up, in USD. */
const LEAST = 0.002;

/** The range of prices of each stretch over time, with the line of one dollar; its words say what it shows. */
function pegDrawing(coin: string, { from, until, stretches }: Schemas['PegHistory']): HTMLElement {
  const lows = stretches.map(({ low }) => low);
  const highs = stretches.map(({ high }) => high);
  const [least, most] = [Math.min(1 - LEAST, ...lows), Math.max(1 + LEAST, ...highs)];
  const drift = Math.max(...stretches.map(({ drift_bps }) => drift_bps));
  const [begin, end] = [Date.parse(from), Date.parse(until)];
  const x = (time: string) => ((Date.parse(time) - begin) / (end - begin)) * WIDTH;
  const y = (value: number) => ((most - value) / (most - least)) * HEIGHT;
  const words =
    `${coin} from ${instant(from)} to ${instant(until)}: between ${Math.min(...lows).toFixed(4)} and ` +
    `${Math.max(...highs).toFixed(4)} USD, at most ${drift.toFixed(1)} bps from par.`;
  const drawing = s(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': words, class: 'operator-peg' },
    s('line', { x1: 0, x2: WIDTH, y1: y(1), y2: y(1), class: 'par' }),
    s('path', { d: stretches.map((each) => bar(each, x, y)).join(''), class: 'peg' }),
  );
  return h('figure', {}, drawing, h('figcaption', { class: 'soft' }, `${words} The line is 1 USD.`));
}

function bar(
  { from, low, high }: Schemas['PegStretch'],
  x: (time: string) => number,
  y: (value: number) => number,
): string {
  const at = Math.max(0, x(from)).toFixed(1);
  return `M${at} ${(y(high) - 1).toFixed(1)}V${(y(low) + 1).toFixed(1)}`;
}
