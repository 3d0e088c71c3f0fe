// The script of /import. It is served as one file with the readers, apart from the page at /, which does not need them.
import { FORMAT_NAMES, readImport } from '../../../../clients/typescript/import/read-file.ts';
import type { Imported, Refused } from '../../../../clients/typescript/import/rows.ts';
import { type BatchReply, type Progress, sendRows } from '../../../../clients/typescript/import/send-rows.ts';
import { ask } from '../browser/kit/ask.ts';
import { button, fill, h, part } from '../browser/kit/elements.ts';
import { RefusedRequest, refusalWords } from '../browser/kit/refused-request.ts';
import { isSignedIn, onSessionChange } from '../browser/kit/session-hint.ts';
import { table } from '../browser/kit/tables.ts';
import { counted, instant } from '../browser/kit/value-texts.ts';

/** Milliseconds between two looks at a set while rows are graded, and at most where none are: a source may be away for days. */
const LOOK = 2_000;
const LONGEST_LOOK = 60_000;

/** Refused rows that are shown; the file of them has all. */
const SHOWN = 20;

const form = part('#import', HTMLFormElement);
const status = part('#import-status', HTMLElement);
const check = part('#import-check', HTMLElement);
const sendPart = part('#import-sending', HTMLElement);
const sending = part('#import-send', HTMLFormElement);
const agents = part('#agent', HTMLSelectElement);
const setName = part('#set', HTMLInputElement);
const bar = part('#import-progress', HTMLProgressElement);
const sent = part('#import-sent', HTMLElement);
const graded = part('#import-graded', HTMLElement);
let imported: Imported | null = null;
let isSending = false;

/** The set that the page of a set leads here for; otherwise the file gives the name. */
const query = new URLSearchParams(location.search);
setName.value = query.get('set') ?? '';

part('#format', HTMLSelectElement).append(...FORMAT_NAMES.map((name) => h('option', {}, name)));

// The reader signed in elsewhere, such as in the tab that this page opened.
onSessionChange(() => {
  if (isSignedIn() && imported && imported.rows.length > 0 && sendPart.hidden) void offerAgents();
});

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void checkFile();
});
// What was checked is no longer what the form says.
form.addEventListener('input', () => {
  if (!isSending) forget();
});
sending.addEventListener('submit', (event) => {
  event.preventDefault();
  if (imported && !isSending) void sendFile(imported);
});
addEventListener('beforeunload', (event) => {
  if (isSending) event.preventDefault();
});

function forget(): void {
  imported = null;
  sendPart.hidden = true;
  bar.hidden = true;
  status.className = '';
  for (const field of form.querySelectorAll('[aria-invalid]')) field.removeAttribute('aria-invalid');
  for (const each of [status, check, sent, graded]) fill(each);
}

/** The options of the form; an empty field is none. */
function optionsOf(data: FormData): Readonly<Record<string, string | readonly string[]>> {
  const texts = [...data].flatMap(([name, value]) =>
    typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()] as const] : [],
  );
  return Object.fromEntries(
    texts.map(([name, text]) => [
      name,
      name === 'map'
        ? text
            .split('\n')
            .map((line) => line.trim())
            .filter(Boolean)
        : text,
    ]),
  );
}

async function checkFile(): Promise<void> {
  forget();
  const data = new FormData(form);
  const file = data.get('file');
  if (!(file instanceof File)) return;
  fill(status, 'Reading the file ...');
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    imported = await readImport(file.name, bytes, optionsOf(data), Date.now());
    showCheck(imported, file.name);
    if (!query.has('set')) setName.value = nameOf(file.name);
    if (imported.rows.length > 0) await offerAgents();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    status.className = 'notice';
    fill(status, inWordsOfTheForm(message));
    showFields(message);
  }
}

/** A name for a set of this file. */
function nameOf(file: string): string {
  const words = file.toLowerCase().replace(/(\.[a-z0-9]+)+$/, '');
  return words
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40);
}

/** Shows the fields of the options that a message names, with the message still in view. */
function showFields(message: string): void {
  for (const [, name = ''] of message.matchAll(/--([a-z-]+)/g)) {
    const field = form.querySelector(`#${name}`);
    field?.setAttribute('aria-invalid', 'true');
    field?.closest('details')?.setAttribute('open', '');
  }
  status.scrollIntoView({ block: 'nearest' });
}

/** The names of options as the labels of the form have them. */
function inWordsOfTheForm(message: string): string {
  return message.replace(/(such as )?--([a-z-]+)/g, (option, example: string | undefined, name: string) => {
    // An example of the value follows the words, and the field is named before.
    if (example !== undefined) return example.trim();
    const label = form.querySelector(`label[for="${name}"]`)?.textContent;
    return label ? `\u201c${label}\u201d` : option;
  });
}

function showCheck({ about, rows, refused, leftOut }: Imported, name: string): void {
  const instruments = new Map<string, Map<string, number>>();
  for (const { instrument, row } of rows) {
    const counts = instruments.get(instrument) ?? new Map<string, number>();
    instruments.set(instrument, counts.set(row.direction, (counts.get(row.direction) ?? 0) + 1));
  }
  const count =
    (direction: string) =>
    ([, counts]: readonly [string, ReadonlyMap<string, number>]) =>
      String(counts.get(direction) ?? 0);
  fill(status, `${counted(rows.length, 'row')} of ${counted(instruments.size, 'instrument')} can be sent.`);
  fill(
    check,
    h('h2', {}, 'What would be sent'),
    h('p', {}, `${about.source}. Horizon: ${about.horizon_rule}.${spanOf(rows)}`),
    rows.length > 0 &&
      table({
        caption: 'Rows by instrument',
        columns: [
          { title: 'Instrument', cell: ([instrument]) => instrument },
          { title: 'Bullish', kind: 'number', cell: count('bullish') },
          { title: 'Bearish', kind: 'number', cell: count('bearish') },
          { title: 'Neutral', kind: 'number', cell: count('neutral') },
        ],
        rows: [...instruments],
      }),
    ...[...leftOut].map(([why, many]) => h('p', { class: 'soft' }, `Left out, ${many}: ${why}.`)),
    ...refusedParts(refused, name),
  );
}

function spanOf(rows: Imported['rows']): string {
  if (rows.length === 0) return '';
  const first = rows.reduce((least, { from }) => Math.min(least, from), Number.POSITIVE_INFINITY);
  const last = rows.reduce((most, { until }) => Math.max(most, until), 0);
  return ` Windows from ${instant(first)} to ${instant(last)}.`;
}

function refusedParts(refused: readonly Refused[], name: string): readonly (HTMLElement | false)[] {
  if (refused.length === 0) return [];
  const items = refused.slice(0, SHOWN).map(({ place, why }) => h('li', {}, `${place}: ${inWordsOfTheForm(why)}`));
  return [
    h('p', { class: 'notice' }, `${counted(refused.length, 'row')} refused:`),
    h('ul', {}, ...items),
    refused.length > SHOWN && h('p', { class: 'soft' }, `and ${refused.length - SHOWN} more.`),
    h(
      'p',
      {},
      button('Save all that was refused', () => save(`${name}.refused.jsonl`, refused)),
    ),
  ];
}

function save(name: string, refused: readonly Refused[]): void {
  const lines = refused.map(({ place, external_id, why }) => `${JSON.stringify({ place, external_id, why })}\n`);
  const href = URL.createObjectURL(new Blob(lines, { type: 'application/jsonl' }));
  h('a', { href, download: name }).click();
  URL.revokeObjectURL(href);
}

interface ListedAgents {
  readonly items: readonly { readonly agent_id: string; readonly name: string }[];
}

/** Lists the agents that may get the set; a reader without a session is led to the login, and can check files. */
async function offerAgents(): Promise<void> {
  fill(sent);
  if (!isSignedIn()) return offerLogin();
  try {
    const { items } = await ask<ListedAgents>('/api/v1/owner/agents?limit=100');
    fill(agents, ...items.map(({ agent_id, name }) => h('option', { value: agent_id }, `${name} (${agent_id})`)));
    const [named] = items.filter(({ agent_id }) => agent_id === query.get('agent'));
    if (named) agents.value = named.agent_id;
    sendPart.hidden = items.length === 0;
    if (items.length > 0) return;
    fill(sent, 'A set belongs to an agent, and you have none. ', tabLink('/#/agents', 'Make one'), ' and check again.');
  } catch (error) {
    if (error instanceof RefusedRequest && error.status === 401) offerLogin();
    else fill(sent, refusalWords(error));
  }
}

function offerLogin(): void {
  fill(sent, 'To send the rows, ', tabLink('/#/sign-in', 'sign in in a new tab'), ': this page goes on by itself.');
}

/** A link that leaves this page open, and with it the file. */
function tabLink(href: string, words: string): HTMLElement {
  return h('a', { href, target: '_blank' }, words);
}

async function sendFile(file: Imported): Promise<void> {
  const data = new FormData(sending);
  const [set, agent] = [String(data.get('set')), encodeURIComponent(String(data.get('agent')))];
  const path = `/api/v1/agent/backtests/${set}?agent_id=${agent}`;
  const refused: Refused[] = [];
  isSending = true;
  bar.hidden = false;
  bar.max = file.rows.length;
  bar.value = 0;
  fill(graded);
  try {
    await sendRows(
      file,
      (batch) => ask<BatchReply>(path, { method: 'POST', body: batch }),
      (progress, more) => {
        refused.push(...more);
        showProgress(progress);
      },
    );
    isSending = false;
    const link = h('a', { class: 'button', href: `/#/backtests/${agent}/${set}` }, 'Show the set and its counts');
    fill(graded, ...refusedParts(refused, set), h('p', {}, link));
    await showGrading(path);
  } catch (error) {
    const faults =
      error instanceof RefusedRequest ? error.faults.map(({ path: at, message }) => `${at} ${message}`) : [];
    fill(sent, [refusalWords(error), ...faults, 'Rows that were sent are stored, and are not stored twice.'].join(' '));
  } finally {
    isSending = false;
  }
}

function showProgress({ sent: count, of, accepted, repeated, refused }: Progress): void {
  bar.value = count;
  fill(
    sent,
    `Sent ${shown(count)} of ${shown(of)}: ${shown(accepted)} accepted, ${shown(repeated)} repeated, ${shown(refused)} refused.`,
  );
}

function shown(count: number): string {
  return count.toLocaleString('en-GB');
}

interface GradedSet {
  readonly ungraded_yet: number;
  readonly evaluated_count: number;
  readonly unavailable_count: number;
}

/** Looks at the set until all rows are graded whose prices have settled. */
async function showGrading(path: string): Promise<void> {
  const line = h('p', { role: 'status' });
  graded.prepend(line);
  let [pause, left] = [LOOK, Number.POSITIVE_INFINITY];
  while (line.isConnected) {
    const { ungraded_yet, evaluated_count, unavailable_count } = await ask<GradedSet>(path);
    const ended = `${counted(evaluated_count, 'row')} graded, ${shown(unavailable_count)} without an outcome`;
    fill(line, ungraded_yet === 0 ? `${ended}.` : `${ended}, ${shown(ungraded_yet)} to grade.`);
    if (ungraded_yet === 0) return;
    pause = ungraded_yet < left ? LOOK : Math.min(2 * pause, LONGEST_LOOK);
    left = ungraded_yet;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
