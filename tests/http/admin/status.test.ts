import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { changeRole } from '../../../application/accounts/operators/owner-changes.ts';
import { readStatus } from '../../../application/operators/read-status.ts';
import type { StatusProblem } from '../../../application/operators/status-problem.ts';
import { statusProblems } from '../../../application/operators/status-problems.ts';
import { JOBS, type QueueState } from '../../../domain/jobs.ts';
import { HOUR, MINUTE, SECOND } from '../../../domain/time.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { aMail } from '../../builders/mail.ts';
import { aProcess, someRuns } from '../../builders/processes.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { aPasswordOwner, cookieOf, logIn } from '../../harness/sessions.ts';

const NOON = new Date('2026-03-02T12:00:00.000Z');
const noonPlus = (millis: number) => new Date(NOON.getTime() + millis);
/** A Monday in the session of New York, within the packaged prices of MSFT. */
const MONDAY = new Date('2014-06-02T15:00:00.000Z');
const AFTERWARDS = new Date('2014-06-07T00:00:00.000Z');
const DAYS = { horizon_kind: 'trading_days', horizon_value: 3 } as const;
const MSFT = { market: 'stock', symbol: 'MSFT', venue: 'NASDAQ', ...DAYS } as const;
const IDLE = { waiting: 0, waiting_since: null, active: 0, active_since: null, silent: 0 } as const;

describe.each(STORAGES)('the status of the service, on %s', (storage) => {
  let service: TestService;
  let cookie: string;
  let email: string;
  let queues: Partial<QueueState>[] = [];
  beforeAll(async () => {
    const states = async () => JOBS.map((job) => ({ ...IDLE, job, ...queues.find((each) => each.job === job) }));
    service = await openService(storage, {
      at: NOON,
      env: { BACKUP_REMINDER: 'false' },
      ports: () => ({ jobQueues: { states } }),
    });
    email = (await aPasswordOwner(service)).email ?? '';
    await changeRole(service.operators, email, 'admin', 'command line');
    cookie = cookieOf(await logIn(service, email));
  });
  afterAll(() => service.close());
  // Each test plants its own fault into a service that has none.
  beforeEach(async () => {
    queues = [];
    await service.arrange.freeze(NOON);
    await service.ports.sourceHealth.record('a:1', [], NOON);
    for (const { process } of await service.ports.processes.all()) await service.ports.processes.end(process, []);
    await worker();
    const ran = JOBS.map((job) => someRuns({ job, last_started_at: NOON, last_succeeded_at: noonPlus(SECOND) }));
    await service.ports.processes.end('none', ran);
  });

  const worker = (changes: Parameters<typeof aProcess>[0] = {}, at = NOON) =>
    service.ports.processes.report(aProcess(changes), [], at);
  const status = async () => {
    const reply = await request(service.app).get('/api/v1/admin/status').set({ cookie });
    expect(reply.status).toBe(200);
    return reply.body;
  };
  const problems = async () =>
    (await status()).problems.map(({ part, problem }: StatusProblem) => `${part}: ${problem}`);

  test('nothing is wrong: no problems, and every figure is there', async () => {
    const body = await status();
    expect(body).toMatchObject({
      now: NOON.toISOString(),
      problems: [],
      backlog: { due: 0, oldest_due_at: null, lag_seconds: 0, of_unknown_methods: 0 },
      last_graded_at: null,
      processes: [{ process: 'a:1', state: 'reporting', runs_jobs: true, connections: { waiting: 0 } }],
      webhooks: { due: 0, stopped: 0 },
      mails: { due: 0, since: null, lag_seconds: 0, failed: 0, failed_since: null, failure: null },
      log: { state: 'off' },
      witnesses: [],
      replica: null,
      backups: { last_made_at: null },
    });
    expect(body.jobs.map(({ job, state }: { readonly job: string; readonly state: string }) => [job, state])).toEqual(
      JOBS.map((job) => [job, 'idle']),
    );
  });

  test('a source that has failed for half an hour is named, with its error and what to do', async () => {
    await worker({ started_at: noonPlus(-HOUR) });
    const times = { last_error_at: NOON, last_success_at: noonPlus(-30 * MINUTE - 1) };
    const report = { source: 'kraken', serves: 'KRAKEN', failures: 7, last_error: 'answered 503', ...times };
    await service.ports.sourceHealth.record('a:1', [{ ...report, state: 'paused' }], NOON);
    const body = await status();
    expect(body.sources).toMatchObject([
      { source: 'kraken', state: 'paused', failures: 7, last_error: 'answered 503' },
    ]);
    expect(body.problems).toEqual([
      {
        part: 'sources',
        problem: 'kraken (KRAKEN) is paused in a:1 after 7 failures: answered 503.',
        action: expect.stringContaining('probe-sources'),
      },
    ]);
  });

  test('a mail server that takes nothing is named once mails have waited for a quarter of an hour', async () => {
    const { mails } = service.ports;
    await mails.add(aMail(), []);
    const [claimed] = await mails.claim(1, MINUTE);
    if (!claimed) throw new Error('No mail is due.');
    await mails.settle(claimed, () => ({ status: 'pending', failure: 'login_failed', due_at: noonPlus(20 * MINUTE) }));
    await service.arrange.advance(15 * MINUTE);
    await worker({}, noonPlus(15 * MINUTE));
    expect((await status()).mails).toMatchObject({ due: 0, failed: 1, failure: 'login_failed' });
    expect((await problems()).filter((each: string) => each.startsWith('mails'))).toEqual([]);
    await service.arrange.advance(1);
    expect((await problems()).filter((each: string) => each.startsWith('mails'))).toEqual([
      'mails: The mail server has not taken 1 mails, the first since 2026-03-02T12:00:00Z; most often: login_failed.',
    ]);
    await service.arrange.advance(5 * MINUTE);
    expect((await status()).mails).toMatchObject({ due: 1, since: NOON.toISOString(), lag_seconds: 1_200 });
    const [again] = await mails.claim(1, MINUTE);
    if (again) await mails.settle(again, () => ({ status: 'sent', failure: null, due_at: null }));
    expect((await status()).mails).toMatchObject({ due: 0, failed: 0 });
  });

  test('a run whose process died makes its job stuck', async () => {
    queues = [{ job: 'evaluate-due', active: 1, active_since: NOON, silent: 1 }];
    expect(await problems()).toEqual([
      'jobs: A run of evaluate-due began at 2026-03-02T12:00:00Z, and its process gives no sign of life.',
    ]);
    expect((await status()).jobs.find(({ job }: { readonly job: string }) => job === 'evaluate-due').state).toBe(
      'stuck',
    );
  });

  test('a run that lasts too long is named with its process', async () => {
    await service.arrange.advance(15 * MINUTE + 1);
    await worker({ running: [{ job: 'keep-log', since: NOON.toISOString() }] }, noonPlus(15 * MINUTE));
    await service.ports.processes.end(
      'none',
      JOBS.map((job) => someRuns({ job, last_started_at: noonPlus(15 * MINUTE) })),
    );
    expect(await problems()).toEqual(['jobs: keep-log has been running since 2026-03-02T12:00:00Z in a:1.']);
  });

  test('a paused worker: no process runs jobs, which is why requests wait', async () => {
    await worker({ process: 'api:2', runs_jobs: false }, noonPlus(6 * MINUTE));
    queues = [{ job: 'evaluate-due', waiting: 6, waiting_since: noonPlus(30 * SECOND) }];
    await service.arrange.advance(6 * MINUTE);
    expect(await problems()).toEqual([
      'processes: No process runs jobs: nothing is verified, graded or sent. ' +
        'a:1, which runs jobs, has not reported since 2026-03-02T12:00:00Z.',
    ]);
  });

  test('a worker that another has replaced is no problem', async () => {
    await service.arrange.advance(2 * MINUTE);
    await worker({ process: 'a:2', started_at: noonPlus(MINUTE) }, noonPlus(2 * MINUTE));
    const body = await status();
    expect(body.processes.map(({ process, state }: { process: string; state: string }) => [process, state])).toEqual([
      ['a:2', 'reporting'],
      ['a:1', 'replaced'],
    ]);
    expect(body.problems).toEqual([]);
  });

  test('a schedule that does not run: jobs that have not run for 5 minutes', async () => {
    const last = noonPlus(20 * MINUTE);
    await service.ports.processes.end(
      'none',
      JOBS.map((job) => someRuns({ job, last_started_at: last })),
    );
    await service.arrange.freeze(noonPlus(25 * MINUTE + 1));
    await worker({}, noonPlus(25 * MINUTE));
    const states = (await status()).jobs.map(({ job, state }: { job: string; state: string }) => `${job} ${state}`);
    const ofState = (job: string) =>
      ['refresh-symbols', 'learn-names', 'publish-dataset'].includes(job) ? 'idle' : 'late';
    expect(states).toEqual(JOBS.map((job) => `${job} ${ofState(job)}`));
    const [first, ...others] = await problems();
    expect(first).toMatch(
      /^jobs: verify-instruments has not run since 2026-03-02T12:20:00Z\. The same holds for 11 more: /,
    );
    expect(others).toEqual([]);
  });

  test('a job that fails three times in a row, until it succeeds', async () => {
    const failed = someRuns({ last_started_at: NOON, last_failed_at: NOON, last_error: 'ECONNREFUSED', failures: 3 });
    await service.ports.processes.report(aProcess(), [failed], NOON);
    expect(await problems()).toEqual([
      'jobs: The last 3 runs of evaluate-due failed, the newest at 2026-03-02T12:00:00Z: ECONNREFUSED.',
    ]);
    await service.ports.processes.end('none', [someRuns({ last_succeeded_at: noonPlus(2 * SECOND) })]);
    expect(await problems()).toEqual([]);
  });

  test('a disk without room comes first, as each process sees it', async () => {
    await worker({ disk: { state: 'low', free_bytes: 500 * 2 ** 20 } });
    expect(await problems()).toEqual([
      'disk: The disk of the database is nearly full (500 MiB are free, reported by a:1): nothing new is stored.',
    ]);
    await worker({ disk: { state: 'full', free_bytes: null } });
    expect(await problems()).toEqual([
      'disk: The disk of the database is full (PostgreSQL refused a write of a:1): nothing new is stored, graded or logged.',
    ]);
    await worker({ disk: { state: 'ok', free_bytes: 500 * 2 ** 30 } });
    expect(await problems()).toEqual([]);
  });

  test('a worker that does not sign, and requests that wait for a connection', async () => {
    await worker({ signing: 'stopped', connections: { in_use: 10, idle: 0, waiting: 21 } });
    expect(await problems()).toEqual([
      'database: 21 requests of a:1 wait for a connection to the database.',
      'log: a:1 does not sign the evidence log.',
    ]);
  });

  test('a leaf that waits has its reason: no process signs, a record that cannot be read, or the log of the signer', async () => {
    await worker({ signing: null });
    const unsigned = await readStatus(service.ports);
    const [a1] = unsigned.processes;
    if (a1 === undefined) throw new Error('No process reports');
    const log = { ...unsigned.log, state: 'behind', waiting_since: noonPlus(-HOUR) } as const;
    const signed = { ...unsigned, log, processes: [{ ...a1, signing: 'guarded' }] } as const;
    const faulty = { record_id: 'dec_20260302_deadbeef', parts: ['outcome'] } as const;
    const shown = [{ ...unsigned, log }, signed, { ...signed, faulty_records: { total: 1, newest: [faulty] } }].map(
      (figures) => statusProblems(figures, { watchesPegs: false, expectsBackups: false }),
    );
    expect(shown.map((each) => each.filter(({ part }) => part === 'log'))).toMatchObject([
      [{ action: 'Start a process that runs jobs and has LOG_KEY_FILE.' }],
      [{ action: 'a:1 signs the log: look at its lines, and at the job keep-log.' }],
      [{ action: 'Its record may be one that cannot be read in full: it gets its leaf once it can be read again.' }],
    ]);
  });

  test('decisions that nothing grades are a problem after a quarter of an hour, until they are graded', async () => {
    await service.arrange.freeze(MONDAY);
    await (await anAgentAt(service)).submit(aSubmission(MONDAY, MSFT));
    await service.settle();
    await service.arrange.freeze(AFTERWARDS);
    await fresh(AFTERWARDS);
    const { backlog, problems: named, last_graded_at } = await status();
    expect([backlog.due, last_graded_at]).toEqual([1, null]);
    const minutes = Math.floor(backlog.lag_seconds / 60);
    expect(named).toMatchObject([
      { part: 'evaluations', problem: `1 evaluations are due, the oldest for ${minutes} min.` },
    ]);
    await service.settle();
    expect(await status()).toMatchObject({ problems: [], last_graded_at: AFTERWARDS.toISOString() });
  });

  test('rejected decisions and those without data, with the reasons of today', async () => {
    await service.arrange.freeze(MONDAY);
    const unknown = { ...MSFT, symbol: 'ZZZZZ' };
    await (await anAgentAt(service)).submit(aSubmission(MONDAY, unknown));
    await service.settle();
    await fresh(MONDAY);
    const { failures } = await status();
    expect(failures.data_unavailable).toEqual({ total: 0, today: 0, today_by_reason: [] });
    expect(failures.rejected.total).toBe(failures.rejected.today);
  });

  /** A worker that began and ran every job at that time. */
  async function fresh(at: Date): Promise<void> {
    await service.ports.processes.end('a:1', []);
    await worker({ started_at: at }, at);
    const ran = JOBS.map((job) => someRuns({ job, last_started_at: at }));
    await service.ports.processes.end('none', ran);
    await service.arrange.freeze(at);
    cookie = cookieOf(await logIn(service, email));
  }
});
