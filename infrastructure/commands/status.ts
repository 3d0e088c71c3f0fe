import type { BackupState } from '../../application/operators/backup-state.ts';
import { readStatus } from '../../application/operators/read-status.ts';
import { rfc3339 } from '../../domain/time.ts';
import { settingsOf } from '../compose/compose-ports.ts';
import { marketLines } from '../served-markets.ts';
import { type Command, type CommandContext, UsageError } from './command.ts';
import { logLines, logStatus } from './evidence/log-status.ts';

/** What an operator looks at first; every figure that is not as it should be is a problem and makes the exit code 1. */
export const statusCommand: Command = {
  usage: '',
  summary:
    'show backlog, failures, processes, jobs, sources, circuits, mails, backups and evidence log on one page; exit code 1 while one has a problem',
  json:
    'the members of GET /api/v1/admin/status; markets: [text]; log also has reason, last_seen and noted, and may be stopped; ' +
    'problems: [text]',
  read(args) {
    if (args.length > 0) throw new UsageError('This command takes no arguments.');
    return async (context) => {
      const status = await readHere(context);
      for (const line of statusLines(status)) context.print(line);
      context.report({ ...status });
      return status.problems.length === 0 ? 0 : 1;
    };
  },
};

type Status = Awaited<ReturnType<typeof readHere>>;

/** What the database knows, as `GET /api/v1/admin/status` shows it, and what this machine knows. */
async function readHere({ storage, config }: CommandContext) {
  const replicaLag = storage.replica ? storage.replica.lag : null;
  const { problems, ...status } = await readStatus({ ...storage, replicaLag, settings: settingsOf(config) });
  const log = await logStatus(storage, config, status.log);
  const stopped = log.state === 'stopped' ? [log.reason ?? `The log ${log.origin} is not signed.`] : [];
  // Why it is stopped says more than that a process does not sign it.
  const others = stopped.length === 0 ? problems : problems.filter(({ part }) => part !== 'log');
  return {
    ...status,
    markets: await marketLines(config.marketData),
    log,
    problems: [...others.map(({ problem, action }) => `${problem} ${action}`), ...stopped],
  };
}

function statusLines(status: Status): readonly string[] {
  const { backlog, failures, sources, circuits, markets, mails, backups, log, problems } = status;
  const { rejected, data_unavailable } = failures;
  const oldest = backlog.oldest_due_at === null ? '' : `, the oldest since ${rfc3339(backlog.oldest_due_at)}`;
  const failed = sources.filter(({ state }) => state === 'failing' || state === 'paused').length;
  const reasons = data_unavailable.today_by_reason.map(({ reason, total }) => `${reason} ${total}`).join(', ');
  return [
    `Evaluations due: ${backlog.due}${oldest}`,
    `Rejected: ${rejected.total}, of them submitted today (UTC): ${rejected.today}`,
    `Data unavailable: ${data_unavailable.total}, of them submitted today (UTC): ${data_unavailable.today}` +
      (reasons === '' ? '' : ` (${reasons})`),
    ...processLines(status),
    `Sources that reported in the last minute: ${sources.length}, of them failing or paused: ${failed}`,
    ...markets,
    `Circuits: ${circuits.map(({ coin, state, stale }) => `${coin} ${state}${stale ? ', no fresh price' : ''}`).join('; ')}`,
    `Mails due: ${mails.due}, to be sent again: ${mails.failed}${mails.failure === null ? '' : ` (${mails.failure})`}`,
    `Backups: ${backupText(backups)}`,
    ...logLines(log),
    ...(problems.length === 0 ? ['No problems.'] : ['', ...problems.map((problem) => `Problem: ${problem}`)]),
  ];
}

function processLines({ processes, jobs }: Status): readonly string[] {
  const fresh = processes.filter(({ state }) => state === 'reporting');
  const workers = fresh.filter(({ runs_jobs }) => runs_jobs).length;
  const unwell = jobs.filter(({ state }) => state !== 'idle' && state !== 'running');
  const seen = fresh.flatMap(({ disk }) => (disk === null || disk.free_bytes === null ? [] : [disk.free_bytes]));
  return [
    ...(seen.length === 0 ? [] : [`Free on the disk of the database: ${(Math.min(...seen) / 1e9).toFixed(1)} GB`]),
    `Processes that reported in the last minute: ${fresh.length}, of them running jobs: ${workers}`,
    `Jobs: ${jobs.length}, ${unwell.length === 0 ? 'none stuck, late or failing' : unwell.map(({ job, state }) => `${job} ${state}`).join(', ')}`,
  ];
}

function backupText({ last_made_at, last_checked_at, last_check_ok }: BackupState): string {
  const at = (time: Date) => `${rfc3339(time).slice(0, 19)}Z`;
  const made = last_made_at === null ? 'none made by the command line' : `last made ${at(last_made_at)}`;
  if (last_checked_at === null) return `${made}; never checked`;
  return `${made}; last check ${at(last_checked_at)} ${last_check_ok ? 'found no fault' : 'failed'}`;
}
