import { z } from 'zod';
import { JOB_STATES } from '../../../../application/operators/job-status.ts';
import { STATUS_PARTS } from '../../../../application/operators/status-problem.ts';
import { BACKUP_FAILURES, BACKUP_OBSTACLES } from '../../../../domain/backup.ts';
import { DISK_STATES } from '../../../../domain/disk-space.ts';
import { JOBS } from '../../../../domain/jobs.ts';
import { MAIL_FAILURES } from '../../../../domain/mail/mail.ts';
import { SOURCE_STATES } from '../../../../domain/market/source-health.ts';
import { PROCESS_STATES, SIGNING_STATES } from '../../../../domain/service-processes.ts';
import { instant } from '../../kit/input/query-values.ts';
import { circuitState, coin } from '../texts.ts';

const count = (text: string) => z.int().min(0).describe(text);
const lag = count('How long the oldest of them has been due; 0 without one.');
const oldest = instant().nullable().describe('When the first of them became due.');
const job = z.enum(JOBS).meta({ id: 'Job' });

const problem = z
  .strictObject({
    part: z.enum(STATUS_PARTS),
    problem: z.string().describe('What is wrong, with its figures.'),
    action: z.string().describe('What the operator can do.'),
    instrument: z
      .string()
      .optional()
      .describe('The one that waits to be verified again, as `market:symbol:venue:asset_class:quote_currency`.'),
  })
  .meta({ id: 'StatusProblem' });

const failure = { total: count('All of them.'), today: count('Those that were submitted today (UTC).') };

const source = z
  .strictObject({
    source: z.string(),
    serves: z.string().describe('The markets that it serves, for people.'),
    process: z.string(),
    reported_at: instant(),
    state: z.enum(SOURCE_STATES).describe('`paused`: no request is sent for a while, because several in a row failed.'),
    failures: count('Failed requests since the last one that succeeded.'),
    last_error: z.string().nullable().describe('What the last failed request brought, such as `answered 503`.'),
    last_error_at: instant().nullable(),
    last_success_at: instant().nullable(),
  })
  .meta({ id: 'SourceStatus' });

const process = z
  .strictObject({
    process: z.string().describe('Its machine and its number there.'),
    state: z
      .enum(PROCESS_STATES)
      .describe(
        '`silent`: its last report is older than a minute, and it has not ended in order: it was killed, is stopped, or ' +
          'does not reach the database. `replaced`: the same, and a process that does the same began after that.',
      ),
    release: z.string(),
    answers_requests: z.boolean(),
    runs_jobs: z.boolean(),
    started_at: instant(),
    reported_at: instant().describe('Every 15 seconds.'),
    connections: z
      .strictObject({ in_use: count(''), idle: count(''), waiting: count('Requests that wait for one.') })
      .nullable()
      .describe('To the database, when it reported.'),
    signing: z
      .enum(SIGNING_STATES)
      .nullable()
      .describe('Whether it signs the evidence log; null where it does not write it.'),
    disk: z
      .strictObject({
        state: z
          .enum(DISK_STATES)
          .describe('`low`: nothing that adds to the stored data is accepted. `full`: jobs that add to it wait too.'),
        free_bytes: z
          .int()
          .min(0)
          .nullable()
          .describe('null where it cannot see the disk; `full` is then what the database has said.'),
      })
      .nullable()
      .describe('The disk of the database, as this process sees it; null where an earlier release reports.'),
    running: z
      .array(z.strictObject({ job, since: instant() }))
      .readonly()
      .describe('When it reported.'),
    faulty_records: z
      .strictObject({
        total: count(''),
        newest: z.array(z.string()).readonly().describe('The ids of the last ones that it found.'),
      })
      .nullable()
      .describe(
        'Records of which it found parts since its start that it cannot read; null of a release that does not look.',
      ),
  })
  .meta({ id: 'ProcessStatus' });

const jobStatus = z
  .strictObject({
    job,
    state: z
      .enum(JOB_STATES)
      .describe(
        '`stuck`: a run has no sign of life of its process, or lasts longer than a run of it may. `late`: no process takes its ' +
          'requests, or it has not run for longer than its schedule allows. `failing`: three runs in a row failed.',
      ),
    waiting: count('Requests that are due, and that no process has taken.'),
    waiting_since: instant().nullable(),
    active: count('Requests that a process has taken.'),
    active_since: instant().nullable().describe('When the oldest run began that has not ended.'),
    running_in: z.string().nullable().describe('The process of that run, if one reports it.'),
    silent: count('Requests whose process has given no sign of life for two minutes.'),
    last_started_at: instant().nullable(),
    last_succeeded_at: instant().nullable(),
    last_failed_at: instant().nullable(),
    last_error: z.string().nullable().describe('The name or the code of its error; the log has more.'),
    failures: count('Failed runs since the last one that succeeded.'),
  })
  .meta({ id: 'JobStatus' });

export const serviceStatus = z
  .strictObject({
    now: instant(),
    problems: z.array(problem).readonly().describe('The most pressing first; empty if nothing is wrong.'),
    backlog: z.strictObject({
      due: count('Decisions that are due for evaluation, and that no process has claimed.'),
      oldest_due_at: oldest,
      lag_seconds: lag,
      of_unknown_methods: count('Further due ones, whose method only a newer release knows.'),
    }),
    first_submitted_at: instant().nullable().describe('When a decision of the first day was submitted.'),
    last_graded_at: instant().nullable().describe('Of the decisions that are not under quarantine.'),
    failures: z.strictObject({
      rejected: z.strictObject(failure),
      data_unavailable: z.strictObject({
        ...failure,
        today_by_reason: z
          .array(z.strictObject({ reason: z.string(), total: count('') }))
          .readonly()
          .describe('Those of today, the most frequent reason first.'),
      }),
    }),
    sources: z.array(source).readonly().describe('Those that a process has reported on within the last minute.'),
    circuits: z
      .array(
        z.strictObject({
          coin,
          state: circuitState,
          stale: z.boolean().describe('Whether its price is not known.'),
          observed_at: instant().nullable().describe('When it was known last.'),
        }),
      )
      .readonly(),
    processes: z
      .array(process)
      .readonly()
      .describe('Those of the last day that have not ended in order, the youngest first.'),
    faulty_records: z
      .strictObject({
        total: count(''),
        newest: z
          .array(z.strictObject({ record_id: z.string(), parts: z.array(z.string()).readonly() }))
          .readonly()
          .describe('The ones found last, with the parts that cannot be read.'),
      })
      .describe('Records that cannot be read in full, found by any process and not readable since.'),
    jobs: z.array(jobStatus).readonly(),
    webhooks: z.strictObject({
      due: count('Deliveries of active webhooks that should have been sent.'),
      oldest_due_at: oldest,
      lag_seconds: lag,
      stopped: count('Webhooks that are paused after failures, or gone (410).'),
    }),
    mails: z
      .strictObject({
        due: count('Mails that should have been sent.'),
        since: instant().nullable().describe('When the first of them was queued.'),
        lag_seconds: count('How long ago that was; 0 without one.'),
        failed: count('Mails that are to be sent again, because the last attempt failed.'),
        failed_since: instant().nullable().describe('When the first of them was queued.'),
        failure: z.enum(MAIL_FAILURES).nullable().describe('Why it failed, for most of them.'),
      })
      .describe('All 0 without SMTP_URL.'),
    log: z.strictObject({
      state: z
        .enum(['off', 'signed', 'behind'])
        .describe('`behind`: a submission or an outcome has waited for its leaf for more than 5 minutes.'),
      origin: z.string().nullable(),
      size: count('Leaves of the newest signed checkpoint.'),
      signed_at: instant().nullable(),
      pending: count('Events without a leaf; of more than 10,000 an estimate.'),
      waiting_since: instant()
        .nullable()
        .describe('The oldest submission or outcome that could have a leaf and has none.'),
      late_today: count('Realtime decisions of the last 24 hours whose leaf was signed more than 5 minutes later.'),
    }),
    witnesses: z
      .array(
        z.strictObject({
          witness: z.string(),
          cosigned_at: instant().nullable().describe('When it cosigned last.'),
          size: count('The leaves that it cosigned last.'),
          refused: z.boolean().describe('Whether it has said since that it knows another tree, or a larger one.'),
        }),
      )
      .readonly()
      .describe('Of LOG_POLICY_FILE.'),
    timestamp_authorities: z
      .array(
        z.strictObject({
          authority: z.string().describe('Its host.'),
          stamped_at: instant().nullable().describe('When its last timestamp came.'),
          size: count('The leaves of the checkpoint that it stamped last.'),
          failure: z.string().nullable().describe('Why the last request to it failed; null where it did not.'),
          failed_at: instant().nullable(),
        }),
      )
      .readonly()
      .describe('Of LOG_TIMESTAMP_URLS.'),
    replica: z
      .strictObject({
        lag_bytes: z
          .int()
          .min(0)
          .nullable()
          .describe("Bytes of the primary's log that it has not replayed; null: it does not answer."),
      })
      .nullable()
      .describe('null without DATABASE_READ_URL.'),
    backups: z
      .strictObject({
        last_made_at: instant().nullable(),
        last_checked_at: instant().nullable(),
        last_check_ok: z.boolean().nullable(),
        running_since: instant().nullable().describe('When the one began that is made over HTTP; null: none is.'),
        last_failed_at: instant().nullable().describe('When the last of those failed that did.'),
        last_failure: z.enum(BACKUP_FAILURES).nullable(),
        obstacle: z
          .enum(BACKUP_OBSTACLES)
          .nullable()
          .describe('What keeps the process that answers from making one; null: nothing.'),
      })
      .describe('Those of the command line, and those made over HTTP.'),
    calendars: z
      .array(
        z.strictObject({
          venues: z.array(z.string()).readonly(),
          zone: z.string().describe('Their time zone, an IANA name.'),
          from: z.iso.date().describe('The first day whose sessions are known.'),
          until: z.iso.date().describe('The last one; later every weekday counts as a session.'),
          days_left: z.int().describe('Known days after today; below 0 after the last.'),
          source: z.string(),
        }),
      )
      .readonly()
      .describe('Those of the venues of stocks that the service knows, the one that ends first at the top.'),
  })
  .meta({ id: 'ServiceStatus' });

const at = (time: string) => new Date(`2026-01-30T${time}.000Z`);

export const serviceStatusExample = {
  now: at('14:30:00'),
  problems: [
    {
      part: 'processes',
      problem: 'No process runs jobs: nothing is verified, graded or sent.',
      action: 'Start a process with ROLE=all or ROLE=worker, or end the one that is stopped and start it again.',
    },
  ],
  backlog: { due: 12, oldest_due_at: at('12:00:04'), lag_seconds: 8_996, of_unknown_methods: 0 },
  first_submitted_at: at('09:12:40'),
  last_graded_at: at('11:59:31'),
  failures: {
    rejected: { total: 3, today: 1 },
    data_unavailable: { total: 9, today: 2, today_by_reason: [{ reason: 'no_print', total: 2 }] },
  },
  sources: [],
  circuits: [{ coin: 'USDT', state: 'normal', stale: true, observed_at: at('14:20:02') }],
  processes: [
    {
      process: 'api-1:4211',
      state: 'reporting',
      release: '0.5.0',
      answers_requests: true,
      runs_jobs: false,
      started_at: at('09:00:00'),
      reported_at: at('14:29:50'),
      connections: { in_use: 1, idle: 9, waiting: 0 },
      signing: null,
      disk: { state: 'ok', free_bytes: 84_250_000_000 },
      running: [],
      faulty_records: { total: 0, newest: [] },
    },
  ],
  faulty_records: { total: 0, newest: [] },
  jobs: [
    {
      job: 'evaluate-due',
      state: 'late',
      waiting: 3,
      waiting_since: at('12:00:04'),
      active: 0,
      active_since: null,
      running_in: null,
      silent: 0,
      last_started_at: at('11:59:30'),
      last_succeeded_at: at('11:59:31'),
      last_failed_at: null,
      last_error: null,
      failures: 0,
    },
  ],
  webhooks: { due: 0, oldest_due_at: null, lag_seconds: 0, stopped: 0 },
  mails: { due: 0, since: null, lag_seconds: 0, failed: 0, failed_since: null, failure: null },
  log: {
    state: 'signed',
    origin: 'stancebook.example.org/log/1',
    size: 5_120,
    signed_at: at('11:59:58'),
    pending: 0,
    waiting_since: null,
    late_today: 0,
  },
  witnesses: [],
  timestamp_authorities: [],
  replica: null,
  backups: {
    ...{ last_made_at: at('03:00:00'), last_checked_at: at('03:04:00'), last_check_ok: true },
    ...{ running_since: null, last_failed_at: null, last_failure: null, obstacle: null },
  },
  calendars: [
    {
      ...{ venues: ['HKEX'], zone: 'Asia/Hong_Kong', from: '2010-01-01', until: '2026-12-31', days_left: 335 },
      source: 'HKEX, trading calendar of 2026',
    },
  ],
} as const;
