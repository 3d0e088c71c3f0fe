import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { observePegs, tripCircuit } from '../../../application/circuits/change-circuit.ts';
import type { Coin } from '../../../domain/circuits/coin.ts';
import { HOUR, MINUTE, SECOND } from '../../../domain/time.ts';
import { runCommand } from '../../../infrastructure/commands/run-command.ts';
import { operatorName } from '../../../infrastructure/operator-name.ts';
import { bringTo } from '../../builders/circuits.ts';
import { type OpenedDatabase, onPostgres } from '../../contracts/decisions/adapters.ts';

const START = Date.parse('2026-03-02T12:00:00.000Z');

let opened: OpenedDatabase;
let folder: string;
beforeEach(async () => {
  opened = await onPostgres(2);
  folder = await mkdtemp(join(tmpdir(), 'stancebook-circuits-'));
  await setClock(START);
});
afterEach(async () => {
  await rm(folder, { recursive: true });
  await opened.close();
});

async function setClock(time: number): Promise<void> {
  await opened.arrange.freeze(new Date(time));
}

/** The command line on the test's database, as one whose exchanges are asked. */
async function admin(args: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const secret = 'a secret of the tests, long enough for them';
  const env = { DATABASE_URL: opened.serviceUrl, SESSION_SECRET: secret, PASSWORD_PEPPER: secret, DATA_DIR: folder };
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const code = await runCommand(args, { ...env, ...more }, { print: say, complain: say });
  return { code, output: lines.join('\n') };
}

async function observe(time: number, prices: Readonly<Record<Coin, number>>): Promise<void> {
  await setClock(time);
  const ages = { kraken: 4 * SECOND, bitstamp: 0 };
  await observePegs({
    circuits: opened.storage.circuits,
    pegSource: {
      quotes: async (coin) =>
        Object.entries(ages).map(([source, age]) => ({ source, price: prices[coin], at: new Date(time - age) })),
    },
    settings: { autoTrip: true } as never,
    announce: () => undefined,
    announcePeg: () => undefined,
  });
}

test('before any observation: no figures, the reason why no exchange is asked, and exit code 1', async () => {
  const { code, output } = await admin(['circuits'], { MARKET_DATA_NETWORK: 'false' });
  expect(code).toBe(1);
  expect(output.split('\n')).toEqual([
    'coin  state   since      price  drift bps  observed  reason',
    '----  ------  ---------  -----  ---------  --------  ------',
    'USDT  normal  no change                    never',
    'USDC  normal  no change                    never',
    '',
    'USDT: no price was observed in the last 24 h.',
    '',
    'USDC: no price was observed in the last 24 h.',
    'The service calls no source on the network (MARKET_DATA_NETWORK=false).',
  ]);
});

test('both normal and just observed: the sources with the ages of their quotes and the drift of the day; exit code 0', async () => {
  await observe(START, { USDT: 1.0002, USDC: 0.9999 });
  const { code, output } = await admin(['circuits']);
  expect(code).toBe(0);
  expect(output).toContain('USDT  normal  no change  1.0002          2  0 s ago');
  expect(output).toContain('\nUSDT: kraken 1.0002 (4 s), bitstamp 1.0002 (0 s)\n100 ┤');
  expect(output).toContain('2026-03-01T12:00Z');
});

test('an observation that is too old is reported as stale, with exit code 1', async () => {
  await observe(START, { USDT: 1, USDC: 1 });
  await setClock(START + 6 * MINUTE);
  const { code, output } = await admin(['circuits'], { CIRCUIT_MONITOR: 'false', CIRCUIT_AUTO_TRIP: 'false' });
  expect([code, output]).toEqual([1, expect.stringContaining('6 min ago, stale')]);
  expect(output).toMatch(
    /The service reads no prices of stablecoins \(CIRCUIT_MONITOR=false\)\.\nThe monitor trips no circuit by itself/,
  );
});

test('a tripped circuit with its reason and how far its recovery is, a warming one with how to end it; exit code 1', async () => {
  for (let minute = 0; minute < 3; minute++) await observe(START + minute * MINUTE, { USDT: 1, USDC: 0.95 });
  const tripped = await admin(['circuits']);
  expect(tripped.code).toBe(1);
  expect(tripped.output).toMatch(
    /USDC +tripped +2026-03-02T12:02:00Z +0\.95 +500 +0 s ago +A drift of 500 bps: at least/,
  );
  expect(tripped.output).toContain('USDC: recovery 0 of 24 h; it begins with an observation below 50 bps');
  for (let at = 10; at <= 100; at += 10) await observe(START + at * MINUTE, { USDT: 1, USDC: 0.999 });
  expect((await admin(['circuits'])).output).toContain(
    'USDC: recovery 1.5 of 24 h below 50 bps; warming at 2026-03-03T12:10:00Z',
  );
  await bringTo(opened.storage.circuits, 'USDC', 'warming');
  const warming = await admin(['circuits']);
  expect(warming.code).toBe(1);
  expect(warming.output).toContain('USDC: has recovered; circuits resolve USDC ends its isolation');
});

test('trips and resolves as the interface does, with entries in the audit log', async () => {
  const tripped = await admin(['circuits', 'trip', 'usdc', 'redemptions', 'are', 'paused']);
  expect([tripped.code, tripped.output]).toEqual([
    0,
    expect.stringMatching(/^USDC: is tripped now \([0-9a-f-]{36}\)$/),
  ]);
  const resolution = [
    '--justification',
    'sound again',
    '--evidence',
    'https://a.example/1',
    '--evidence',
    'https://b.example',
  ];
  const refused = await admin(['circuits', 'resolve', 'USDC', ...resolution]);
  expect(refused).toEqual({ code: 1, output: 'The circuit of USDC is tripped.' });
  await bringTo(opened.storage.circuits, 'USDC', 'warming');
  expect((await admin(['circuits', 'resolve', 'USDC', ...resolution])).output).toMatch(/^USDC: is normal now/);
  const entries = await opened.storage.audit.about('USDC', 10);
  expect(entries.map(({ actor, action, detail }) => [actor, action, detail])).toEqual([
    [
      operatorName(),
      'resolve_circuit',
      expect.objectContaining({
        justification: 'sound again',
        evidence_urls: ['https://a.example/1', 'https://b.example'],
      }),
    ],
    [operatorName(), 'trip_circuit', expect.objectContaining({ reason: 'redemptions are paused' })],
  ]);
});

test('characters of a reason that would move the cursor, begin a line or reverse the text are shown as codes', async () => {
  const reason = '\u001b[2J gone\nUSDC  normal  \u202eever\u009b1m';
  await tripCircuit({ ...opened.storage, announce: () => undefined }, 'USDC', reason, 'an operator');
  const { output } = await admin(['circuits']);
  expect(output).toContain('\\u{1b}[2J gone\\u{a}USDC  normal  \\u{202e}ever\\u{9b}1m');
  expect(output.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

test.each([
  [['circuits', 'open'], 2, /^circuits open: send trip or resolve, or nothing\./],
  [['circuits', 'trip'], 2, /^Name a coin: USDT or USDC\./],
  [['circuits', 'trip', 'DAI', 'a reason'], 2, /^The coin DAI: send USDT, USDC\./],
  [['circuits', 'trip', 'USDT'], 1, /^reason must have 1 to 500 characters\.$/],
  [['circuits', 'resolve', 'USDT', 'USDC'], 2, /^Name one coin\./],
  [['circuits', 'resolve', 'USDT', '--evidence'], 2, /--evidence/],
  [['circuits', 'resolve', 'USDT'], 1, /^justification must have .*; evidence_urls must hold 1 to 20 URLs\.$/],
])('%j is refused', async (args, code, output) => {
  expect(await admin(args)).toEqual({ code, output: expect.stringMatching(output) });
  expect(await opened.storage.circuits.history('USDT', null, 1)).toEqual([]);
});

test('the chart is of the last 24 hours alone', async () => {
  await observe(START, { USDT: 1.02, USDC: 1 });
  await setClock(START + 25 * HOUR);
  expect((await admin(['circuits'])).output).toContain('USDT: no price was observed in the last 24 h.');
});
