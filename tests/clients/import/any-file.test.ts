import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { backtestBody } from '../../../adapters/http/shapes/decisions/backtests.ts';
import { submission } from '../../../adapters/http/shapes/decisions/submission.ts';
import { ImportError } from '../../../clients/typescript/import/found.ts';
import { readImport } from '../../../clients/typescript/import/read-file.ts';
import type { Imported } from '../../../clients/typescript/import/rows.ts';
import { NOW, type Options } from './read-import.ts';

const FOLDER = join(import.meta.dirname, '../../fixtures/imports');
const FIXTURES = readdirSync(FOLDER).map((name) => [name, readFileSync(join(FOLDER, name))] as const);

/** With what a user may be asked for. */
const OPTIONS: readonly Options[] = [
  { horizon: '5d', symbol: 'MSFT', venue: 'NASDAQ', zone: 'America/New_York', bar: '1d', strategy: 'buffett' },
  { horizon: '4h', symbol: 'BTC', venue: 'BINANCE', quote: 'USDT', 'asset-class': 'spot', zone: 'UTC', bar: '1h' },
];

/** What is read; null where the file is refused by an error that says what to do. */
async function read(name: string, bytes: Uint8Array, { strategy, ...options }: Options): Promise<Imported | null> {
  try {
    return await readImport(name, bytes, { ...options, ...(name.endsWith('.jsonl') ? { strategy } : {}) }, NOW);
  } catch (error) {
    if (error instanceof ImportError) return null;
    throw error;
  }
}

function expectRows({ about, rows, refused }: Imported): void {
  expect(backtestBody.shape.about.parse(about)).toEqual(about);
  for (const { row } of rows) {
    const { external_id, ...body } = row;
    expect(external_id).toMatch(/^[\x21-\x7e]{1,64}$/);
    expect({ row, fault: submission.safeParse(body).error?.message }).toEqual({ row, fault: undefined });
    expect(new TextEncoder().encode(JSON.stringify(row)).length).toBeLessThanOrEqual(2_048);
  }
  for (const { place, why } of refused)
    expect([place, why]).toEqual([expect.stringMatching(/\S/), expect.stringMatching(/\S/)]);
}

describe.each(FIXTURES)('%s', (name, bytes) => {
  test.each(OPTIONS)('gives rows of the shape of a submission, or says what to do: %j', async (options) => {
    const imported = await read(name, bytes, options);
    if (imported) expectRows(imported);
  });

  test('however it is changed, is read or refused', async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '"',
        ',',
        '\n',
        '\r',
        '[',
        '{',
        '}',
        '|',
        '__proto__',
        'NaN',
        '1e999',
        '-0',
        '\u0000',
        '\u202e',
        '\ud800',
        '9'.repeat(30),
      ),
      fc.string({ maxLength: 6, unit: 'binary' }),
    );
    const change = fc.record({ at: fc.nat(bytes.length), cut: fc.nat(12), piece });
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...OPTIONS),
        async (changes, options) => {
          let text = bytes.toString('utf8');
          for (const each of changes) text = text.slice(0, each.at) + each.piece + text.slice(each.at + each.cut);
          const imported = await read(name, new TextEncoder().encode(text), options);
          if (imported) expectRows(imported);
        },
      ),
      { numRuns: 40 },
    );
  });
});

test('the shape of a submission is one that a wrong row does not have', async () => {
  const [first] = FIXTURES.filter(([name]) => name === 'backtesting-0.6.6.csv');
  const imported = first && (await read(first[0], first[1], OPTIONS[0] ?? {}));
  const [row] = imported?.rows ?? [];
  expect(imported?.rows.length).toBe(2);
  const wrong = row && { ...imported, rows: [{ ...row, row: { ...row.row, data_cutoff: '2024-01-09' } }] };
  expect(() => expectRows(wrong as Imported)).toThrow('fault');
});
