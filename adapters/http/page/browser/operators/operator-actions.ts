import { ask } from '../kit/ask.ts';
import { announce, attempt, formDialog } from '../kit/dialogs.ts';
import { button, type Child, factList, fill, h } from '../kit/elements.ts';
import { textField } from '../kit/forms.ts';
import { refusalWords } from '../kit/refused-request.ts';
import type { Schemas } from '../kit/schemas.ts';
import { showReading } from '../kit/states.ts';
import { type Column, table } from '../kit/tables.ts';
import { counted, type Fact, instant } from '../kit/value-texts.ts';

type Answer = Schemas['SourceAnswers']['sources'][number];

const ANSWERS: readonly Column<Answer>[] = [
  { title: 'Source', cell: ({ source }) => source },
  { title: 'Asked for', cell: ({ subject }) => subject },
  { title: 'Answer', cell: ({ ok }) => h('span', { class: 'state', 'data-wrong': !ok }, ok ? 'good' : 'failed') },
  { title: 'Milliseconds', kind: 'number', cell: ({ latency_ms }) => String(latency_ms) },
  { title: 'Newest price', cell: ({ newest }) => (newest ? instant(newest) : '') },
  { title: 'Error', cell: ({ error }) => error ?? '' },
];

/** The button that asks each source once, next to others, and where the answers are shown. */
export function sourceProbe(signal: AbortSignal, ...others: readonly HTMLElement[]): readonly HTMLElement[] {
  const box = h('div');
  const askAll = () => {
    fill(box);
    return showReading(box, signal, {
      what: 'the answers of the sources',
      read: () => ask<Schemas['SourceAnswers']>('/api/v1/admin/sources/probe', { method: 'POST', signal }),
      show: ({ sources }) => answers(sources),
    });
  };
  const pace = h('span', { class: 'soft' }, 'It takes up to 20 seconds.');
  return [h('div', { class: 'buttons spaced' }, ...others, button('Ask each source now', askAll), pace), box];
}

function answers(sources: readonly Answer[]): readonly Child[] {
  const good = sources.filter(({ ok }) => ok).length;
  const words =
    sources.length === 0
      ? 'The service calls no source on the network (MARKET_DATA_NETWORK).'
      : `${good} of ${counted(sources.length, 'request')} brought a price.`;
  announce(words);
  const shown = { caption: 'Answers of the sources', isCaptionHidden: true, columns: ANSWERS, rows: sources };
  return [h('p', { class: 'spaced' }, words), sources.length > 0 && table(shown)];
}

/** Has an instrument verified again at once, and its failed decisions tried again. Returns whether it is requested. */
export function verifyAgain(name: string, terms: readonly string[]): Promise<boolean> {
  return attempt(
    `${name} is not verified again`,
    `${name} is verified again; its failed decisions are tried again.`,
    () => ask(refreshOf(terms), { method: 'POST' }),
  );
}

function refreshOf(terms: readonly string[]): string {
  return `/api/v1/admin/instruments/${terms.map(encodeURIComponent).join('/')}/refresh`;
}

/** For an instrument that a problem names by its key. */
export function verifyButton(key: string): HTMLElement {
  const terms = key.split(':');
  const [, symbol = '', venue = ''] = terms;
  const name = `${symbol} on ${venue}`;
  return button(`Verify ${name} again`, () => verifyAgain(name, terms));
}

/** For any instrument, which the operator names as the command `refresh` does. */
export function verifyAnyButton(): HTMLElement {
  return button('Verify an instrument again', () => {
    const identity = textField(
      {
        name: 'identity',
        label: 'Instrument',
        hint: 'market:symbol:venue:asset_class:quote, such as stock:MSFT:NASDAQ:spot:USD.',
      },
      { required: true, autofocus: true, pattern: '\\s*[^:\\s]+(:[^:]+){4}', autocomplete: 'off', spellcheck: 'false' },
    );
    const terms = () => identity.control.value.trim().split(':');
    return formDialog({
      title: 'Verify an instrument again',
      words: 'The sources are asked at once, and its failed decisions are tried again.',
      fields: [identity],
      action: 'Verify it',
      done: 'The instrument is verified again; its failed decisions are tried again.',
      send: () => ask(refreshOf(terms()), { method: 'POST' }),
    });
  });
}

type Backups = Schemas['ServiceStatus']['backups'];

/** The part of the view that is about backups. */
export interface BackupsPart {
  readonly element: HTMLElement;
  /** Shows what was read, and reads it again while a backup is being made. */
  show(backups: Backups): void;
  /** A button that makes one; none where the service cannot. */
  button(): HTMLElement | null;
}

const LOOK = 3_000;

/** When backups were made and checked, how the last one ended that was made here, and the button that makes one. */
export function backupsPart(signal: AbortSignal): BackupsPart {
  const [said, buttons] = [h('div'), h('div', { class: 'buttons spaced' })];
  const own = button('Make a backup now', make);
  let last: Backups | null = null;
  let isWatching = false;

  const isPossible = () => last !== null && last.obstacle === null;

  function show(backups: Backups): void {
    last = backups;
    fill(said, factList(backupFacts(backups)), ...backupWords(backups));
    // It stays while it has the focus.
    if (isPossible() !== (own.parentElement !== null)) fill(buttons, isPossible() && own);
    if (backups.running_since !== null) void watch();
  }

  async function make(): Promise<void> {
    const isBegun = await attempt('No backup is made', 'A backup is being made.', () =>
      ask('/api/v1/admin/backups', { method: 'POST' }),
    );
    if (isBegun) await watch();
  }

  /** Until it has ended. */
  async function watch(): Promise<void> {
    if (isWatching) return;
    isWatching = true;
    try {
      while (!(await isOver())) await new Promise((resolve) => setTimeout(resolve, LOOK));
      if (last !== null) announce(lastEnd(last));
    } catch (error) {
      if (!signal.aborted) announce(`How far the backup is could not be read. ${refusalWords(error)}`);
    } finally {
      isWatching = false;
    }
  }

  async function isOver(): Promise<boolean> {
    const { backups } = await ask<Schemas['ServiceStatus']>('/api/v1/admin/status', { signal });
    show(backups);
    return backups.running_since === null;
  }

  return {
    element: h('div', {}, said, buttons),
    show,
    button: () => (isPossible() ? button('Make a backup now', make) : null),
  };
}

function backupFacts({ last_made_at, last_checked_at, last_check_ok }: Backups): readonly Fact[] {
  const check = last_check_ok === null ? 'never checked' : last_check_ok ? 'good' : 'failed';
  return [
    ['Made last', last_made_at === null ? 'none yet' : instant(last_made_at)],
    ['Checked last', `${last_checked_at === null ? 'never' : instant(last_checked_at)}, ${check}`],
  ];
}

function backupWords(backups: Backups): readonly Child[] {
  const { running_since, obstacle } = backups;
  return [
    running_since !== null && h('p', { class: 'notice' }, `A backup is being made since ${instant(running_since)}.`),
    hasFailedLast(backups) && h('p', { class: 'notice' }, lastEnd(backups)),
    obstacle !== null &&
      h(
        'p',
        { class: 'soft' },
        `${OBSTACLES[obstacle]} To make one, run `,
        h('code', {}, 'npm run admin -- backup DIR'),
        '.',
      ),
  ];
}

function hasFailedLast({ running_since, last_made_at, last_failed_at }: Backups): boolean {
  return running_since === null && last_failed_at !== null && (last_made_at === null || last_failed_at > last_made_at);
}

function lastEnd(backups: Backups): string {
  const { last_failure, last_failed_at } = backups;
  if (!hasFailedLast(backups) || last_failure === null || last_failed_at === null) return 'The backup is made.';
  const at = instant(last_failed_at);
  if (last_failure === 'process_lost')
    return `How the backup of ${at} ended is not known: its process is gone, or this database was restored from it.`;
  return `The backup of ${at} failed: ${FAILURES[last_failure]}`;
}

const OBSTACLES: Readonly<Record<NonNullable<Backups['obstacle']>, string>> = {
  no_folder: 'This service makes no backups by itself: BACKUP_DIR names no folder.',
  folder_unusable: 'The folder of BACKUP_DIR is not there, or cannot be written to.',
  no_pg_dump: 'There is no pg_dump here that fits the database.',
  no_connection: 'The database cannot be reached as the owner of its schema.',
};

const FAILURES: Readonly<Record<Exclude<Backups['last_failure'], 'process_lost' | null>, string>> = {
  pg_dump_failed: 'pg_dump failed. npm run admin -- backup DIR prints why.',
  no_right:
    'the role may not read every table. Set MIGRATION_DATABASE_URL to the URL of the role that owns the schema.',
  no_room: 'the disk of BACKUP_DIR has too little room. Remove old backups, or name another folder.',
  folder_unusable: 'the folder of BACKUP_DIR is not there, or cannot be written to.',
  stopped: 'the service was stopped meanwhile. Make it again.',
};
