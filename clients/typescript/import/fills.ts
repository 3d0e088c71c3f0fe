import { type Cell, columnsOf, hasColumns, leftOut, refused, tableIn } from './cells.ts';
import { type Format, type Found, type FoundEntry, type ImportOptions, oneOf, type TableRow } from './found.ts';

/** Fills of hummingbot (`data/trades_*.csv`). */
export const hummingbot: Format = {
  name: 'hummingbot',
  what: 'fills of hummingbot (data/trades_*.csv)',
  is: ({ table }) =>
    hasColumns(
      table,
      'config_file_path',
      'market',
      'base_asset',
      'quote_asset',
      'timestamp',
      'trade_type',
      'amount',
      'position',
    ),
  read(content, options) {
    const table = tableIn(content);
    const cell = columnsOf(table);
    const strategy = oneOf(
      table.rows.map((row) => cell(row, 'config_file_path')),
      options,
      'configuration',
    );
    const rows = table.rows.filter((row) => cell(row, 'config_file_path') === strategy);
    // Fills are written as they are learned, and those of a gap later.
    const sorted = rows.toSorted((a, b) => Number(cell(a, 'timestamp')) - Number(cell(b, 'timestamp')));
    return {
      source: `hummingbot fills, ${strategy}`,
      perspective: 'technical',
      found: openedBy(sorted, cell, strategy, options),
    };
  },
};

/** Of the largest position since it was opened: less counts as flat, because fees are taken from the coins. */
const DUST = 0.01;

interface Position {
  readonly size: number;
  readonly largest: number;
}

const FLAT: Position = { size: 0, largest: 0 };

/** What opens or turns a position, fill by fill. */
function* openedBy(rows: readonly TableRow[], cell: Cell, model: string, options: ImportOptions): Generator<Found> {
  const positions = new Map<string, Position>();
  for (const row of rows) {
    const [amount, time, side] = [Number(cell(row, 'amount')), Number(cell(row, 'timestamp')), cell(row, 'trade_type')];
    if (!(amount > 0) || !(time > 0) || !/^(BUY|SELL)$/.test(side)) {
      yield refused(row, 'amount or timestamp is no number above 0, or trade_type is neither BUY nor SELL.');
      continue;
    }
    const market = cell(row, 'market');
    const isPerp = market.includes('_perpetual');
    const key = `${market} ${cell(row, 'symbol')}`;
    const before = positions.get(key) ?? FLAT;
    const signed = side === 'BUY' ? amount : -amount;
    const size = sizeAfter(before.size, signed, { isPerp, onlyCloses: cell(row, 'position').endsWith('CLOSE') });
    positions.set(key, positionOf(before, size));
    if (Math.sign(size) === Math.sign(before.size) || size === 0) {
      const adds = Math.sign(signed) === Math.sign(before.size);
      yield leftOut(row, adds ? 'fills that add to a position' : 'fills that close a position');
    } else yield fill(row, cell, { market, isPerp, time, model, direction: size > 0 ? 'bullish' : 'bearish' }, options);
  }
}

/** On a spot market a sell without coins bought before sells coins that the file does not show: it opens nothing. */
function sizeAfter(
  size: number,
  signed: number,
  kind: { readonly isPerp: boolean; readonly onlyCloses: boolean },
): number {
  const after = size + signed;
  if (kind.onlyCloses && Math.sign(signed) === Math.sign(size)) return size;
  if (kind.onlyCloses) return Math.sign(after) === Math.sign(size) ? after : 0;
  return kind.isPerp ? after : Math.max(0, after);
}

function positionOf(before: Position, size: number): Position {
  const isSame = Math.sign(size) === Math.sign(before.size);
  const largest = Math.max(isSame ? before.largest : 0, Math.abs(size));
  return Math.abs(size) <= DUST * largest ? FLAT : { size, largest };
}

interface Fill extends Pick<FoundEntry, 'direction'> {
  readonly market: string;
  readonly isPerp: boolean;
  readonly time: number;
  readonly model: string;
}

function fill(
  row: TableRow,
  cell: Cell,
  { market, isPerp, time, model, direction }: Fill,
  options: ImportOptions,
): Found {
  const name = market.replace(/_(paper_trade|perpetual|testnet|advanced_trade|pro)/g, '');
  return {
    kind: 'entry',
    place: `line ${row.line}`,
    symbol: cell(row, 'base_asset'),
    quote: cell(row, 'quote_asset'),
    market: 'crypto',
    venue: options.venue ?? name,
    asset_class: isPerp ? 'perp' : 'spot',
    direction,
    time: { at: time, edge: 'start' },
    model,
  };
}
