import { ask } from '../../kit/ask.ts';
import { announce, attempt, isConfirmed, renewed } from '../../kit/dialogs.ts';
import { button, type Child, h } from '../../kit/elements.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { showReading } from '../../kit/states.ts';
import { exportLink } from '../../kit/tables.ts';
import { instant } from '../../kit/value-texts.ts';

const PATH = '/api/v1/owner/export';

const LABELS = { zip: 'files (zip)', jsonl: 'JSON lines', csv: 'CSV', parquet: 'Parquet' };

const ERASURE = '/api/v1/owner/erasure';

/** Schedules the erasure of the account, says when it happens, and takes it back. */
export async function showErasure(box: HTMLElement, signal: AbortSignal): Promise<void> {
  await showReading(box, signal, {
    what: 'whether the account is erased',
    read: () => ask<Schemas['ScheduledErasure']>(ERASURE, { signal }),
    show({ erases_at, export_path }) {
      const again = () => renewed(box, () => showErasure(box, signal));
      return erases_at === null ? offer(export_path, again) : scheduled(erases_at, export_path, again);
    },
  });
}

type Again = () => Promise<unknown>;

function offer(path: string, again: Again): readonly Child[] {
  return [
    h(
      'p',
      {},
      'Your API keys stop at once. The account is erased some days later, on a date that is then shown here; until ' +
        'that date you can sign in and take it back. Afterwards nobody can bring anything back.',
    ),
    h('h3', {}, 'What is erased'),
    list(ERASED),
    h('h3', {}, 'What stays'),
    list(STAYS),
    h('h3', {}, 'First get a copy of your data'),
    h('p', {}, 'It contains your receipts, which nobody can make again afterwards.'),
    exportLinks(path),
    h(
      'p',
      { class: 'buttons' },
      button('Erase the account', () => schedule(again), { class: 'danger' }),
    ),
  ];
}

const ERASED = [
  'The account with its email address, password, second factors and sessions; your agents and their names, API keys, webhooks and drafts.',
  'What only you see of your decisions: summary, confidence, price targets, tags, meta, sources, and the secret that opens a commitment.',
  'The workflows that you published, except public ones that decisions of others name.',
];

const STAYS = [
  'What others see of your decisions; an open one is still graded. An id without a name says that they have one owner.',
  'The entries of the public log: a receipt that you keep proves afterwards what it proves now.',
  'Security events until their time is over, and the audit log; only operators read them.',
  'Copies in backups until the operator removes them, and copies that others made of your public workflows.',
];

function list(lines: readonly string[]): HTMLElement {
  return h('ul', { class: 'bullets' }, ...lines.map((line) => h('li', {}, line)));
}

async function schedule(again: Again): Promise<void> {
  const isWanted = await isConfirmed({
    title: 'Erase the account?',
    words: [
      'All API keys stop now, so your agents are refused. The erasure itself can be taken back until its date.',
      'Have you downloaded a copy of your data?',
    ],
    action: 'Schedule the erasure',
  });
  if (!isWanted) return;
  const isDone = await attempt('The erasure is not scheduled', 'The erasure of the account is scheduled.', () =>
    ask(ERASURE, { method: 'POST' }),
  );
  if (isDone) await again();
}

function scheduled(erasesAt: string, path: string, again: Again): readonly Child[] {
  let restored: readonly string[] = [];
  const keep = async () => {
    const isDone = await attempt('The account is not kept', 'The account stays.', async () => {
      restored = (await ask<Schemas['ErasureTakenBack']>(ERASURE, { method: 'DELETE' })).keys_restored;
    });
    if (!isDone) return;
    if (restored.length > 0) announce(`The account stays. API keys that work again: ${restored.length}.`);
    await again();
  };
  return [
    h(
      'p',
      { class: 'notice' },
      h('b', {}, `This account is erased ${instant(erasesAt)}.`),
      ' Until then you can take it back. Your API keys do not work meanwhile.',
    ),
    h('p', { class: 'buttons' }, button('Take it back', keep, { class: 'primary' })),
    h('p', {}, 'Until then you can also get a copy of your data, with your receipts:'),
    exportLinks(path),
  ];
}

/** The forms in which owners download what is theirs. @param path as the service names it */
export function exportLinks(path = PATH): HTMLElement {
  const links = Object.entries(LABELS).map(([format, label]) =>
    exportLink(`${path}?format=${format}`, { class: 'button', download: true }, `Download as ${label}`),
  );
  const note =
    'CSV and Parquet have your decisions alone, as a table. The size is not known before the end: the browser shows ' +
    'what has come so far, and a failed download where the end is missing.';
  return h('div', {}, h('p', { class: 'buttons' }, ...links), h('p', {}, note));
}
