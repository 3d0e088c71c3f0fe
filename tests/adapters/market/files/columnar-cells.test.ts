import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  columnFromArray,
  type DataType,
  decimal,
  dictionary,
  TimeUnit,
  tableFromColumns,
  tableToIPC,
  time,
} from '@uwdata/flechette';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { arrowRows, parquetRows } from '../../../../adapters/market/files/foreign/columnar-files.ts';
import { readForeignBars } from '../../../../adapters/market/files/foreign/read-bars.ts';
import type { ForeignForm } from '../../../../adapters/market/files/foreign/read-rows.ts';
import { calendarOf } from '../../../../domain/market/calendars/by-venue.ts';
import { duckRows, quoted } from '../../../harness/duckdb.ts';

const MOST = 1 << 29;
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'columnar-cells-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** What DuckDB writes of a query. */
async function written(query: string, options = 'format parquet'): Promise<Uint8Array> {
  const path = join(folder, 'file');
  await duckRows(`copy (${query}) to ${quoted(path)} (${options})`);
  return readFile(path);
}

type Element = Readonly<Record<string, unknown>>;

/** A file of one column, with a schema of its own. */
function parquetOf(data: readonly unknown[], element: Element): Uint8Array {
  const schema = [
    { name: 'root', num_children: 1 },
    { name: 'cell', repetition_type: 'OPTIONAL', ...element },
  ];
  const columnData = [{ name: 'cell', data: [...data] }];
  return new Uint8Array(parquetWriteBuffer({ columnData, schema: schema as never }));
}

function featherOf(data: readonly unknown[], type: DataType): Uint8Array {
  const table = tableFromColumns({ cell: columnFromArray([...data], type) });
  const bytes = tableToIPC(table, { format: 'file' });
  if (bytes === null) throw new Error('nothing was written');
  return bytes;
}

const cellsOf = (rows: readonly Readonly<Record<string, unknown>>[]) => rows.map(({ cell }) => cell);

/** A decimal in words: 114 at two places is 1.14. */
function textOf(whole: bigint, places: number): string {
  const digits = String(whole < 0n ? -whole : whole).padStart(places + 1, '0');
  const at = digits.length - places;
  return `${whole < 0n ? '-' : ''}${digits.slice(0, at)}${places === 0 ? '' : `.${digits.slice(at)}`}`;
}

const CENTS = Array.from({ length: 199_999 }, (_, index) => BigInt(index + 1));
const wrongOf = (cells: readonly unknown[], wholes: readonly bigint[], places: number) =>
  wholes.flatMap((whole, row) => {
    const [cell, text] = [cells[row], textOf(whole, places)];
    return cell === Number(text) ? [] : [`${text} is read as ${cell}`];
  });

/** Prices and volumes as they are stored with so many places, in the order of the test; zero, and below it, too. */
const SAMPLES: readonly (readonly [number, readonly bigint[]])[] = [
  [0, [0n, 1_200n, -1_200n, 12_345_678n]],
  [2, [35n, 114n, -114n, 0n, 12_345_678n]],
  [8, [6_732_112_000_000n, 1_140_000n, -35_000_000n, 1n]],
  [18, [67_321_120_000_000_000_000_000n, 1_140_000_000_000_000_000n, -350_000_000_000_000_000n, -1n]],
];
const fitting = (bits: number) =>
  SAMPLES.flatMap(([places, wholes]) => {
    const within = wholes.filter((whole) => BigInt.asIntN(bits, whole) === whole);
    return within.length > 2 ? [[places, within] as const] : [];
  });

describe('decimals of Parquet files are the numbers of their texts', () => {
  test('of 32 bits: each price from 0.01 to 1,999.99, stored one by one and in a dictionary', async () => {
    const query = 'select (cent / 100)::decimal(9, 2) as cell from range(1, 200000) as t(cent)';
    const each = cellsOf(await parquetRows(await written(query), MOST));
    expect(each).toHaveLength(CENTS.length);
    expect(wrongOf(each, CENTS, 2).slice(0, 3)).toEqual([]);
    const few = `select (cent % 200 / 100)::decimal(9, 2) as cell from range(0, 20000) as t(cent)`;
    const repeated = cellsOf(await parquetRows(await written(few), MOST));
    const wholes = Array.from({ length: 20_000 }, (_, index) => BigInt(index % 200));
    expect(wrongOf(repeated, wholes, 2).slice(0, 3)).toEqual([]);
  });

  test.each([
    ['64 bits', 'decimal(18, 8)', 18],
    ['bytes of one length', 'decimal(38, 18)', 38],
  ])('of %s: some, below zero, and none', async (_, type) => {
    const texts = ['0.35', '1.14', '67321.12', '-1.14', '-67321.12', '0.00000001', '-0.00000001', '0'];
    const values = [...texts.map((text) => `('${text}'::${type})`), '(null)'].join();
    const rows = await parquetRows(await written(`select * from (values ${values}) as t(cell)`), MOST);
    expect(cellsOf(rows)).toEqual([...texts.map(Number), null]);
  });

  test.each([
    ['INT32', 32, {}],
    ['INT64', 64, {}],
    ['FIXED_LEN_BYTE_ARRAY', 64, { type_length: 11 }],
    ['BYTE_ARRAY', 256, {}],
  ])('stored as %s, with any place of the point', async (type, bits, length) => {
    for (const [places, wholes] of fitting(bits)) {
      const file = parquetOf([...wholes, null], {
        ...{ type, converted_type: 'DECIMAL', scale: places, precision: 25 },
        ...length,
      });
      const cells = cellsOf(await parquetRows(file, MOST));
      expect([places, ...wrongOf(cells, wholes, places)]).toEqual([places]);
      expect(cells).toHaveLength(wholes.length + 1);
      expect(cells.at(-1)).toBeNull();
    }
  });

  test('that only the logical type names; next to texts that no type names', async () => {
    const logical = { type: 'INT32', logical_type: { type: 'DECIMAL', scale: 2, precision: 9 } };
    expect(cellsOf(await parquetRows(parquetOf([114, -35], logical), MOST))).toEqual([1.14, -0.35]);
    const texts = ['AAPL', '苹果', null].map((text) => (text === null ? null : new TextEncoder().encode(text)));
    const cells = cellsOf(await parquetRows(parquetOf(texts, { type: 'BYTE_ARRAY' }), MOST));
    expect(cells).toEqual(['AAPL', '苹果', null]);
  });

  test('a column within another one has no say over a column of its name', async () => {
    const query = `select {'open': date '2026-01-15'} as about, {'high': 7} as more, 1.14::decimal(9, 2) as open, 35 as high`;
    const [row] = await parquetRows(await written(query), MOST);
    expect(row).toMatchObject({ open: 1.14, high: 35 });
  });
});

describe('decimals of Feather files are the numbers of their texts', () => {
  test.each([32, 64, 128, 256] as const)('of %i bits', (bits) => {
    for (const [places, wholes] of fitting(bits)) {
      const cells = cellsOf(arrowRows(featherOf(wholes, decimal(25, places, bits)), MOST));
      expect([places, ...wrongOf(cells, wholes, places)]).toEqual([places]);
      const withNone = cellsOf(arrowRows(featherOf([...wholes, null], decimal(25, places, bits)), MOST));
      expect(withNone).toEqual([...wholes.map((whole) => Number(textOf(whole, places))), null]);
    }
  });

  test.each([32, 128] as const)('of %i bits: each price from 0.01 to 1,999.99', (bits) => {
    const cells = cellsOf(arrowRows(featherOf(CENTS, decimal(9, 2, bits)), MOST));
    expect(cells).toHaveLength(CENTS.length);
    expect(wrongOf(cells, CENTS, 2).slice(0, 3)).toEqual([]);
  });

  test('in a dictionary', () => {
    const type = dictionary(decimal(9, 2, 128));
    const cells = cellsOf(arrowRows(featherOf([114n, 35n, 114n, null], type), MOST));
    expect(cells).toEqual([1.14, 0.35, 1.14, null]);
  });
});

const CLOCKS = ['00:00:00', '01:00:00', '02:00:00', '09:30:00', '23:59:59'];
const SECONDS = [0, 3_600, 7_200, 34_200, 86_399];
/** As integers of as many bits as a unit has, in thousands of the one before. */
const counts = (thousands: number) =>
  SECONDS.map((each) => (thousands > 1 ? BigInt(each) * 1_000n ** BigInt(thousands) : each * 1_000 ** thousands));

describe('clocks in a column of their own', () => {
  test.each([
    ['MILLIS', 'INT32', 1],
    ['MICROS', 'INT64', 2],
    ['NANOS', 'INT64', 3],
  ])('of Parquet in %s', async (unit, type, thousands) => {
    for (const isAdjustedToUTC of [true, false]) {
      const file = parquetOf([...counts(thousands), null], {
        type,
        logical_type: { type: 'TIME', isAdjustedToUTC, unit },
      });
      expect(cellsOf(await parquetRows(file, MOST))).toEqual([...CLOCKS, null]);
    }
    if (unit === 'NANOS') return;
    const older = parquetOf(counts(thousands), { type, converted_type: `TIME_${unit}` });
    expect(cellsOf(await parquetRows(older, MOST))).toEqual(CLOCKS);
  });

  test.each([
    ['seconds', TimeUnit.SECOND],
    ['milliseconds', TimeUnit.MILLISECOND],
    ['microseconds', TimeUnit.MICROSECOND],
    ['nanoseconds', TimeUnit.NANOSECOND],
  ])('of Feather in %s', (_, unit) => {
    expect(cellsOf(arrowRows(featherOf([...counts(unit), null], time(unit)), MOST))).toEqual([...CLOCKS, null]);
  });
});

const KRAKEN: ForeignForm = {
  ...{ symbol: 'BTC', size: '1h', venue_zone: 'UTC' },
  calendar: calendarOf({ market: 'crypto', venue: 'KRAKEN' }),
};

test.each(['decimal(9, 2)', 'decimal(18, 8)', 'decimal(38, 18)'])(
  'a date, a clock and prices of %s: the bars are those of the same rows in CSV',
  async (type) => {
    const price = (cents: string) => `((${cents}) / 100)::${type}`;
    const query =
      `select date '2026-01-15' + (hour // 24)::int as date, time '00:00:00' + to_hours(hour % 24) as time, ` +
      `${price('35 + hour * 79')} as open, ${price('1149 + hour * 79')} as high, ${price('14 + hour * 79')} as low, ` +
      `${price('114 + hour * 79')} as close, ${price('120 + hour')} as volume from range(0, 72) as t(hour)`;
    const { bars: fromCsv } = await readForeignBars(await written(query, 'format csv'), KRAKEN);
    const { bars } = await readForeignBars(await written(query), KRAKEN);
    expect(fromCsv).toHaveLength(72);
    expect(fromCsv[1]).toMatchObject({ start: Date.UTC(2026, 0, 15, 1), open: 1.14, low: 0.93 });
    expect(bars).toEqual(fromCsv);
  },
);
