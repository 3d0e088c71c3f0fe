import { SCHEDULES } from '../../domain/jobs.ts';
import { STATUS } from '../../domain/limits.ts';
import { type JobStatus, latest } from './job-status.ts';
import type { ProcessStatus, StatusFigures } from './status-figures.ts';
import { listed, problem, type StatusProblem, second } from './status-problem.ts';

/** Whether a process runs jobs, or did a moment ago and is being started again. Without one nothing else can go on. */
export function worksOn({ processes, jobs, now }: Pick<StatusFigures, 'processes' | 'jobs' | 'now'>): boolean {
  const workers = processes.filter(({ runs_jobs }) => runs_jobs);
  const signs = [
    ...workers.map(({ reported_at }) => reported_at),
    ...jobs.flatMap(({ last_started_at, last_succeeded_at }) => [last_started_at, last_succeeded_at]),
  ];
  // At the first start of a service that is made of several processes, its workers may come last.
  const first = processes.map(({ started_at }) => started_at).toSorted((a, b) => Number(a) - Number(b))[0] ?? null;
  // Times ahead of now are those of a clock that was set back since.
  const sign = latest(signs.filter((at) => at !== null && at <= now)) ?? first;
  return sign !== null && now.getTime() - sign.getTime() <= STATUS.restart;
}

/** No process that runs jobs, as one problem with those that should; else the processes that do not report. */
export function processProblems(figures: StatusFigures): readonly StatusProblem[] {
  const { processes, now } = figures;
  const isGone = ({ state, reported_at }: ProcessStatus) =>
    state === 'silent' && now.getTime() - reported_at.getTime() > STATUS.restart;
  const silent = processes.filter(isGone);
  const seen = silent.length === 0 ? '' : ` ${silenceOf(silent)}`;
  if (!worksOn(figures))
    return [
      problem(
        'processes',
        `No process runs jobs: nothing is verified, graded or sent.${seen}`,
        'Start a process with ROLE=all or ROLE=worker, or end the one that is stopped and start it again.',
      ),
    ];
  if (silent.length === 0) return [];
  return [
    problem(
      'processes',
      silenceOf(silent),
      'It was killed, is stopped (SIGSTOP), or does not reach the database: look at its machine and its log, and start it again.',
    ),
  ];
}

function silenceOf(silent: readonly ProcessStatus[]): string {
  const [only, ...others] = silent.map(
    ({ process, runs_jobs, reported_at }) =>
      `${process}, which ${runs_jobs ? 'runs jobs' : 'answers requests'}, has not reported since ${second(reported_at)}`,
  );
  return others.length === 0
    ? `${only}.`
    : `${silent.length} processes do not report: ${[only, ...others].join('; ')}.`;
}

/** The jobs that are not well; those with the same trouble are one problem. */
export function jobProblems({ jobs }: Pick<StatusFigures, 'jobs'>): readonly StatusProblem[] {
  const alike = Map.groupBy(jobs, (job) => `${troubleOf(job)} ${job.state === 'failing' ? job.last_error : ''}`);
  return [...alike.values()].flatMap((those) => describeTrouble(those));
}

type Trouble = 'none' | 'silent' | 'long' | 'untaken' | 'unscheduled' | 'failing';

function troubleOf({ state, silent, waiting_since }: JobStatus): Trouble {
  if (state === 'stuck') return silent > 0 ? 'silent' : 'long';
  if (state === 'late') return waiting_since === null ? 'unscheduled' : 'untaken';
  return state === 'failing' ? 'failing' : 'none';
}

function describeTrouble(those: readonly JobStatus[]): readonly StatusProblem[] {
  const [job, ...others] = those;
  const trouble = job === undefined ? 'none' : troubleOf(job);
  if (job === undefined || trouble === 'none') return [];
  const { words, action } = TROUBLES[trouble];
  const text = words(job);
  if (others.length === 0) return [problem('jobs', text, action(job))];
  const also = `${others.length} more: ${listed(others.map((each) => each.job))}.`;
  return [problem('jobs', `${text} The same holds for ${also}`, action(job))];
}

interface TroubleWords {
  readonly words: (job: JobStatus) => string;
  readonly action: (job: JobStatus) => string;
}

const TROUBLES: Readonly<Record<Exclude<Trouble, 'none'>, TroubleWords>> = {
  silent: {
    words: ({ job, active_since }) =>
      `A run of ${job} began at ${second(active_since)}, and its process gives no sign of life.`,
    action: () =>
      'Another process takes the run over within two minutes: if none does, look into the log of the processes that run ' +
      'jobs, and start one of them again.',
  },
  long: {
    words: ({ job, active_since, running_in }) =>
      `${job} has been running since ${second(active_since)}${running_in === null ? '' : ` in ${running_in}`}.`,
    action: () => 'Look into the log of that process for what it waits for, and start it again.',
  },
  untaken: {
    words: ({ job, waiting, waiting_since }) => `${waiting} requests for ${job} wait since ${second(waiting_since)}.`,
    action: () => 'No process takes them: start one that runs jobs, or start the one that is stopped again.',
  },
  unscheduled: {
    words: ({ job, last_started_at }) =>
      `${job} has not run since ${last_started_at === null ? 'its process began' : second(last_started_at)}.`,
    action: () =>
      'Its schedule does not run: look into the log of the processes that run jobs, and start one of them again.',
  },
  failing: {
    words: ({ job, failures, last_failed_at, last_error }) =>
      `The last ${failures} runs of ${job} failed, the newest at ${second(last_failed_at)}: ${last_error}.`,
    action: ({ job }) =>
      `The log of the processes that run jobs has the error (queue ${job}). It is tried again each ${SCHEDULES[job].every}.`,
  },
};
