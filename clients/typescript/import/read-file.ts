import type { Millis } from '../../../domain/time.ts';
import { hedgeFund, hedgeFund1, tradingAgents } from './agent-logs.ts';
import { hasColumns, tableOf } from './cells.ts';
import { hummingbot } from './fills.ts';
import { type Content, type Format, ImportError, type ImportOptions, membersOf } from './found.ts';
import { freqtrade, jesse } from './freqtrade.ts';
import { lean } from './lean.ts';
import { mappedTable } from './mapped-table.ts';
import { type OpenedFile, openFile } from './open-file.ts';
import { type Imported, rowsOf } from './rows.ts';
import { backtestingPy, nautilus, tradingView, vectorbt } from './trade-tables.ts';

/** In the order in which a file is compared with them. */
const FORMATS: readonly Format[] = [
  freqtrade,
  lean,
  jesse,
  hedgeFund,
  hedgeFund1,
  tradingAgents,
  backtestingPy,
  vectorbt,
  nautilus,
  hummingbot,
  tradingView,
  mappedTable,
];

/** Files of these programs that state no decision, and what to import instead. */
const OTHERS: readonly { readonly is: (content: Content) => boolean; readonly send: string }[] = [
  {
    is: ({ json }) => ['totalPerformance', 'TotalPerformance'].some((name) => name in membersOf(json)),
    send: 'This is a result of LEAN with orders. Import its insights: alpha-results.json in the folder of the same name.',
  },
  {
    is: ({ json }) => 'latest_backtest' in membersOf(json),
    send: 'This file of freqtrade names the newest result. Import the zip or the JSON that it names.',
  },
  {
    is: ({ table }) => hasColumns(table, 'Id', 'Timestamp', 'Exchange', 'Market', 'Order_type', 'Side', 'Position'),
    send: 'Times of this export of hummingbot have no zone. Import data/trades_<config>.csv instead.',
  },
  {
    is: ({ table }) => hasColumns(table, 'Order Id', 'Column', 'Timestamp', 'Size', 'Price', 'Side'),
    send: 'These are orders of vectorbt, of which some close positions. Import pf.positions.records_readable.',
  },
  {
    is: ({ table }) => hasColumns(table, 'instrument_id', 'trade_id', 'order_side', 'last_px'),
    send: 'These are fills of nautilus_trader, of which some close positions. Import the report of positions.',
  },
];

export const FORMAT_NAMES: readonly string[] = FORMATS.map(({ name }) => name);

/**
 * The rows of a set of back-tests in a file of another program (docs/imports.md).
 * @param member the file of a zip that is read, where that is not obvious
 * @param now windows that are not over by then are refused
 * @throws ImportError for a file that is not known, and with every option that is missing
 */
export async function readImport(
  name: string,
  bytes: Uint8Array,
  { member, ...options }: ImportOptions & { readonly member?: string | undefined },
  now: Millis,
): Promise<Imported> {
  const content = contentOf(await openFile(name, bytes, member));
  const format = formatOf(content, options);
  if (options.map !== undefined && format !== mappedTable)
    throw new ImportError(`--map is for CSV, and this file is ${format.what}.`);
  return rowsOf(format.read(content, options), options, now);
}

function formatOf(content: Content, { format, map }: ImportOptions): Format {
  if (format !== undefined) {
    const named = FORMATS.find(({ name }) => name === format);
    if (!named) throw new ImportError(`There is no format ${format}: name one of ${FORMAT_NAMES.join(', ')}.`);
    if (named !== mappedTable && !named.is(content)) throw new ImportError(`${content.name} is not ${named.what}.`);
    return named;
  }
  const other = OTHERS.find(({ is }) => is(content));
  if (other) throw new ImportError(other.send);
  const found = map === undefined ? FORMATS.find(({ is }) => is(content)) : mappedTable;
  if (found) return found;
  if (content.json === undefined && /^\s*[[{]/.test(content.text)) {
    throw new ImportError(`${content.name} begins as JSON and is none: it may be cut off. Get it again.`);
  }
  if (content.table === null)
    throw new ImportError(
      `${content.name} is no file that is known here: see docs/imports.md, or write its rows as CSV.`,
    );
  throw new ImportError(
    `${content.name} is CSV of no program that is known here. Name its columns by --map, such as --map data_cutoff=Time; it has ${content.table.header.join(', ')}.`,
  );
}

/** Of a zip, the text that a configuration, or its size, shows to be the main one. */
function contentOf({ name, texts }: OpenedFile): Content {
  const names = [...texts.keys()];
  const config = names.find((each) => each.endsWith('_config.json'));
  const ofConfig = config?.replace(/_config\.json$/, '.json');
  const main = names.find((each) => each === ofConfig) ?? (names.length === 1 ? names[0] : undefined);
  const text = main === undefined ? undefined : texts.get(main);
  if (main === undefined || text === undefined) {
    throw new ImportError(
      `${name} has ${names.length} files: name one with --member: ${names.slice(0, 10).join(', ')}.`,
    );
  }
  const others = new Map([...texts].filter(([each]) => each !== main));
  const json = /^\s*[[{]/.test(text) ? jsonIn(text) : undefined;
  return { name: main, text, json, table: json === undefined && !/^\s*[[{]/.test(text) ? tableOf(text) : null, others };
}

/** JSON, also with NaN and Infinity as Python writes them (as null), or a value a line; undefined for other text. */
function jsonIn(text: string): unknown {
  for (const read of [JSON.parse, (each: string) => JSON.parse(withoutNaN(each)), jsonLines]) {
    try {
      return read(text);
    } catch {
      // The next reading may fit.
    }
  }
  return undefined;
}

function withoutNaN(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g, (found) => (found.startsWith('"') ? found : 'null'));
}

function jsonLines(text: string): unknown {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as unknown);
}
