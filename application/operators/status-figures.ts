import type { BackupFailure, BackupObstacle } from '../../domain/backup.ts';
import type { Circuit } from '../../domain/circuits/circuit.ts';
import type { UngradedCounts } from '../../domain/decisions/ungraded.ts';
import { SOURCE_REPORTS } from '../../domain/limits.ts';
import type { LogOverview } from '../../domain/log/log-store.ts';
import type { LogPolicy } from '../../domain/log/notes/policy.ts';
import { timestampKeyId } from '../../domain/log/timestamps/timestamp.ts';
import type { MailBacklog } from '../../domain/mail/mail.ts';
import type { KnownCalendar } from '../../domain/market/calendars/by-venue.ts';
import type { ProcessReport } from '../../domain/market/source-health.ts';
import type { KnownFaults, PROCESS_STATES, ReportedState } from '../../domain/service-processes.ts';
import type { Storage } from '../ports.ts';
import { sha256 } from '../sha256.ts';
import type { JobStatus } from './job-status.ts';

/** What a database knows of all processes, in figures. */
export interface StatusFigures {
  readonly now: Date;
  readonly backlog: Overdue & { readonly of_unknown_methods: number };
  /** When a decision of the first day was submitted; null before it. */
  readonly first_submitted_at: Date | null;
  readonly last_graded_at: Date | null;
  readonly failures: UngradedToday;
  /** Those that a process has reported on within the last minute. */
  readonly sources: readonly ProcessReport[];
  readonly circuits: readonly {
    readonly coin: Circuit['coin'];
    readonly state: Circuit['state'];
    readonly stale: boolean;
    /** When its price was known last; null: never. */
    readonly observed_at: Date | null;
  }[];
  readonly processes: readonly ProcessStatus[];
  readonly faulty_records: KnownFaults;
  readonly jobs: readonly JobStatus[];
  readonly webhooks: Overdue & { readonly stopped: number };
  readonly mails: MailBacklog & { readonly lag_seconds: number };
  readonly log: StoredLogStatus;
  /** Of the operator's policy. */
  readonly witnesses: readonly PolicyWitness[];
  readonly timestamp_authorities: readonly AuthorityStatus[];
  /** null where none is configured; without a number it does not answer. */
  readonly replica: { readonly lag_bytes: number | null } | null;
  readonly backups: BackupState;
  /** Those of venues with decisions on stocks. */
  readonly calendars: readonly KnownCalendar[];
}

/** `behind`: a submission or an outcome has waited for its leaf for longer than the 5 minutes that are promised. */
export interface StoredLogStatus extends LogOverview {
  readonly state: 'off' | 'signed' | 'behind';
  readonly origin: string | null;
  /** Decisions of the last 24 hours that were signed later than the 5 minutes that are promised. */
  readonly late_today: number;
}

/** What should have been done, and is not. */
interface Overdue {
  readonly due: number;
  readonly oldest_due_at: Date | null;
  readonly lag_seconds: number;
}

/** `today`: those that were submitted today (UTC). */
interface UngradedToday {
  readonly rejected: UngradedOfDay;
  readonly data_unavailable: UngradedOfDay & { readonly today_by_reason: UngradedCounts['data_unavailable'] };
}

interface UngradedOfDay {
  readonly total: number;
  readonly today: number;
}

/** What a witness of the operator's policy last said of the newest log. */
interface PolicyWitness {
  /** As the policy names it. */
  readonly witness: string;
  /** null: it has cosigned nothing. */
  readonly cosigned_at: Date | null;
  /** The leaves that it cosigned last. */
  readonly size: number;
  /** Whether it has said since that it knows another tree than ours, or a larger one. */
  readonly refused: boolean;
}

/** Every witness of the policy; none without a policy. */
export async function witnessStatus(
  { log, signatures }: Pick<Storage, 'log' | 'signatures'>,
  policy: LogPolicy | null,
): Promise<readonly PolicyWitness[]> {
  if (policy === null) return [];
  const newest = await log.newest();
  const reports = newest === null ? [] : await signatures.reports(newest.log);
  return policy.witnesses.map(({ name, key }) => {
    const report = reports.find((each) => each.name === key.name && each.id === key.id);
    const { cosigned_at = null, size = 0, refused = false } = report ?? {};
    return { witness: name, cosigned_at, size, refused };
  });
}

/** What a time-stamp authority last gave, and what became of the last request to it. */
interface AuthorityStatus {
  /** Its host. */
  readonly authority: string;
  /** When its last timestamp came; null: it has given none. */
  readonly stamped_at: Date | null;
  /** The leaves of the checkpoint that it stamped last. */
  readonly size: number;
  /** Why the last request to it failed, and when; null where it did not, or no process reports on it. */
  readonly failure: string | null;
  readonly failed_at: Date | null;
}

/**
 * Every authority that is configured here, or that a process asks.
 * @param reports of the processes, on authorities alone
 */
export async function authorityStatus(
  { log, signatures }: Pick<Storage, 'log' | 'signatures'>,
  configured: readonly string[],
  reports: readonly ProcessReport[],
): Promise<readonly AuthorityStatus[]> {
  const newest = await log.newest();
  const given = newest === null ? [] : await signatures.reports(newest.log);
  return [...new Set([...configured, ...reports.map(({ source }) => source)])].map((authority) => {
    const token = given.find(({ name, id }) => name === authority && id === timestampKeyId(name, sha256));
    const { cosigned_at: stamped_at = null, size = 0 } = token ?? {};
    const last = lastAsked(reports.filter(({ source }) => source === authority));
    const { last_error = null, last_error_at = null } = last?.state === 'failing' ? last : {};
    return { authority, stamped_at, size, failure: last_error, failed_at: last_error_at };
  });
}

/** Several workers may ask: what the last of them met counts. */
function lastAsked(reports: readonly ProcessReport[]): ProcessReport | undefined {
  const timeOf = ({ last_error_at, last_success_at }: ProcessReport) =>
    Math.max(last_error_at?.getTime() ?? 0, last_success_at?.getTime() ?? 0);
  return reports.toSorted((a, b) => timeOf(a) - timeOf(b)).at(-1);
}

export interface ProcessStatus extends ReportedState {
  readonly state: (typeof PROCESS_STATES)[number];
}

/** The processes that have not ended in order, the youngest first. */
export function processStatus(all: readonly ReportedState[], now: Date): readonly ProcessStatus[] {
  return all.map((each) => {
    if (now.getTime() - each.reported_at.getTime() <= SOURCE_REPORTS.fresh) return { ...each, state: 'reporting' };
    const replaces = (other: ReportedState) =>
      other.started_at > each.reported_at &&
      other.runs_jobs === each.runs_jobs &&
      other.answers_requests === each.answers_requests;
    return { ...each, state: all.some(replaces) ? 'replaced' : 'silent' };
  });
}

/** When backups were last made and checked; null: never, as far as this database knows. */
export interface BackupState {
  readonly last_made_at: Date | null;
  readonly last_checked_at: Date | null;
  /** Whether the last check found no fault. */
  readonly last_check_ok: boolean | null;
  /** Since when one is made that an operator requested over HTTP. */
  readonly running_since: Date | null;
  /** When the last of those failed that did. */
  readonly last_failed_at: Date | null;
  readonly last_failure: BackupFailure | null;
  /** What keeps this process from making one. */
  readonly obstacle: BackupObstacle | null;
}
