import { STATUS } from '../../domain/limits.ts';
import { MINUTE, rfc3339, SECOND } from '../../domain/time.ts';
import type { JobStatus } from './job-status.ts';
import type { ProcessStatus } from './process-status.ts';
import type { StatusFigures } from './status-figures.ts';

export const STATUS_PARTS = [
  'disk',
  'processes',
  'jobs',
  'evaluations',
  'sources',
  'database',
  'log',
  'circuits',
  'webhooks',
  'mails',
  'backups',
] as const;

/** Something that is not as it should be. */
export interface StatusProblem {
  readonly part: (typeof STATUS_PARTS)[number];
  /** What is wrong, with its figures. */
  readonly problem: string;
  /** What the operator can do. */
  readonly action: string;
}

/**
 * The problems that the figures show, in the order of `STATUS_PARTS`: the cause before what follows from it.
 * @param watchesPegs whether the service observes the prices of stablecoins
 */
export function statusProblems(figures: StatusFigures, watchesPegs: boolean): readonly StatusProblem[] {
  return [
    ...diskProblems(figures),
    ...processProblems(figures),
    ...figures.jobs.flatMap(jobProblem),
    ...evaluationProblems(figures),
    ...sourceProblems(figures),
    ...databaseProblems(figures),
    ...logProblems(figures),
    ...circuitProblems(figures, watchesPegs),
    ...webhookProblems(figures),
    ...mailProblems(figures),
    ...(figures.backups.last_check_ok === false
      ? [problem('backups', 'The last check of a backup failed.', 'Make another one and check it.')]
      : []),
  ];
}

function problem(part: StatusProblem['part'], text: string, action: string): StatusProblem {
  return { part, problem: text, action };
}

/** Processes of one machine see the same disk, and several of them say the same of the database. */
function diskProblems({ processes }: StatusFigures): readonly StatusProblem[] {
  const short = processes.flatMap(({ state, process, disk }) =>
    state === 'reporting' && disk !== null && disk.state !== 'ok' ? [{ process, ...disk }] : [],
  );
  return short.map(({ process, state, free_bytes }) =>
    problem(
      'disk',
      `The disk of the database is ${state === 'low' ? 'nearly full' : 'full'} ` +
        `(${free_bytes === null ? 'PostgreSQL refused a write of' : `${Math.floor(free_bytes / 2 ** 20)} MiB are free, reported by`} ` +
        `${process}): nothing new is stored${state === 'low' ? '' : ', graded or logged'}.`,
      free_bytes === null
        ? 'Free space on the server of the database. Submissions are accepted again within seconds, without a restart.'
        : 'Free space on the disk of DATA_DIR, until a quarter more than DISK_FREE_MB is free. Submissions are accepted again ' +
            'within seconds, without a restart.',
    ),
  );
}

function processProblems({ processes }: StatusFigures): readonly StatusProblem[] {
  const workers = processes.filter(({ runs_jobs }) => runs_jobs);
  const none = workers.some(({ state }) => state === 'reporting')
    ? []
    : [
        problem(
          'processes',
          'No process runs jobs: nothing is verified, graded or sent.',
          'Start a process with ROLE=all or ROLE=worker, or end the one that is stopped and start it again.',
        ),
      ];
  return [...none, ...processes.filter(({ state }) => state === 'silent').map(silentProcess)];
}

function silentProcess({ process, reported_at, runs_jobs }: ProcessStatus): StatusProblem {
  return problem(
    'processes',
    `${process}, which ${runs_jobs ? 'runs jobs' : 'answers requests'}, has not reported since ${second(reported_at)}.`,
    'It was killed, is stopped (SIGSTOP), or does not reach the database: look at its machine and its log, and start it again.',
  );
}

function jobProblem(job: JobStatus): readonly StatusProblem[] {
  const { state, waiting, waiting_since, active_since, running_in, silent, last_started_at, failures } = job;
  const where = running_in === null ? '' : ` in ${running_in}`;
  if (state === 'stuck' && silent > 0)
    return [
      problem(
        'jobs',
        `A run of ${job.job} began at ${second(active_since)}, and its process gives no sign of life.`,
        'Another process takes the run over within a minute: start one with ROLE=all or ROLE=worker if none runs jobs.',
      ),
    ];
  if (state === 'stuck')
    return [
      problem(
        'jobs',
        `${job.job} has been running since ${second(active_since)}${where}.`,
        'Look into the log of that process for what it waits for, and start it again.',
      ),
    ];
  if (state === 'late' && waiting_since !== null)
    return [
      problem(
        'jobs',
        `${waiting} requests for ${job.job} wait since ${second(waiting_since)}.`,
        'No process takes them: start one that runs jobs, or start the one that is stopped again.',
      ),
    ];
  if (state === 'late')
    return [
      problem(
        'jobs',
        `${job.job} has not run since ${last_started_at === null ? 'its process began' : second(last_started_at)}.`,
        'Its schedule does not run: look into the log of the processes that run jobs, and start one of them again.',
      ),
    ];
  if (state !== 'failing') return [];
  return [
    problem(
      'jobs',
      `The last ${failures} runs of ${job.job} failed, the newest at ${second(job.last_failed_at)}: ${job.last_error}.`,
      `The log of the processes that run jobs has the error (queue ${job.job}). It is tried again each minute.`,
    ),
  ];
}

function evaluationProblems({ backlog }: StatusFigures): readonly StatusProblem[] {
  const { due, lag_seconds, of_unknown_methods } = backlog;
  return [
    ...(lag_seconds * SECOND > STATUS.lag
      ? [
          problem(
            'evaluations',
            `${due} evaluations are due, the oldest for ${Math.floor((lag_seconds * SECOND) / MINUTE)} min.`,
            'Look at the processes, at the job evaluate-due and at the sources: one of them is stopped, stuck or paused.',
          ),
        ]
      : []),
    ...(of_unknown_methods > 0
      ? [
          problem(
            'evaluations',
            `${of_unknown_methods} due decisions have a method that this version does not know.`,
            'Run a newer release.',
          ),
        ]
      : []),
  ];
}

function sourceProblems({ sources }: StatusFigures): readonly StatusProblem[] {
  const failing = sources.filter(({ state, failures }) => state === 'paused' || failures >= STATUS.failures);
  return failing.map(({ source, process, state, serves, failures, last_error }) =>
    problem(
      'sources',
      `${source} (${serves}) is ${state} in ${process} after ${failures} failures: ${last_error}.`,
      'It is asked again by itself. If that lasts: npm run admin -- probe-sources shows whether this machine and its keys ' +
        'reach it; MARKET_DATA_... names another source.',
    ),
  );
}

function databaseProblems({ processes, replica }: StatusFigures): readonly StatusProblem[] {
  const waiting = processes.filter(
    ({ state, connections }) => state === 'reporting' && (connections?.waiting ?? 0) > 0,
  );
  const lag = replica?.lag_bytes ?? null;
  return [
    ...waiting.map(({ process, connections }) =>
      problem(
        'database',
        `${connections?.waiting} requests of ${process} wait for a connection to the database.`,
        'If that lasts: find slow statements in pg_stat_activity, or set a larger DATABASE_POOL.',
      ),
    ),
    ...(replica === null || (lag !== null && lag <= STATUS.replicaLag)
      ? []
      : [
          problem(
            'database',
            lag === null ? 'The replica does not answer.' : `The replica is ${lag} bytes of the log behind.`,
            'The primary answers its reads meanwhile. npm run admin -- doctor checks DATABASE_READ_URL.',
          ),
        ]),
  ];
}

function logProblems({ log, processes, witnesses }: StatusFigures): readonly StatusProblem[] {
  const behind =
    log.state === 'behind'
      ? [
          problem(
            'log',
            `A submission or an outcome has waited for its leaf in the evidence log since ${second(log.waiting_since)}.`,
            'Start a process that runs jobs and has LOG_KEY_FILE.',
          ),
        ]
      : [];
  const stopped = processes.filter(({ state, signing }) => state === 'reporting' && signing === 'stopped');
  return [
    ...behind,
    ...stopped.map(({ process }) =>
      problem(
        'log',
        `${process} does not sign the evidence log.`,
        'Its log and npm run admin -- status on its machine say why; log-resume or log-new decides.',
      ),
    ),
    ...witnesses
      .filter(({ refused }) => refused)
      .map(({ witness }) =>
        problem(
          'log',
          `The witness ${witness} knows another tree than this one, or a larger one.`,
          'Was the database restored or copied? Restore the newest one, or run log-new.',
        ),
      ),
  ];
}

function circuitProblems({ circuits }: StatusFigures, watchesPegs: boolean): readonly StatusProblem[] {
  return circuits.flatMap(({ coin, state, stale }) => [
    ...(state === 'normal'
      ? []
      : [
          problem(
            'circuits',
            `The circuit of ${coin} is ${state}.`,
            state === 'warming'
              ? 'Resolve it if the coin is sound again.'
              : 'See docs/circuits.md for what to look at.',
          ),
        ]),
    ...(stale && watchesPegs
      ? [
          problem(
            'circuits',
            `There is no fresh price of ${coin}.`,
            'Look at the sources peg-... and at the job observe-pegs; trip the circuit by hand if the coin does not hold.',
          ),
        ]
      : []),
  ]);
}

function webhookProblems({ webhooks }: StatusFigures): readonly StatusProblem[] {
  const { due, lag_seconds } = webhooks;
  if (lag_seconds * SECOND <= STATUS.lag) return [];
  return [
    problem(
      'webhooks',
      `${due} deliveries to webhooks are due, the oldest for ${Math.floor((lag_seconds * SECOND) / MINUTE)} min.`,
      'Look at the processes and at the job deliver-webhooks.',
    ),
  ];
}

function mailProblems({ mails, now }: StatusFigures): readonly StatusProblem[] {
  const { failed, failed_since, failure } = mails;
  if (failed_since === null || now.getTime() - failed_since.getTime() <= STATUS.lag) return [];
  return [
    problem(
      'mails',
      `The mail server has not taken ${failed} mails, the first since ${second(failed_since)}; most often: ${failure}.`,
      'They are sent again until they expire. npm run admin -- doctor asks the server of SMTP_URL.',
    ),
  ];
}

function second(at: Date | null): string {
  return at === null ? 'an unknown time' : `${rfc3339(at).slice(0, 19)}Z`;
}
