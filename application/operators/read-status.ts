import type { Circuit } from '../../domain/circuits/circuit.ts';
import { isStale } from '../../domain/circuits/observe.ts';
import type { Backlog, Failures } from '../../domain/decisions/evaluation-store.ts';
import { LOG, RECORD_FAULTS, SOURCE_REPORTS, STATUS } from '../../domain/limits.ts';
import type { LogOverview } from '../../domain/log/log-store.ts';
import { SERVES_TIMESTAMPS } from '../../domain/log/timestamps/timestamp.ts';
import type { MailBacklog } from '../../domain/mail/mail.ts';
import { knownCalendars } from '../../domain/market/calendars/by-venue.ts';
import type { InstrumentList } from '../../domain/market/instrument-store.ts';
import type { ProcessReport } from '../../domain/market/source-health.ts';
import { DAY, SECOND, windowStart } from '../../domain/time.ts';
import type { DeliveryBacklog } from '../../domain/webhooks/delivery-store.ts';
import { newestNames, refusedShippedNames } from '../market/names.ts';
import type { Ports, Settings, Storage } from '../ports.ts';
import { jobStatus } from './job-status.ts';
import { backupState } from './request-backup.ts';
import {
  authorityStatus,
  processStatus,
  type StatusFigures,
  type StoredLogStatus,
  witnessStatus,
} from './status-figures.ts';
import type { StatusProblem } from './status-problem.ts';
import { statusProblems } from './status-problems.ts';

/** What operators look at first: what waits, what fails, and what to do. Every figure is of the database, so of all processes. */
export interface ServiceStatus extends StatusFigures {
  readonly problems: readonly StatusProblem[];
}

export type StatusPorts = Pick<
  Storage,
  | 'clock'
  | 'evaluations'
  | 'sourceHealth'
  | 'circuits'
  | 'processes'
  | 'jobQueues'
  | 'deliveries'
  | 'mails'
  | 'log'
  | 'signatures'
  | 'names'
  | 'audit'
  | 'instrumentList'
> &
  Pick<Ports, 'replicaLag' | 'backupMaker'> & {
    readonly settings: Pick<Settings, 'logPolicy' | 'timestampAuthorities' | 'watchesPegs' | 'expectsBackups'>;
  };

/** The figures, and the problems that they show, the most pressing first. */
export async function readStatus(ports: StatusPorts): Promise<ServiceStatus> {
  const figures = await statusFigures(ports);
  const unexplained = await ports.evaluations.unexplained(STATUS.unexplained);
  const book = await newestNames(ports.names);
  const names = { doubted: book.problems, refused: refusedShippedNames(book) };
  return { ...figures, problems: statusProblems(figures, ports.settings, unexplained, names) };
}

async function statusFigures(ports: StatusPorts): Promise<StatusFigures> {
  const { clock, evaluations, sourceHealth, circuits, processes, jobQueues, deliveries, mails, audit, instrumentList } =
    ports;
  const now = await clock.now();
  const fresh = new Date(now.getTime() - SOURCE_REPORTS.fresh);
  const reported = processStatus(await processes.all(), now);
  const asked = await sourceHealth.reportsSince(fresh);
  const isAuthority = ({ serves }: ProcessReport) => serves === SERVES_TIMESTAMPS;
  const workers = reported.filter(({ runs_jobs, state }) => runs_jobs && state === 'reporting');
  return {
    now,
    backlog: backlogOf(await evaluations.backlog(now), now),
    first_submitted_at: await evaluations.firstSubmitted(),
    last_graded_at: await evaluations.lastGraded(),
    failures: failuresOf(await evaluations.failures(windowStart(now, DAY))),
    sources: asked.filter((each) => !isAuthority(each)),
    circuits: (await circuits.all()).map((circuit) => circuitOf(circuit, now)),
    processes: reported,
    faulty_records: await processes.faulty(RECORD_FAULTS.named),
    jobs: jobStatus(await jobQueues.states(), await processes.runs(), workers, now),
    webhooks: webhooksOf(await deliveries.backlog(), now),
    mails: mailsOf(await mails.backlog(), now),
    log: await storedLogStatus(ports, now),
    witnesses: await witnessStatus(ports, ports.settings.logPolicy),
    timestamp_authorities: await authorityStatus(ports, ports.settings.timestampAuthorities, asked.filter(isAuthority)),
    replica: ports.replicaLag && { lag_bytes: await ports.replicaLag() },
    backups: await backupState(audit, await ports.backupMaker.obstacle(), reported),
    calendars: await calendarsInUse(instrumentList, now),
  };
}

/** A calendar of a venue without decisions asks nothing of an operator. */
async function calendarsInUse(instruments: InstrumentList, now: Date) {
  const used = new Set(await instruments.stockVenues());
  return knownCalendars(now.getTime()).flatMap((calendar) => {
    const venues = calendar.venues.filter((venue) => used.has(venue));
    return venues.length === 0 ? [] : [{ ...calendar, venues }];
  });
}

function backlogOf({ due, since, of_unknown_methods }: Backlog, now: Date) {
  return { due, oldest_due_at: since, lag_seconds: secondsSince(since, now), of_unknown_methods };
}

function webhooksOf({ due, since, stopped }: DeliveryBacklog, now: Date) {
  return { due, oldest_due_at: since, lag_seconds: secondsSince(since, now), stopped };
}

function mailsOf(backlog: MailBacklog, now: Date) {
  return { ...backlog, lag_seconds: secondsSince(backlog.since, now) };
}

function secondsSince(at: Date | null, now: Date): number {
  return at === null ? 0 : Math.max(0, Math.floor((now.getTime() - at.getTime()) / SECOND));
}

function failuresOf({ rejected, data_unavailable, recent_reasons }: Failures) {
  return {
    rejected: { total: rejected.total, today: rejected.recent },
    data_unavailable: {
      total: data_unavailable.total,
      today: data_unavailable.recent,
      today_by_reason: recent_reasons,
    },
  };
}

function circuitOf(circuit: Circuit, now: Date) {
  const observed_at = circuit.peg?.observed_at ?? null;
  return { coin: circuit.coin, state: circuit.state, stale: isStale(circuit, now), observed_at };
}

const NO_LOG: LogOverview = { size: 0, signed_at: null, pending: 0, waiting_since: null };

/** The newest evidence log, as far as the database knows. */
async function storedLogStatus({ log }: Pick<Storage, 'log'>, now: Date): Promise<StoredLogStatus> {
  const newest = await log.newest();
  if (newest === null) return { state: 'off', origin: null, late_today: 0, ...NO_LOG };
  const overview = await log.overview(newest.log, now);
  const { waiting_since } = overview;
  const late_today = await log.lateDecisions(newest.log, new Date(now.getTime() - DAY));
  const isBehind = waiting_since !== null && now.getTime() - waiting_since.getTime() > LOG.includedWithin;
  return { state: isBehind ? 'behind' : 'signed', origin: newest.origin, late_today, ...overview };
}
