import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { canonicalJson } from '../../adapters/formats/canonical-json.ts';
import { barFiles } from '../../adapters/market/files/bar-files.ts';
import { instrumentsIn } from '../../adapters/market/files/bar-folder.ts';
import {
  type LearnedNames,
  learnNames,
  learnShippedNames,
  type NamePorts,
  newestNames,
  processesWithoutNames,
  withdrawName,
} from '../../application/market/names.ts';
import { withPrices } from '../../application/market/rename-prices.ts';
import type { RawBar } from '../../domain/market/bars.ts';
import { timeZoneOf } from '../../domain/market/calendars/by-venue.ts';
import type { Instrument } from '../../domain/market/instrument.ts';
import { type NameBook, standing } from '../../domain/market/name-book.ts';
import { nameFaults } from '../../domain/market/name-faults.ts';
import { NAME_KINDS, NAME_SOURCES, type NameStatement } from '../../domain/market/name-statement.ts';
import { ASSET_CLASSES, MARKETS, usVenues, venuesWith } from '../../domain/market/venues.ts';
import { Problem } from '../../domain/problem.ts';
import { localDate } from '../../domain/zoned-time.ts';
import { operatorName } from '../operator-name.ts';
import { argumentsIn, type Command, type CommandContext, type ExitCode, UsageError } from './command.ts';

type Run = (context: CommandContext) => Promise<ExitCode>;

/** Shows, imports and withdraws statements about names of securities. */
export const SECURITY_COMMANDS = [
  {
    name: 'securities',
    usage: '[list | import [FILE] | withdraw ID]',
    summary:
      'show the statements about names of securities that apply, import those of a file of JSON lines, or without FILE ' +
      'those of this release, or withdraw one; exit code 1 while one applies to nothing',
    json:
      '{ statements: [{ id, market, name, from, until, key, kind, source, ... }], problems: [{ id, reason, with }], known, ' +
      'recounted }; statements: only the new ones after import and withdraw; known: how many of the file were known; ' +
      'recounted: how many decisions count otherwise since',
    read(args) {
      const [action = 'list', ...rest] = args;
      const { positionals } = argumentsIn(rest, {});
      const [named] = positionals;
      if (positionals.length > 1 || (action === 'list' && named))
        throw new UsageError(`securities ${action}: too many words.`);
      if (action === 'list') return list;
      if (action === 'import') return named === undefined ? importShipped : importFile(named);
      if (action === 'withdraw') return withdraw(idIn(named));
      throw new UsageError(`securities ${action}: send list, import or withdraw.`);
    },
  } satisfies Command,
];

const list: Run = async (context) => {
  const book = await newestNames(context.storage.names);
  return show(context, book, standing(book.statements));
};

/** Prints which records the storage refuses to move. */
export function learningPorts({ storage, print }: CommandContext): NamePorts {
  const report: NamePorts['report'] = (fault, about) =>
    print(`${Object.values(about).join(' ')} counts as before. ${String(fault)}`);
  return { ...storage, canonicalJson, report };
}

/** @throws Error while a process of release 0.5.0 runs, which reads no names */
async function refuseBesideOlder({ storage }: CommandContext): Promise<void> {
  const older = await processesWithoutNames(storage);
  if (older.length === 0) return;
  throw new Error(
    `Nothing was changed: ${older.join(', ')} of release 0.5.0 runs, and reads no names. End it, and try again after a minute.`,
  );
}

const importShipped: Run = async (context) => {
  await refuseBesideOlder(context);
  const { storage } = context;
  const { learned, ...counts } = await learnShippedNames(learningPorts(context));
  return show(context, await newestNames(storage.names), learned, counts);
};

function importFile(file: string): Run {
  return async (context) => {
    await refuseBesideOlder(context);
    const { storage, config } = context;
    const sent = statementsIn(await textOf(file));
    const { barsDir, ccxtVenues } = config.marketData;
    const venues = venuesWith(ccxtVenues);
    const witnesses = { barFiles: barFiles(barsDir), instruments: await instrumentsIn(barsDir) };
    const before = standing((await newestNames(storage.names)).statements);
    const judged = await withPrices(witnesses, before, sent, await storage.clock.now());
    try {
      const { learned, ...counts } = await learnNames({ ...learningPorts(context), venues }, judged, operatorName());
      return await show(context, await newestNames(storage.names), learned, counts);
    } catch (error) {
      if (!(error instanceof Problem) || !error.details) throw error;
      throw new Error([error.message, ...error.details.map(({ path, message }) => `${path}: ${message}`)].join('\n'));
    }
  };
}

function withdraw(id: number): Run {
  return async (context) => {
    await refuseBesideOlder(context);
    const { storage } = context;
    const withdrawn = await withdrawName(learningPorts(context), id, operatorName());
    return show(context, await newestNames(storage.names), [withdrawn]);
  };
}

async function show(
  { print, report }: CommandContext,
  { problems }: NameBook,
  statements: NameBook['statements'],
  counts?: Pick<LearnedNames, 'known' | 'recounted'>,
): Promise<ExitCode> {
  for (const { id, market, name, venue, from, until, key, kind, source, withdraws } of statements) {
    const said = `${market} ${name}${venue === undefined ? '' : ` at ${venue}`} is ${key} from ${from}${until === undefined ? '' : ` to ${until}`}`;
    print(
      `${id}  ${withdraws === undefined ? '' : `withdraws ${withdraws}: `}${said} (${kind}, ${source.kind} ${source.name})`,
    );
  }
  if (counts) {
    const { known, recounted } = counts;
    print(`${statements.length} imported, ${known} known before`);
    if (recounted > 0) print(`${recounted} ${recounted === 1 ? 'decision counts' : 'decisions count'} otherwise since`);
  }
  for (const { statement, reason, with: others } of problems) {
    const about = others.length > 0 ? ` ${others.join(', ')}` : '';
    print(`Statement ${statement.id} applies to nothing: ${reason}${about}`);
  }
  const faults = problems.map(({ statement, ...each }) => ({ id: statement.id, ...each }));
  report({
    ...{ statements, problems: faults },
    ...(counts && { known: counts.known, recounted: counts.recounted }),
  });
  return problems.length > 0 ? 1 : 0;
}

function idIn(text: string | undefined): number {
  if (text !== undefined && /^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError('Name the number of one statement; securities list shows them.');
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

/** That of the import, unless a line names another source. */
const statement = z.strictObject({
  market: z.enum(MARKETS),
  name: z.string(),
  venue: z.string().optional(),
  asset_class: z.enum(ASSET_CLASSES).optional(),
  quote: z.string().optional(),
  from: z.string(),
  until: z.string().optional(),
  key: z.string(),
  kind: z.enum(NAME_KINDS),
  units: z.number().optional(),
  ratio: z.number().optional(),
  successor: z.string().optional(),
  source: z
    .strictObject({ kind: z.enum(NAME_SOURCES), name: z.string().min(1).max(80), url: z.url().max(500).optional() })
    .default(() => ({ kind: 'operator' as const, name: operatorName() })),
});

/** @throws UsageError naming every line that is no statement */
function statementsIn(text: string): readonly NameStatement[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0)
    throw new UsageError('The file has no line: send one JSON object a line, for each statement.');
  const read = lines.map((line) => statement.safeParse(objectOf(line)));
  const faults = read.flatMap(({ error }, at) =>
    (error?.issues ?? []).map(({ path, message }) => `line ${at + 1}: ${path.join('.') || 'it'} ${message}`),
  );
  if (faults.length > 0) throw new UsageError(faults.join('\n'));
  return read.flatMap(({ data }) => (data ? [data] : []));
}

function objectOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The security that all rows of a file are of; without a key a refusal that says what to send. */
export function ownerOfRows(
  book: NameBook,
  { instrument, names }: { readonly instrument: Instrument; readonly names: 'today' | undefined },
  bars: readonly RawBar[],
  today: string,
): { readonly key?: string; readonly refusal: string | null } {
  const { market, symbol: name } = instrument;
  if (!book.knowsName(market, name)) return { refusal: null };
  const keyOn = (date: string) => {
    const reading = book.read({ ...instrument, name }, date, today);
    return reading && (reading.name === name || reading.key === name) ? reading.key : null;
  };
  const now = book.read({ ...instrument, name }, today, today)?.key ?? null;
  if (names === 'today' && now !== null) return { key: now, refusal: null };
  const zone = timeZoneOf(instrument);
  const rows = Map.groupBy(bars, ({ start }) => keyOn(localDate(start, zone)));
  const [key] = [...rows.keys()];
  if (rows.size < 2 && key !== null) return { ...(key !== undefined && { key }), refusal: null };
  const had = book
    .holdings(market, name)
    .map((each) => `${each.key} from ${each.from}${each.until === null ? '' : ` to ${each.until}`}`);
  return {
    refusal:
      `Nothing was imported: not all rows are of one security, since ${name} is ${had.join(', ')}. Send the rows of each in a ` +
      `file of its own, or --names today where the source names all of them by the name of today (${now ?? 'nobody has it'}).`,
  };
}

/** The statement that `--listed` makes: the name of that date, as long as the security had it. */
export function listingOf(book: NameBook, instrument: Instrument, from: string): NameStatement {
  const { market, venue, asset_class, symbol: key } = instrument;
  const name = book.nameOf(instrument, from);
  const until = book.history(market, key).find((each) => each.name === name)?.until;
  // A ticker of the United States names one share at all venues there.
  const place = usVenues().includes(venue) ? {} : { venue, asset_class };
  const source = { kind: 'operator', name: operatorName() } as const;
  return { market, name, ...place, from, ...(until !== undefined && { until }), key, kind: 'listed', source };
}

export function listingRefusal(book: NameBook, listing: NameStatement | null): string | null {
  if (listing === null || standing(book.statements).some((each) => isSameListing(each, listing))) return null;
  const faults = nameFaults(book, listing);
  return faults.length === 0 ? null : `Nothing was imported: --listed ${listing.from}: ${faults.join('; ')}.`;
}

export function isSameListing(a: NameStatement, b: NameStatement): boolean {
  return a.name === b.name && a.from === b.from && a.key === b.key;
}
