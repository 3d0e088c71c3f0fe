// The script of /import. It is served as one file with the readers, apart from the page at /, which does not need them.
import { FORMAT_NAMES, readImport } from '../../../../clients/typescript/import/read-file.ts';
import type { Imported, Refused } from '../../../../clients/typescript/import/rows.ts';
import { type BatchReply, type Progress, sendRows } from '../../../../clients/typescript/import/send-rows.ts';
import { ask } from '../browser/kit/ask.ts';
import { button, fill, h, part } from '../browser/kit/elements.ts';
import { RefusedRequest, refusalWords } from '../browser/kit/refused-request.ts';
import { table } from '../browser/kit/tables.ts';
import { counted, instant } from '../browser/kit/value-texts.ts';

/** Milliseconds between two looks at a set that is graded. */
const LOOK = 2_000;

/** Refused rows that are shown; the file of them has all. */
const SHOWN = 20;

const form = part('#import', HTMLFormElement);
const status = part('#import-status', HTMLElement);
const check = part('#import-check', HTMLElement);
const sending = part('#import-send', HTMLFormElement);
const agents = part('#agent', HTMLSelectElement);
const bar = part('#import-progress', HTMLProgressElement);
const sent = part('#import-sent', HTMLElement);
const graded = part('#import-graded', HTMLElement);
let imported: Imported | null = null;
let isSending = false;

part('#format', HTMLSelectElement).append(...FORMAT_NAMES.map((name) => h('option', {}, name)));

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
  sending.hidden = true;
  bar.hidden = true;
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
    if (imported.rows.length > 0) await offerAgents();
  } catch (error) {
    fill(status, error instanceof Error ? inWordsOfTheForm(error.message) : String(error));
  }
}

/** The names of options as the labels of the form have them. */
function inWordsOfTheForm(message: string): string {
  return message.replace(/--([a-z-]+)/g, (option, name: string) => {
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
    button('Save all that was refused', () => save(`${name}.refused.jsonl`, refused)),
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
  try {
    const { items } = await ask<ListedAgents>('/api/v1/owner/agents?limit=100');
    fill(agents, ...items.map(({ agent_id, name }) => h('option', { value: agent_id }, `${name} (${agent_id})`)));
    sending.hidden = false;
  } catch (error) {
    const isOut = error instanceof RefusedRequest && error.status === 401;
    const words = isOut ? 'To send the rows, sign in, and come back to this page: ' : refusalWords(error);
    fill(sent, words, isOut && h('a', { href: '/#/sign-in' }, 'Sign in'));
  }
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
    const link = h('a', { href: `/#/backtests/${agent}/${set}` }, 'The set and its counts');
    fill(graded, h('p', {}, link), ...refusedParts(refused, set));
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
  fill(sent, `Sent ${count} of ${of}: ${accepted} accepted, ${repeated} repeated, ${refused} refused.`);
}

interface GradedSet {
  readonly ungraded_yet: number;
  readonly evaluated_count: number;
  readonly unavailable_count: number;
}

/** Looks at the set until all rows are graded whose prices have settled. */
async function showGrading(path: string): Promise<void> {
  const line = h('p', { role: 'status' });
  graded.append(line);
  for (;;) {
    const { ungraded_yet, evaluated_count, unavailable_count } = await ask<GradedSet>(path);
    const ended = `${counted(evaluated_count, 'row')} graded, ${unavailable_count} without an outcome`;
    fill(line, ungraded_yet === 0 ? `${ended}.` : `${ended}, ${ungraded_yet} to grade.`);
    if (ungraded_yet === 0) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK));
  }
}
