import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Migration {
  /** As `public.migrations` keeps it: words, then the 13 digits that order migrations. */
  readonly name: string;
  /** Statements that run in one transaction, unless `isOnline` is true of them. */
  readonly sql: string;
}

/**
 * Whether each statement of a migration runs without a transaction, as `create index concurrently` must. Such statements are
 * safe to run again, since a failed one leaves those before it. A file says so in its first line.
 */
export function isOnline({ sql }: Migration): boolean {
  return sql.startsWith('-- Online: ');
}

/**
 * The migrations of a folder, `NNNN-*.sql`, in the order of their numbers. They are frozen: see `migrations.lock`. The first
 * is the baseline, which stands for all that have a lower number.
 */
function migrationsIn(folder: string): readonly Migration[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  return files.toSorted().map((file) => ({ name: nameOf(file), sql: readFileSync(join(folder, file), 'utf8') }));
}

/** `0136-some-words.sql` is `SomeWords1763700000136`, a form that databases of 0.5.0 have. */
function nameOf(file: string): string {
  const [, number, title] = /^(\d{4})-([a-z0-9-]+)\.sql$/.exec(file) ?? [];
  if (number === undefined || title === undefined) throw new Error(`A migration is named NNNN-words.sql, not ${file}`);
  const words = title.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${LAST_OF[Number(number)] ?? words.join('')}${FIRST + Number(number)}`;
}

/** A file that stands for several migrations has the name of their last one, which databases that ran them have. */
const LAST_OF: Readonly<Record<number, string>> = {
  89: 'Datasets',
  122: 'CellsByFunctions',
  126: 'LaterNames',
  133: 'PlannedEnds',
  135: 'BacktestNotes',
};

/** Whether a database of a development tree after 0.5.0 has the migration, or a file stands for such ones now. */
export function isJoined(name: string): boolean {
  const number = Number(name.slice(-String(FIRST).length)) - FIRST;
  return number > 89 && number <= 135;
}

const FIRST = 1_763_700_000_000;

/** Every migration of this release. */
export const MIGRATIONS = migrationsIn(import.meta.dirname);
