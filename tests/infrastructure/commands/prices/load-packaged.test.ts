import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type OpenedDatabase, onPostgres } from '../../../contracts/decisions/adapters.ts';
import { runAdmin } from '../../../harness/admin-command.ts';

let opened: OpenedDatabase;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stancebook-packaged-'));
  opened = await onPostgres(2);
});
afterAll(async () => {
  await opened.close();
  await rm(folder, { recursive: true });
});

const admin = (...args: readonly string[]) => runAdmin(opened.serviceUrl, folder, args);

const INSTRUMENTS = [
  'stock:SPX:NYSE:spot:USD',
  'stock:MSFT:NASDAQ:spot:USD',
  'stock:TXN:NASDAQ:spot:USD',
  'crypto:BTC:COINBASE:spot:USD',
  'stock:600000:SSE:spot:CNY',
];

test('loads every instrument once, and has each verified again', async () => {
  const first = await admin('load-packaged');
  const lines = first.output.split('\n');
  expect(lines[0]).toMatch(/^instrument +source +result$/);
  expect(lines.at(-1)).toBe(`The bars are in ${join(folder, 'bars')}. A running service knows them at once.`);
  for (const each of INSTRUMENTS) expect(first.output).toMatch(new RegExp(`^${each} .* loaded$`, 'm'));
  expect(first.code).toBe(0);
  const again = await admin('load-packaged', '--json');
  expect([again.code, JSON.parse(again.output)]).toEqual([
    0,
    {
      bars_dir: join(folder, 'bars'),
      instruments: INSTRUMENTS.map((instrument) => ({ instrument, source: expect.any(String), result: 'present' })),
    },
  ]);
  const { entries } = JSON.parse((await admin('audit', '--json')).output);
  expect(entries.map(({ action, subject }: Record<string, string>) => [action, subject])).toEqual(
    INSTRUMENTS.flatMap((instrument) => [
      ['load_packaged', instrument],
      ['refresh_instrument', instrument],
    ]),
  );
});

test('an argument is a wrong call', async () => {
  expect((await admin('load-packaged', 'stock:MSFT:NASDAQ:spot:USD')).code).toBe(2);
});
