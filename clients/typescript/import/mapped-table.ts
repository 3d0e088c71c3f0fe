import { columnsOf, hasColumns, refused, tableIn } from './cells.ts';
import {
  type Format,
  type Found,
  type FoundEntry,
  type FoundFile,
  ImportError,
  type ImportOptions,
  lengthIn,
  numberIn,
  priceIn,
  type Table,
  type TableRow,
  wordIn,
} from './found.ts';

/** The members of a row that a column or an option may give. */
const MEMBERS = [
  'external_id',
  'market',
  'symbol',
  'venue',
  'asset_class',
  'quote_currency',
  'direction',
  'horizon',
  'data_cutoff',
  'confidence',
  'model',
  'factor',
  'summary',
  'target',
  'stop',
];

const DIRECTIONS: Readonly<Record<string, FoundEntry['direction']>> = {
  bullish: 'bullish',
  long: 'bullish',
  up: 'bullish',
  '1': 'bullish',
  bearish: 'bearish',
  short: 'bearish',
  down: 'bearish',
  '-1': 'bearish',
  neutral: 'neutral',
  flat: 'neutral',
  '0': 'neutral',
};

/** Any CSV: columns with the names of the members of a row, or named by `--map member=column`. */
export const mappedTable: Format = {
  name: 'csv',
  what: 'CSV with columns named by --map, or named as the members of a row',
  is: ({ table }) => hasColumns(table, 'symbol', 'direction', 'data_cutoff'),
  read(content, options): FoundFile {
    const table = tableIn(content);
    const columns = mappingOf(table, options);
    const cell = columnsOf(table);
    const value = (row: TableRow, member: string) => {
      const column = columns.get(member);
      return column === undefined ? undefined : cell(row, column) || undefined;
    };
    const name = options.strategy;
    return {
      source: name === undefined ? 'CSV with columns of its own' : `CSV, ${name}`,
      perspective: null,
      statesHorizon: columns.has('horizon'),
      found: table.rows.map((row) => mappedRow(row, (member) => value(row, member), options)),
    };
  },
};

function mappingOf(table: Table, { map = [], symbol }: ImportOptions): ReadonlyMap<string, string> {
  const columns = new Map(MEMBERS.filter((member) => table.header.includes(member)).map((member) => [member, member]));
  for (const each of map) {
    const [, member = '', column = ''] = /^(\w+)=(.+)$/.exec(each) ?? [];
    if (!MEMBERS.includes(member))
      throw new ImportError(`--map ${each} names no member of a row: use MEMBER=COLUMN with ${MEMBERS.join(', ')}.`);
    if (!table.header.includes(column))
      throw new ImportError(`The file has no column ${column}: it has ${table.header.join(', ')}.`);
    columns.set(member, column);
  }
  const missing = ['direction', 'data_cutoff', ...(symbol === undefined ? ['symbol'] : [])].filter(
    (member) => !columns.has(member),
  );
  if (missing.length === 0) return columns;
  throw new ImportError(
    `Name the columns of ${missing.join(', ')} by --map MEMBER=COLUMN. The file has ${table.header.join(', ')}.`,
  );
}

function mappedRow(row: TableRow, value: (member: string) => string | undefined, options: ImportOptions): Found {
  const fault = faultOf(value, options);
  if (fault !== null) return refused(row, fault);
  const [direction, horizon, factor] = [
    wordIn(DIRECTIONS, value('direction')?.toLowerCase()),
    value('horizon'),
    value('factor'),
  ];
  const length = horizon === undefined ? null : lengthIn(horizon, 'horizon');
  return {
    kind: 'entry',
    place: `line ${row.line}`,
    symbol: value('symbol') ?? options.symbol ?? '',
    direction: direction ?? 'neutral',
    time: { at: value('data_cutoff') ?? '', edge: 'end' },
    external_id: value('external_id'),
    market: value('market'),
    venue: value('venue'),
    asset_class: value('asset_class'),
    quote: value('quote_currency'),
    days: length?.unit === 'd' ? length.count : undefined,
    seconds: length && length.unit !== 'd' ? length.millis / 1_000 : undefined,
    model: value('model') ?? options.strategy,
    confidence: numberIn(value('confidence')),
    factors: factor === undefined ? [] : [factor],
    summary: value('summary'),
    target: priceIn(value('target')),
    stop: priceIn(value('stop')),
  };
}

/** What is wrong with the cells of a row; null where nothing is. */
function faultOf(value: (member: string) => string | undefined, options: ImportOptions): string | null {
  const isWrong = (member: string, fits: (text: string) => boolean) =>
    !fits(value(member) ?? '') && value(member) !== undefined;
  if (wordIn(DIRECTIONS, value('direction')?.toLowerCase()) === undefined) {
    return 'The direction is none of bullish, bearish, neutral, long, short, up, down, flat, 1, -1 and 0. A sell may close a position.';
  }
  if ((value('symbol') ?? options.symbol) === undefined) return 'It has no symbol.';
  if (value('data_cutoff') === undefined) return 'It has no time.';
  if (isWrong('external_id', (text) => /^[\x21-\x7e]{1,64}$/.test(text))) {
    return 'Its external_id is not 1 to 64 visible ASCII characters.';
  }
  if (isWrong('confidence', (text) => Number(text) >= 0 && Number(text) <= 1))
    return 'Its confidence is no number from 0 to 1.';
  if (['target', 'stop'].some((member) => isWrong(member, (text) => priceIn(text) !== undefined))) {
    return 'Its target or stop is no price.';
  }
  const isHorizon = (text: string) => /^[1-9]\d{0,8}[dhms]$/.test(text);
  return isWrong('horizon', isHorizon) ? 'Its horizon is none such as 5d, 4h, 30m or 900s.' : null;
}
