import type { Unexplained } from '../../domain/decisions/evaluation-store.ts';
import type { Job } from '../../domain/jobs.ts';
import { LOG, STATUS } from '../../domain/limits.ts';
import type { NameProblem } from '../../domain/market/name-book.ts';
import { MINUTE, SECOND } from '../../domain/time.ts';
import type { RefusedName } from '../market/names.ts';
import type { Settings } from '../ports.ts';
import { circuitProblems, sourceProblems } from './price-problems.ts';
import type { StatusFigures } from './status-figures.ts';
import { listed, problem, type StatusProblem, second } from './status-problem.ts';
import { jobProblems, processProblems, worksOn } from './work-problems.ts';

/**
 * The problems that the figures show, each once, in the order of `STATUS_PARTS`. What follows from a problem that is named is
 * left out: without a process that runs jobs everything is late. What passes by itself is none before its allowance (`STATUS`).
 */
export function statusProblems(
  figures: StatusFigures,
  { watchesPegs, expectsBackups }: Pick<Settings, 'watchesPegs' | 'expectsBackups'>,
  unexplained: readonly Unexplained[] = [],
  names: NamesInDoubt = { doubted: [], refused: [] },
): readonly StatusProblem[] {
  const isAtWork = worksOn(figures);
  const works: Works = (job) => isAtWork && isWell(figures, job);
  return [
    ...diskProblems(figures),
    ...processProblems(figures),
    ...(isAtWork ? jobProblems(figures) : []),
    ...evaluationProblems(figures, works),
    ...priceProblems(unexplained),
    ...nameProblems(names.doubted),
    ...refusedNames(names.refused),
    ...recordProblems(figures),
    ...sourceProblems(figures),
    ...databaseProblems(figures),
    ...logProblems(figures, works),
    ...circuitProblems(figures, watchesPegs && works('observe-pegs')),
    ...webhookProblems(figures, works),
    ...mailProblems(figures, works),
    ...backupProblems(figures, expectsBackups),
    ...calendarProblems(figures),
  ];
}

interface NamesInDoubt {
  readonly doubted: readonly NameProblem[];
  readonly refused: readonly RefusedName[];
}

/** Whether no problem with a job explains what it has not done. */
type Works = (job: Job) => boolean;

function isWell({ jobs }: StatusFigures, job: Job): boolean {
  return jobs.some((each) => each.job === job && (each.state === 'idle' || each.state === 'running'));
}

/** Of all processes at once: those of one machine see the same disk, and all of them the same database. */
function diskProblems({ processes }: StatusFigures): readonly StatusProblem[] {
  const short = processes.flatMap(({ state, process, disk }) =>
    state === 'reporting' && disk !== null && disk.state !== 'ok' ? [{ process, ...disk }] : [],
  );
  if (short.length === 0) return [];
  const isLow = short.every(({ state }) => state === 'low');
  const seen = short.flatMap(({ free_bytes }) => (free_bytes === null ? [] : [free_bytes]));
  const reporters = listed(short.map(({ process }) => process));
  return [
    problem(
      'disk',
      `The disk of the database is ${isLow ? 'nearly full' : 'full'} ` +
        `(${seen.length === 0 ? 'PostgreSQL refused a write of' : `${Math.floor(Math.min(...seen) / 2 ** 20)} MiB are free, reported by`} ` +
        `${reporters}): nothing new is stored${isLow ? '' : ', graded or logged'}.`,
      seen.length === 0
        ? 'Free space on the server of the database. Submissions are accepted again within seconds, without a restart.'
        : 'Free space on the disk of DATA_DIR, until a quarter more than DISK_FREE_MB is free. Submissions are accepted again ' +
            'within seconds, without a restart.',
    ),
  ];
}

function evaluationProblems({ backlog, failures }: StatusFigures, works: Works): readonly StatusProblem[] {
  const { due, lag_seconds, of_unknown_methods } = backlog;
  return [
    ...(lag_seconds * SECOND > STATUS.lag && works('evaluate-due')
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
    ...computationProblems(failures),
  ];
}

/** Each price, leap or action that keeps decisions waiting, by instrument. */
function priceProblems(unexplained: readonly Unexplained[]): readonly StatusProblem[] {
  return unexplained.map(({ instrument, last_error }) => ({
    ...problem(
      'evaluations',
      `Decisions on ${instrument} wait: ${last_error}`,
      'If the price really moved so, add DATE,none to the actions of the instrument (import-bars --actions); if it was a ' +
        'split or a dividend, its row; if a price or an action is wrong, correct it. Then refresh the instrument.',
    ),
    instrument,
  }));
}

/** What the release states about names, and cannot be learned after what is stored. */
function refusedNames(refused: readonly RefusedName[]): readonly StatusProblem[] {
  return refused
    .slice(0, STATUS.unexplained)
    .map(({ statement: { market, name, key, from, source }, faults }) =>
      problem(
        'names',
        `The statement of the release after ${source.name}, that ${market} ${name} is ${key} from ${from}, was not learned: ${faults.join('; ')}.`,
        'Withdraw the wrong statement (npm run admin -- securities withdraw ID) and run npm run admin -- securities import; ' +
          'without that the names go on without it.',
      ),
    );
}

/** Statements about names that apply to nothing, until somebody decides. */
function nameProblems(names: readonly NameProblem[]): readonly StatusProblem[] {
  return names
    .slice(0, STATUS.unexplained)
    .map(({ statement: { id, market, name, key, from, source }, reason, ...each }) => {
      const said = `Statement ${id} of ${source.name}, that ${market} ${name} is ${key} from ${from}, does not apply`;
      if (reason === 'contradicts') {
        return problem(
          'names',
          `${said}: it contradicts ${each.with.map((other) => `statement ${other}`).join(' and ')}.`,
          `Withdraw the wrong one (npm run admin -- securities withdraw ID), or import a statement of your own, which wins.`,
        );
      }
      const why =
        reason === 'waits' ? 'no prices next to it are in the bar store' : 'the prices next to it contradict it';
      return problem(
        'names',
        `${said}: ${why}.`,
        'Import the last bars of the old name and the first of the new one, withdraw the statement and import it again; or ' +
          'import a statement of your own.',
      );
    });
}

/** Prices that give a number that is none are wrong, or their factors are. */
function computationProblems({ data_unavailable }: StatusFigures['failures']): readonly StatusProblem[] {
  const found = data_unavailable.today_by_reason.find(({ reason }) => reason === 'not_computable');
  if (!found) return [];
  return [
    problem(
      'evaluations',
      `The prices of ${found.total} decisions of today gave no number (not_computable).`,
      'The log names the records: correct the prices, splits and dividends of their instruments, then refresh these.',
    ),
  ];
}

/** Of all processes, those of before a restart included. */
function recordProblems({ faulty_records: { total, newest } }: StatusFigures): readonly StatusProblem[] {
  if (total === 0) return [];
  const named = newest.map(({ record_id, parts }) => `${record_id} (${parts.join(', ')})`);
  const rest = total > newest.length ? `, and ${total - newest.length} more` : '';
  return [
    problem(
      'records',
      `${total === 1 ? 'A stored record' : `${total} stored records`} cannot be read in full: ${named.join('; ')}${rest}.`,
      'Views leave out what is unreadable. npm run admin -- check-evidence and recompute show what is wrong; restore ' +
        'what is missing from a backup. This problem ends some minutes after a record can be read again.',
    ),
  ];
}

function databaseProblems({ processes, replica }: StatusFigures): readonly StatusProblem[] {
  const waiting = processes.flatMap(({ process, state, connections }) =>
    state === 'reporting' && connections !== null && connections.waiting > STATUS.waiting
      ? [`${connections.waiting} requests of ${process}`]
      : [],
  );
  const lag = replica?.lag_bytes ?? null;
  return [
    ...(waiting.length === 0
      ? []
      : [
          problem(
            'database',
            `${listed(waiting)} wait for a connection to the database.`,
            'If that lasts: find slow statements in pg_stat_activity, or set a larger DATABASE_POOL.',
          ),
        ]),
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

/** The first that holds: a witness that refuses stops the log, and a log that is stopped is behind. */
function logProblems(figures: StatusFigures, works: Works): readonly StatusProblem[] {
  const { log, jobs, processes, witnesses, now } = figures;
  const refusing = witnesses.filter(({ refused }) => refused).map(({ witness }) => witness);
  if (refusing.length > 0)
    return [
      problem(
        'log',
        `The witness ${listed(refusing)} knows another tree than this one, or a larger one.`,
        'Was the database restored or copied? Restore the newest one, or run log-new.',
      ),
    ];
  // A failed run is tried again within a minute; from the third on the job is a problem.
  const isRetried = jobs.some(({ job, failures }) => job === 'keep-log' && failures > 0);
  const stopped = processes.filter(({ state, signing }) => state === 'reporting' && signing === 'stopped');
  if (stopped.length > 0 && !isRetried)
    return [
      problem(
        'log',
        `${listed(stopped.map(({ process }) => process))} does not sign the evidence log.`,
        'Its log and npm run admin -- status on its machine say why; log-resume or log-new decides.',
      ),
    ];
  const waited = log.waiting_since === null ? 0 : now.getTime() - log.waiting_since.getTime();
  if (waited <= LOG.includedWithin + STATUS.restart || !works('keep-log')) return [];
  return [
    problem(
      'log',
      `A submission or an outcome has waited for its leaf in the evidence log since ${second(log.waiting_since)}.`,
      whatLeafNeeds(figures),
    ),
  ];
}

function whatLeafNeeds({ processes, faulty_records }: StatusFigures): string {
  const signers = processes.filter(({ state, signing }) => state === 'reporting' && signing !== null);
  if (signers.length === 0) return 'Start a process that runs jobs and has LOG_KEY_FILE.';
  if (faulty_records.total > 0)
    return 'Its record may be one that cannot be read in full: it gets its leaf once it can be read again.';
  return `${listed(signers.map(({ process }) => process))} signs the log: look at its lines, and at the job keep-log.`;
}

function webhookProblems({ webhooks }: StatusFigures, works: Works): readonly StatusProblem[] {
  const { due, lag_seconds } = webhooks;
  if (lag_seconds * SECOND <= STATUS.lag || !works('deliver-webhooks')) return [];
  return [
    problem(
      'webhooks',
      `${due} deliveries to webhooks are due, the oldest for ${Math.floor((lag_seconds * SECOND) / MINUTE)} min.`,
      'Look at the processes and at the job deliver-webhooks.',
    ),
  ];
}

function mailProblems({ mails, now }: StatusFigures, works: Works): readonly StatusProblem[] {
  const { due, lag_seconds, failed, failed_since, failure } = mails;
  if (failed_since !== null && now.getTime() - failed_since.getTime() > STATUS.lag)
    return [
      problem(
        'mails',
        `The mail server has not taken ${failed} mails, the first since ${second(failed_since)}; most often: ${failure}.`,
        'They are sent again until they expire. npm run admin -- doctor asks the server of SMTP_URL.',
      ),
    ];
  if (failed > 0 || lag_seconds * SECOND <= STATUS.lag || !works('send-mails')) return [];
  return [
    problem(
      'mails',
      `${due} mails are due, the oldest for ${Math.floor((lag_seconds * SECOND) / MINUTE)} min.`,
      'Give the processes that run jobs SMTP_URL and MAIL_FROM, and look at the job send-mails.',
    ),
  ];
}

function backupProblems(
  { backups, first_submitted_at, now }: StatusFigures,
  expectsBackups: boolean,
): readonly StatusProblem[] {
  const { last_made_at, last_check_ok } = backups;
  if (last_check_ok === false)
    return [problem('backups', 'The last check of a backup failed.', 'Make another one and check it.')];
  const since = last_made_at ?? first_submitted_at;
  const allowed = last_made_at === null ? STATUS.firstBackup : STATUS.nextBackup;
  if (!expectsBackups || since === null || now.getTime() - since.getTime() <= allowed) return [];
  return [
    problem(
      'backups',
      last_made_at === null
        ? `No backup was ever made, and the first decision is of ${second(since)}.`
        : `The last backup was made at ${second(since)}.`,
      'Make one with npm run admin -- backup DIR, each night by cron (docs/backup.md). Where something else makes them, set ' +
        'BACKUP_REMINDER=false.',
    ),
  ];
}

/** Of all calendars at once: most end with a year. */
function calendarProblems({ calendars }: StatusFigures): readonly StatusProblem[] {
  const ending = calendars.filter(({ days_left }) => days_left <= STATUS.calendar);
  if (ending.length === 0) return [];
  const ends = ending.map(({ venues, until }) => `${listed(venues)} after ${until}`);
  return [
    problem(
      'calendars',
      `No session is known of ${ends.join('; ')}.`,
      'Run a newer release. Later every weekday counts as a session there: such decisions have the warning CALENDAR_GENERIC, ' +
        'and a window over a holiday ends too early.',
    ),
  ];
}
