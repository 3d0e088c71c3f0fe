import type { Circuit } from '../../domain/circuits/circuit.ts';
import { isStale } from '../../domain/circuits/observe.ts';
import type { Failures } from '../../domain/decisions/evaluation-store.ts';
import type { ProcessReport } from '../../domain/market/source-health.ts';
import { DAY, MINUTE, rfc3339, SECOND } from '../../domain/time.ts';
import { REPORT_AGE } from '../background/source-reports.ts';
import { type BackupState, backupState } from '../backup/backup-log.ts';
import { marketLines } from '../served-markets.ts';
import { type Command, type CommandContext, UsageError } from './command.ts';
import { logLines, logProblems, logStatus } from './log-status.ts';

/** What an operator looks at first; every figure that is not as it should be is a problem and makes the exit code 1. */
export const statusCommand: Command = {
  usage: '',
  summary:
    'show backlog, failures, sources, circuits, backups and evidence log on one page; exit code 1 while one has a problem',
  json:
    '{ now, backlog: { due, oldest_due_at, lag_seconds, of_unknown_methods }, failures: { rejected, data_unavailable: { total, today } }, ' +
    'sources: [{ source, process, state, failures, last_error, last_error_at }], circuits: [{ coin, state, stale }], ' +
    'markets: [text], backups: { last_made_at, last_checked_at, last_check_ok }, log: { state, origin, size, signed_at, pending, ' +
    'waiting_since, reason, last_seen, noted }, problems: [text] }',
  read(args) {
    if (args.length > 0) throw new UsageError('This command takes no arguments.');
    return async (context) => {
      const status = await readStatus(context);
      for (const line of statusLines(status)) context.print(line);
      context.report({ ...status });
      return status.problems.length === 0 ? 0 : 1;
    };
  },
};

/** Evaluations that wait longer than this are a problem, as for the alert StancebookEvaluationBehind. */
const LONGEST_LAG_SECONDS = (15 * MINUTE) / SECOND;

type Figures = Awaited<ReturnType<typeof readFigures>>;
type Status = Figures & { readonly problems: readonly string[] };

async function readStatus(context: CommandContext): Promise<Status> {
  const figures = await readFigures(context);
  return { ...figures, problems: problemsOf(figures, context.config.marketData.pegs !== null) };
}

async function readFigures({ storage, config }: CommandContext) {
  const now = await storage.clock.now();
  const midnight = new Date(Math.floor(now.getTime() / DAY) * DAY);
  const { due, since, of_unknown_methods } = await storage.evaluations.backlog(now);
  const lag_seconds = since === null ? 0 : Math.floor((now.getTime() - since.getTime()) / SECOND);
  const reports = await storage.sourceHealth.reportsSince(new Date(now.getTime() - REPORT_AGE));
  const circuits = await storage.circuits.all();
  return {
    now,
    backlog: { due, oldest_due_at: since, lag_seconds, of_unknown_methods },
    failures: failuresOf(await storage.evaluations.failures(midnight)),
    sources: reports.map(sourceOf),
    circuits: circuits.map((circuit) => circuitOf(circuit, now)),
    markets: await marketLines(config.marketData),
    backups: await backupState(storage.audit),
    log: await logStatus(storage, config, now),
  };
}

function failuresOf({ rejected, data_unavailable }: Failures) {
  return {
    rejected: { total: rejected.total, today: rejected.recent },
    data_unavailable: { total: data_unavailable.total, today: data_unavailable.recent },
  };
}

function sourceOf({ source, process, state, failures, last_error, last_error_at }: ProcessReport) {
  return { source, process, state, failures, last_error, last_error_at };
}

function circuitOf(circuit: Circuit, now: Date) {
  return { coin: circuit.coin, state: circuit.state, stale: isStale(circuit, now) };
}

function problemsOf({ backlog, sources, circuits, backups, log }: Figures, monitored: boolean): readonly string[] {
  const { due, lag_seconds, of_unknown_methods } = backlog;
  const paused = sources.filter(({ state }) => state === 'paused');
  const changed = circuits.filter(({ state }) => state !== 'normal');
  const stale = monitored ? circuits.filter((circuit) => circuit.stale) : [];
  return [
    ...(lag_seconds > LONGEST_LAG_SECONDS
      ? [`${due} evaluations are due, the oldest for ${Math.floor(lag_seconds / 60)} min: is a process running jobs?`]
      : []),
    ...(of_unknown_methods > 0
      ? [`${of_unknown_methods} due decisions have a method that this version does not know: run a newer one.`]
      : []),
    ...paused.map(({ source, process, last_error }) => `${source} is paused in ${process}: ${last_error}.`),
    ...changed.map(({ coin, state }) => `The circuit of ${coin} is ${state}.`),
    ...stale.map(({ coin }) => `There is no fresh price of ${coin}.`),
    ...(backups.last_check_ok === false ? ['The last check of a backup failed: make another and check it.'] : []),
    ...logProblems(log),
  ];
}

function statusLines({
  backlog,
  failures,
  sources,
  circuits,
  markets,
  backups,
  log,
  problems,
}: Status): readonly string[] {
  const { rejected, data_unavailable } = failures;
  const oldest = backlog.oldest_due_at === null ? '' : `, the oldest since ${rfc3339(backlog.oldest_due_at)}`;
  const failed = sources.filter(({ state }) => state === 'failing' || state === 'paused').length;
  return [
    `Evaluations due: ${backlog.due}${oldest}`,
    `Rejected: ${rejected.total}, of them submitted today (UTC): ${rejected.today}`,
    `Data unavailable: ${data_unavailable.total}, of them submitted today (UTC): ${data_unavailable.today}`,
    `Sources that reported in the last minute: ${sources.length}, of them failing or paused: ${failed}`,
    ...markets,
    `Circuits: ${circuits.map(({ coin, state, stale }) => `${coin} ${state}${stale ? ', no fresh price' : ''}`).join('; ')}`,
    `Backups: ${backupText(backups)}`,
    ...logLines(log),
    ...(problems.length === 0 ? ['No problems.'] : ['', ...problems.map((problem) => `Problem: ${problem}`)]),
  ];
}

function backupText({ last_made_at, last_checked_at, last_check_ok }: BackupState): string {
  const at = (time: Date) => `${rfc3339(time).slice(0, 19)}Z`;
  const made = last_made_at === null ? 'none made by the command line' : `last made ${at(last_made_at)}`;
  if (last_checked_at === null) return `${made}; never checked`;
  return `${made}; last check ${at(last_checked_at)} ${last_check_ok ? 'found no fault' : 'failed'}`;
}
