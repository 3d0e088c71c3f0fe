import { constants, createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { httpTimestampClient } from '../../../adapters/log/log-clients.ts';
import { tripCircuit } from '../../../application/circuits/change-circuit.ts';
import { keepLog } from '../../../application/log/keep-log.ts';
import { JOBS } from '../../../domain/jobs.ts';
import { certificatesOfPem, nodeStampCrypto } from '../../../domain/log/timestamps/certificates.ts';
import { authorityName } from '../../../domain/log/timestamps/timestamp.ts';
import type { SourceReport } from '../../../domain/market/source-health.ts';
import { DAY, MINUTE } from '../../../domain/time.ts';
import { namedInstrumentIn } from '../../../infrastructure/commands/command.ts';
import { aDraft, anAgent, aSubmission, NO_LIMITS } from '../../builders/decisions.ts';
import { aProcess, someRuns } from '../../builders/processes.ts';
import { logPorts } from '../../harness/kept-logs.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../harness/throwaway-folder.ts';
import { asAuthority, makeAuthority, makeRoot, startAuthority } from '../../harness/time-stamp-authority.ts';
import { type GradedDatabase, gradedDatabase } from './evidence/graded-database.ts';

let database: GradedDatabase;
beforeAll(async () => {
  database = await gradedDatabase(['BTC', 'ETH', 'BTC', 'ETH']);
  await database.opened.owner.query('alter table app.decisions disable trigger user');
  await report();
});
afterAll(() => database.close());

const OFFLINE = { MARKET_DATA_NETWORK: 'false' };
const CIRCUITS = ['USDT', 'USDC'].map((coin) => ({ coin, state: 'normal', stale: true, observed_at: null }));
const EXACT = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
const NONE = { total: 0, today: 0 };

const RESTING = { waiting: 0, waiting_since: null, active: 0, active_since: null, running_in: null, silent: 0 };
const NEVER = { last_started_at: null, last_succeeded_at: null, last_failed_at: null, last_error: null, failures: 0 };

/** A process that runs jobs, as it reports itself. */
async function report(age = 0) {
  const at = await now();
  const ran = age === 0 ? [] : JOBS.map((job) => someRuns({ job, last_started_at: at, last_succeeded_at: at }));
  const started_at = new Date(at.getTime() - age);
  await database.opened.storage.processes.report(aProcess({ started_at }), ran, at);
}

async function status(more: NodeJS.ProcessEnv = OFFLINE) {
  const text = await database.adminWith(more, 'status');
  const { code, output } = await database.adminWith(more, 'status', '--json');
  expect(code).toBe(text.code);
  return { code, text: text.output, json: JSON.parse(output) };
}

const now = () => database.opened.storage.clock.now();

/** Without the network and bar files. */
const MARKETS = [
  'US stocks: no bar files, no live source; set MARKET_DATA_NETWORK=true and MARKET_DATA_STOCKS',
  'Stocks of other venues: no bar files, no live source; set MARKET_DATA_NETWORK=true and MARKET_DATA_STOCKS, or load bars with npm run admin -- import-bars',
  'Crypto: no bar files, no live source; set MARKET_DATA_NETWORK=true',
];

test('a service that has nothing to do and calls no sources: exit code 0', async () => {
  const { code, text, json } = await status();
  expect(json).toEqual({
    now: (await now()).toISOString(),
    backlog: { due: 0, oldest_due_at: null, lag_seconds: 0, of_unknown_methods: 0 },
    failures: { rejected: NONE, data_unavailable: { ...NONE, today_by_reason: [] } },
    first_submitted_at: EXACT,
    last_graded_at: EXACT,
    processes: [expect.objectContaining({ process: 'a:1', state: 'reporting', runs_jobs: true })],
    faulty_records: { total: 0, newest: [] },
    jobs: JOBS.map((job) => ({ job, state: 'idle', ...RESTING, ...NEVER })),
    webhooks: { due: 0, oldest_due_at: null, lag_seconds: 0, stopped: 0 },
    mails: { due: 0, since: null, lag_seconds: 0, failed: 0, failed_since: null, failure: null },
    witnesses: [],
    timestamp_authorities: [],
    replica: null,
    sources: [],
    circuits: CIRCUITS,
    backups: {
      ...{ last_made_at: null, last_checked_at: null, last_check_ok: null },
      ...{ running_since: null, last_failed_at: null, last_failure: null, obstacle: 'no_folder' },
    },
    calendars: [],
    log: {
      ...{ state: 'off', origin: null, size: 0, signed_at: null, pending: 0, waiting_since: null, late_today: 0 },
      ...{ reason: null, last_seen: null, noted: false },
    },
    markets: MARKETS,
    leaps: [],
    problems: [],
  });
  expect(text.split('\n')).toEqual([
    'Evaluations due: 0',
    'Rejected: 0, of them submitted today (UTC): 0',
    'Data unavailable: 0, of them submitted today (UTC): 0',
    'Processes that reported in the last minute: 1, of them running jobs: 1',
    `Jobs: ${JOBS.length}, none stuck, late or failing`,
    'Sources that reported in the last minute: 0, of them failing or paused: 0',
    ...MARKETS,
    'Circuits: USDT normal, no fresh price; USDC normal, no fresh price',
    'Mails due: 0, to be sent again: 0',
    'Backups: none made; never checked',
    'Evidence log: none yet; this process has no LOG_KEY_FILE',
    'No problems.',
  ]);
  expect(code).toBe(0);
});

test('leaps that nothing explains, of bar files and of the days of other sources', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stancebook-leaps-'));
  const place = join(folder, 'stock/NYSE/spot/SPLT-USD');
  await mkdir(place, { recursive: true });
  const days = ['2026-02-23', '2026-02-24', '2026-02-25', '2026-02-26', '2026-02-27', '2026-03-02'];
  const prices = [12, 12.1, 1, 1.01, 1.02, 1.01];
  const rows = days.map((day, index) => [`${day}T14:30:00Z`, `${day}T21:00:00Z`, ...Array(4).fill(prices[index]), 9]);
  const manifest = {
    ...{ source: 'test', licence: 'test', time_zone: 'America/New_York', sizes: ['1d'], cadence: 'end_of_day' },
    ...{ history_from: '2026-02-23T14:30:00Z', delisted_at: null },
  };
  await writeFile(join(place, 'manifest.json'), JSON.stringify(manifest));
  await writeFile(join(place, '1d.csv'), ['start,end,open,high,low,close,volume', ...rows.map(String), ''].join('\n'));
  const bar = (start: number, price: number) => ({
    ...{ start, end: start + DAY, open: price, high: price, low: price, close: price, volume: 1, split: 1, total: 1 },
  });
  const [from, basis] = [Date.UTC(2026, 1, 1), 0];
  const keep = (key: string, leap: number) =>
    database.opened.storage.barCache.keep(
      { source: 'elsewhere', instrument: namedInstrumentIn(key), size: '1d', basis },
      { from, to: from + 12 * DAY, bars: Array.from({ length: 12 }, (_, i) => bar(from + i * DAY, i < 6 ? 1 : leap)) },
    );
  await keep('crypto:PEPE:GATE:spot:USDT', 8);
  await keep('crypto:BONK:GATE:spot:USDT', 5);
  const { code, text, json } = await status({ ...OFFLINE, MARKET_DATA_BARS_DIR: folder });
  await rm(folder, { recursive: true });
  expect(code).toBe(0);
  expect(json.leaps).toEqual([
    {
      ...{ instrument: 'stock:SPLT:NYSE:spot:USD', source: 'bar-files', at: '2026-02-25T14:30:00.000Z' },
      ...{
        from: 12.1,
        to: 1,
        ratio: 1 / 12.1,
        answer: expect.stringMatching(/2026-02-25,split,12\.1 if it was a split/),
      },
    },
    {
      ...{ instrument: 'crypto:PEPE:GATE:spot:USDT', source: 'elsewhere', at: '2026-02-07T00:00:00.000Z' },
      ...{ from: 1, to: 8, ratio: 8, answer: expect.stringMatching(/2026-02-07,none if the price really moved so/) },
    },
  ]);
  expect(text).toMatch(
    /Leaps of prices that nothing explains: 2\n {2}stock:SPLT:NYSE:spot:USD \(bar-files\): from 12\.1 to 1 at/,
  );
});

test('stablecoins without a fresh price are a problem where they are monitored, ten minutes after the start', async () => {
  expect((await status({})).code).toBe(0);
  await report(10 * MINUTE + 1);
  const { code, json } = await status({});
  expect([code, json.problems]).toEqual([
    1,
    [expect.stringMatching(/^There is no fresh price of USDT and USDC\. Look/)],
  ]);
});

test('rejected and unavailable decisions, all of them and those submitted today', async () => {
  const state = (id: string | undefined, name: string, days: number) =>
    database.opened.owner.query(
      `update app.decisions set lifecycle_state = $1, due_at = null, submission_time = app.now() - $2 * interval '1 day'
        where record_id = $3`,
      [name, days, id],
    );
  await state(database.ids[0], 'rejected', 0);
  await state(database.ids[1], 'rejected', 1);
  await state(database.ids[2], 'data_unavailable', 1);
  const { code, json } = await status();
  expect(json.failures).toEqual({
    rejected: { total: 2, today: 1 },
    data_unavailable: { total: 1, today: 0, today_by_reason: [] },
  });
  expect(code).toBe(0);
});

test('a backlog is a problem from a quarter of an hour on', async () => {
  const due = async (age: number) => {
    const at = new Date((await now()).getTime() - age);
    const text = `update app.decisions set lifecycle_state = 'verified', due_at = $1 where record_id = $2`;
    await database.opened.owner.query(text, [at, database.ids[3]]);
    return at.toISOString();
  };
  const recent = await due(15 * MINUTE);
  const early = await status();
  const waiting = { due: 1, oldest_due_at: recent, lag_seconds: 900, of_unknown_methods: 0 };
  expect([early.code, early.json.backlog]).toEqual([0, waiting]);
  await due(DAY);
  const late = await status();
  expect([late.code, late.json.problems]).toEqual([
    1,
    [expect.stringMatching(/^1 evaluations are due, the oldest for 1440 min\. Look at the processes/)],
  ]);
  await due(0);
  const setMethod = (method: string) =>
    database.opened.owner.query('update app.decisions set method = $1 where record_id = $2', [method, database.ids[3]]);
  await setMethod('eval/9');
  const unknown = await status();
  expect([unknown.code, unknown.json.problems]).toEqual([
    1,
    ['1 due decisions have a method that this version does not know. Run a newer release.'],
  ]);
  await setMethod('eval/3');
});

test('each time-stamp authority is listed with its last timestamp, or why it failed', async () => {
  const { storage } = database.opened;
  const at = await now();
  const never = {
    state: 'never asked',
    failures: 0,
    last_error: null,
    last_error_at: null,
    last_success_at: null,
  } as const;
  const failing = {
    ...never,
    state: 'failing',
    failures: 3,
    last_error: 'answered 503\u001b[2J',
    last_error_at: at,
  } as const;
  const reports = [
    { source: 'tsa.example', serves: 'timestamps', ...failing },
    { source: 'stamps.example', serves: 'timestamps', ...never, state: 'healthy', last_success_at: at } as const,
  ];
  await storage.sourceHealth.record('worker:1', reports, at);
  await storage.sourceHealth.record('worker:2', [{ ...reports[0], ...never } as SourceReport], at);
  const { json, text } = await status();
  const none = { stamped_at: null, size: 0 };
  expect([json.timestamp_authorities, json.sources]).toEqual([
    [
      { authority: 'stamps.example', ...none, failure: null, failed_at: null },
      { authority: 'tsa.example', ...none, failure: failing.last_error, failed_at: at.toISOString() },
    ],
    [],
  ]);
  expect(text).toContain('Time-stamp authority stamps.example: stamped never\n');
  expect(text).toMatch(/Time-stamp authority tsa\.example: stamped never; failed at \S+Z: answered 503\\u\{1b\}\[2J\n/);
  for (const worker of ['worker:1', 'worker:2']) await storage.sourceHealth.record(worker, [], at);
});

test('a paused source and a tripped circuit are problems', async () => {
  const times = { last_error_at: await now(), last_success_at: null };
  const report = { source: 'kraken', serves: 'KRAKEN', failures: 5, last_error: 'answered 503', ...times };
  const { storage } = database.opened;
  await storage.sourceHealth.record('b:1', [{ ...report, state: 'paused' }], await now());
  await tripCircuit({ ...storage, announce: () => undefined }, 'USDC', 'redemptions are paused', 'an operator');
  const { code, text, json } = await status();
  expect(code).toBe(1);
  expect(json.sources).toMatchObject([
    { source: 'kraken', process: 'b:1', state: 'paused', failures: 5, last_error: 'answered 503' },
  ]);
  expect(text).toContain('Problem: kraken (KRAKEN) is paused in b:1 after 5 failures: answered 503. It is asked again');
  expect(text).toContain('Problem: The circuit of USDC is tripped.');
});

test('the newest backup and the newest check of one; a failed check is a problem', async () => {
  const { audit } = database.opened.storage;
  const noted = async (action: string, detail: Readonly<Record<string, unknown>>) => {
    await audit.append({ actor: 'command line', action, subject: action, detail });
  };
  await noted('backup', { bytes: 1 });
  await noted('check_backup', { ok: true });
  const good = await status();
  expect(good.json.backups).toMatchObject({ last_made_at: EXACT, last_checked_at: EXACT, last_check_ok: true });
  expect(good.text).toMatch(/^Backups: last made 20\S+Z; last check 20\S+Z found no fault$/m);
  await noted('check_backup', { ok: false });
  const bad = await status();
  expect(bad.json.backups.last_check_ok).toBe(false);
  expect(bad.text).toContain('Problem: The last check of a backup failed. Make another one and check it.');
  expect(bad.code).toBe(1);
});

test('without a process that runs jobs, and with a run that nothing ends', async () => {
  const { owner, storage } = database.opened;
  await storage.processes.end('a:1', []);
  await owner.query(`insert into pgboss.job (name, state, started_on, heartbeat_on, heartbeat_seconds)
    values ('evaluate-due', 'active', now() - interval '1 hour', now() - interval '1 hour', 30)`);
  const { code, json } = await status();
  expect(code).toBe(1);
  expect(json.jobs.find(({ job }: { readonly job: string }) => job === 'evaluate-due')).toMatchObject({
    state: 'stuck',
    active: 1,
    silent: 1,
  });
  const [first, ...others] = json.problems;
  expect(first).toMatch(/^A run of evaluate-due began at \S+Z, and its process gives no sign of life\. Another/);
  await owner.query(
    "update app.job_runs set last_started_at = last_started_at - interval '3 minutes', " +
      "last_succeeded_at = last_succeeded_at - interval '3 minutes'",
  );
  const later = await status();
  expect(later.json.problems).toEqual([
    expect.stringMatching(/^No process runs jobs: nothing is verified, graded or sent\. Start a process/),
    ...others,
  ]);
});

test('a time-stamp authority whose token is stored is listed with its time and its leaves', async () => {
  const folder = makeThrowawayFolder('status-authority');
  makeRoot(folder, 'root');
  makeAuthority(folder, 'tsa');
  const authority = await startAuthority(asAuthority(folder, 'tsa'));
  try {
    const { owner, storage } = database.opened;
    // They write what is pending.
    await owner.query('alter table app.decisions enable trigger user');
    const trusted = certificatesOfPem(readFileSync(join(folder, 'root.pem'), 'utf8'));
    const asked = { urls: [authority.url], trusted, client: httpTimestampClient(), crypto: STAMPS, every: MINUTE };
    const ports = { ...logPorts(storage), timestamps: asked };
    await keepLog(ports, { interval: MINUTE });
    const stated = aDraft(await anAgent(storage), await now(), aSubmission(await now()), { limits: NO_LIMITS });
    expect(await storage.intake.submit(stated)).toMatchObject({ verdict: 'accepted' });
    await database.opened.arrange.advance(2 * MINUTE);
    expect((await keepLog(ports, { interval: MINUTE })).stamped?.missing.size).toBe(0);
    const { size } = (await storage.log.signed(1)) ?? { size: 0 };
    const name = authorityName(authority.url);
    const report = { source: name, serves: 'timestamps', state: 'healthy', failures: 0, last_error: null } as const;
    const times = { last_error_at: null, last_success_at: await now() };
    await storage.sourceHealth.record('worker:1', [{ ...report, ...times }], await now());
    const { json, text } = await status();
    const stamped_at = (await now()).toISOString();
    expect([json.timestamp_authorities, size > 1]).toEqual([
      [{ authority: name, stamped_at, size, failure: null, failed_at: null }],
      true,
    ]);
    expect(text).toContain(
      `Time-stamp authority ${name}: stamped last at ${stamped_at.slice(0, 19)}Z, ${size} leaves\n`,
    );
  } finally {
    await authority.close();
    removeThrowawayFolder(folder);
  }
});

const STAMPS = nodeStampCrypto({ createHash, createPublicKey, verify, constants });

test('an argument is a wrong call', async () => {
  expect((await database.admin('status', 'now')).code).toBe(2);
});
