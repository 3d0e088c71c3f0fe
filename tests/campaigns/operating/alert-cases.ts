/** When an alert fires, and that it does not a little below its bound, as series of promtool with a value each minute. */
export interface AlertCase {
  readonly alert: string;
  /** Beyond `severity`. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly fires: Series;
  /** Minutes after the start at which it fires. */
  readonly at: number;
  readonly quiet: Series;
}

export type Series = Readonly<Record<string, string>>;

const ON_A = { instance: 'a:3000' };

/** A figure that is above its bound all the time, or at it. */
function above(alert: string, series: string, bound: number, at: number, labels?: AlertCase['labels']): AlertCase {
  return {
    alert,
    ...(labels && { labels }),
    fires: { [series]: `${bound + 1}x80` },
    at,
    quiet: { [series]: `${bound}x80` },
  };
}

/** A state that holds all the time, or does not. */
function inState(alert: string, series: string, at: number, labels?: AlertCase['labels']): AlertCase {
  return { ...above(alert, series, 0, at, labels), fires: { [series]: '1x80' } };
}

/** Counters that grow by so many each minute. */
function growing(alert: string, at: number, fires: Counts, quiet: Counts, labels?: AlertCase['labels']): AlertCase {
  return { alert, ...(labels && { labels }), fires: counters(fires), at, quiet: counters(quiet) };
}

type Counts = Readonly<Record<string, number>>;

function counters(counts: Counts): Series {
  return Object.fromEntries(Object.entries(counts).map(([name, step]) => [name, `0+${step}x80`]));
}

const REQUESTS = 'stancebook_http_requests_total';
const ACCEPTED = 'stancebook_submission_duration_seconds_bucket{verdict="accepted"';
const REFUSED = 'stancebook_submission_duration_seconds_bucket{verdict="refused"';
const GRADED = 'stancebook_job_last_success_timestamp_seconds{queue="evaluate-due"}';
const RUNS = 'stancebook_job_runs_total{queue="evaluate-due"';
const MAILS = 'stancebook_mail_attempts_total';
const REPLICA = 'stancebook_replica_reads_total';
const SECURITY = 'stancebook_security_events_total';

export const ALERT_CASES: readonly AlertCase[] = [
  {
    alert: 'StancebookDown',
    labels: { job: 'stancebook', ...ON_A },
    fires: { 'up{job="stancebook",instance="a:3000"}': '0x80' },
    at: 2,
    quiet: { 'up{job="stancebook",instance="a:3000"}': '1x80', 'up{job="another",instance="b:80"}': '0x80' },
  },
  growing('StancebookFaults', 8, { [`${REQUESTS}{status="500"}`]: 1 }, { [`${REQUESTS}{status="400"}`]: 9 }),
  growing(
    'StancebookUnavailable',
    8,
    { [`${REQUESTS}{status="503"}`]: 2, [`${REQUESTS}{status="200"}`]: 98 },
    { [`${REQUESTS}{status="503"}`]: 1, [`${REQUESTS}{status="200"}`]: 199 },
  ),
  {
    alert: 'StancebookDiskFull',
    fires: { 'stancebook_disk_state{state="low"}': '1x80' },
    at: 1,
    quiet: { 'stancebook_disk_state{state="low"}': '0x80', 'stancebook_disk_state{state="ok"}': '1x80' },
  },
  growing(
    'StancebookSubmitSlow',
    22,
    { [`${ACCEPTED},le="1"}`]: 98, [`${ACCEPTED},le="2.5"}`]: 100, [`${ACCEPTED},le="+Inf"}`]: 100 },
    { [`${ACCEPTED},le="1"}`]: 100, [`${ACCEPTED},le="+Inf"}`]: 100, [`${REFUSED},le="+Inf"}`]: 100 },
  ),
  above('StancebookEvaluationBehind', 'stancebook_evaluation_lag_seconds', 900, 1),
  {
    alert: 'StancebookDatabaseUnknown',
    fires: { stancebook_evaluations_due: '-1x80' },
    at: 5,
    quiet: { stancebook_evaluations_due: '0x80' },
  },
  { alert: 'StancebookJobsStill', fires: { [GRADED]: '0x80' }, at: 23, quiet: { [GRADED]: '0+60x80' } },
  {
    alert: 'StancebookJobsStill',
    labels: { queue: 'evaluate-due' },
    fires: { 'stancebook_job_last_success_timestamp_seconds{queue="fold-cohorts"}': '0+60x80' },
    at: 2,
    quiet: { [GRADED]: '0+60x80' },
  },
  growing(
    'StancebookJobsFail',
    15,
    { [`${RUNS},result="failed"}`]: 1 },
    { [`${RUNS},result="done"}`]: 9 },
    {
      queue: 'evaluate-due',
    },
  ),
  above('StancebookWebhooksBehind', 'stancebook_webhook_delivery_lag_seconds', 900, 1),
  {
    alert: 'StancebookWebhooksStop',
    fires: { stancebook_webhooks_stopped: '0x9 8x80' },
    at: 40,
    quiet: { stancebook_webhooks_stopped: '0x9 4x80' },
  },
  above('StancebookMailsBehind', 'stancebook_mail_lag_seconds', 900, 1),
  growing(
    'StancebookMailsFail',
    50,
    { [`${MAILS}{result="refused"}`]: 1, [`${MAILS}{result="accepted"}`]: 0 },
    { [`${MAILS}{result="refused"}`]: 1, [`${MAILS}{result="accepted"}`]: 1 },
  ),
  above('StancebookErasuresLate', 'stancebook_erasure_lag_seconds', 86_400, 10),
  above('StancebookSnapshotLate', 'stancebook_data_snapshot_lag_seconds', 86_400, 60),
  above('StancebookCohortsBehind', 'stancebook_cohort_tail_records', 50_000, 15),
  above('StancebookTracksBehind', 'stancebook_track_tail_changes', 50_000, 15),
  above('StancebookPoolExhausted', 'stancebook_database_connections{state="waiting",instance="a:3000"}', 20, 5, ON_A),
  growing(
    'StancebookStreamsFull',
    5,
    { 'stancebook_event_streams_refused_total{instance="a:3000"}': 1 },
    { 'stancebook_event_streams_refused_total{instance="a:3000"}': 0 },
    ON_A,
  ),
  growing(
    'StancebookReplicaIdle',
    30,
    { [`${REPLICA}{answered_by="primary",reason="behind"}`]: 6, [`${REPLICA}{answered_by="replica",reason=""}`]: 4 },
    {
      [`${REPLICA}{answered_by="primary",reason="behind"}`]: 4,
      [`${REPLICA}{answered_by="primary",reason="unheard"}`]: 90,
      [`${REPLICA}{answered_by="replica",reason=""}`]: 6,
    },
  ),
  above('StancebookSourceFailing', 'stancebook_market_source_failures{source="s",state="failing"}', 4, 30, {
    source: 's',
  }),
  {
    alert: 'StancebookEventLoopLate',
    labels: ON_A,
    fires: { 'nodejs_eventloop_lag_p99_seconds{instance="a:3000"}': '0.6x80' },
    at: 10,
    quiet: { 'nodejs_eventloop_lag_p99_seconds{instance="a:3000"}': '0.5x80' },
  },
  inState('StancebookCircuitTripped', 'stancebook_circuit_state{coin="USDC",state="tripped"}', 1, { coin: 'USDC' }),
  above('StancebookPegUnknown', 'stancebook_peg_observation_age_seconds{coin="USDC"}', 300, 5, { coin: 'USDC' }),
  growing(
    'StancebookLoginsFail',
    15,
    { [`${SECURITY}{kind="login",result="failure"}`]: 10 },
    { [`${SECURITY}{kind="login",result="failure"}`]: 5, [`${SECURITY}{kind="login",result="success"}`]: 99 },
  ),
  growing('StancebookLockouts', 15, { [`${SECURITY}{kind="lockout"}`]: 2 }, { [`${SECURITY}{kind="lockout"}`]: 1 }),
  growing(
    'StancebookAdminRefused',
    15,
    { [`${SECURITY}{kind="admin_call",result="failure"}`]: 2 },
    { [`${SECURITY}{kind="admin_call",result="success"}`]: 9 },
  ),
  inState('StancebookLogStopped', 'stancebook_log_state{state="stopped"}', 5),
  inState('StancebookLogUnguarded', 'stancebook_log_state{state="unguarded"}', 1),
  above('StancebookLogWitnessMissing', 'stancebook_log_witness_age_seconds{witness="w"}', 900, 1, { witness: 'w' }),
  above('StancebookLogBehind', 'stancebook_log_lag_seconds', 300, 2),
  growing(
    'StancebookLogLinesLost',
    5,
    { 'stancebook_forwarded_lines_total{result="dropped"}': 1 },
    { 'stancebook_forwarded_lines_total{result="sent"}': 9 },
    { result: 'dropped' },
  ),
];
