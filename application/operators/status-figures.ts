import type { Circuit } from '../../domain/circuits/circuit.ts';
import type { UngradedCounts } from '../../domain/decisions/ungraded.ts';
import type { LogOverview } from '../../domain/log/log-store.ts';
import type { MailBacklog } from '../../domain/mail/mail-store.ts';
import type { ProcessReport } from '../../domain/market/source-health.ts';
import type { BackupState } from './backup-state.ts';
import type { JobStatus } from './job-status.ts';
import type { ProcessStatus } from './process-status.ts';
import type { PolicyWitness } from './witness-status.ts';

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
  readonly jobs: readonly JobStatus[];
  readonly webhooks: Overdue & { readonly stopped: number };
  readonly mails: MailBacklog & { readonly lag_seconds: number };
  readonly log: StoredLogStatus;
  /** Of the operator's policy. */
  readonly witnesses: readonly PolicyWitness[];
  /** null where none is configured; without a number it does not answer. */
  readonly replica: { readonly lag_bytes: number | null } | null;
  readonly backups: BackupState;
}

/** `behind`: a submission or an outcome has waited for its leaf for longer than the 5 minutes that are promised. */
export interface StoredLogStatus extends LogOverview {
  readonly state: 'off' | 'signed' | 'behind';
  readonly origin: string | null;
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
