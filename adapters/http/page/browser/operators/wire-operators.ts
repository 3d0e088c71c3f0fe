import type { WireIdentity } from '../kit/wire.ts';

/** What the operators' views read of the replies below `/api/v1/admin`. Times are RFC 3339. */
export interface WireStatus {
  readonly now: string;
  readonly problems: readonly { readonly part: string; readonly problem: string; readonly action: string }[];
  readonly backlog: WireOverdue & { readonly of_unknown_methods: number };
  readonly last_graded_at: string | null;
  readonly failures: {
    readonly rejected: WireFailed;
    readonly data_unavailable: WireFailed & {
      readonly today_by_reason: readonly { readonly reason: string; readonly total: number }[];
    };
  };
  readonly sources: readonly WireSource[];
  readonly processes: readonly WireProcess[];
  readonly jobs: readonly WireJob[];
  readonly webhooks: WireOverdue & { readonly stopped: number };
  readonly mails: { readonly due: number; readonly failed: number; readonly failure: string | null };
  readonly log: {
    readonly state: string;
    readonly origin: string | null;
    readonly size: number;
    readonly signed_at: string | null;
    readonly pending: number;
  };
  readonly witnesses: readonly {
    readonly witness: string;
    readonly cosigned_at: string | null;
    readonly refused: boolean;
  }[];
  readonly replica: { readonly lag_bytes: number | null } | null;
  readonly backups: {
    readonly last_made_at: string | null;
    readonly last_checked_at: string | null;
    readonly last_check_ok: boolean | null;
  };
}

interface WireOverdue {
  readonly due: number;
  readonly oldest_due_at: string | null;
  readonly lag_seconds: number;
}

interface WireFailed {
  readonly total: number;
  readonly today: number;
}

export interface WireSource {
  readonly source: string;
  readonly serves: string;
  readonly process: string;
  readonly state: string;
  readonly failures: number;
  readonly last_error: string | null;
  readonly last_error_at: string | null;
  readonly last_success_at: string | null;
}

export interface WireProcess {
  readonly process: string;
  readonly state: string;
  readonly release: string;
  readonly answers_requests: boolean;
  readonly runs_jobs: boolean;
  readonly reported_at: string;
  readonly connections: { readonly in_use: number; readonly idle: number; readonly waiting: number } | null;
  readonly disk: { readonly state: string; readonly free_bytes: number | null } | null;
}

export interface WireJob {
  readonly job: string;
  readonly state: string;
  readonly waiting: number;
  readonly active: number;
  readonly active_since: string | null;
  readonly last_succeeded_at: string | null;
  readonly last_failed_at: string | null;
  readonly last_error: string | null;
  readonly failures: number;
}

export interface WireCircuit {
  readonly coin: string;
  readonly state: 'normal' | 'warming' | 'tripped';
  readonly since: string | null;
  readonly reason: string | null;
  readonly peg: { readonly price: number; readonly drift_bps: number; readonly observed_at: string } | null;
  readonly recovery: { readonly sub_threshold_since: string | null; readonly warming_at: string } | null;
}

export interface WirePegHistory {
  readonly from: string;
  readonly until: string;
  readonly stretches: readonly WireStretch[];
}

export interface WireStretch {
  readonly from: string;
  readonly low: number;
  readonly high: number;
  readonly last: number;
  readonly drift_bps: number;
}

export interface WireSnapshot {
  readonly at: string;
  readonly from: string;
  readonly to: string;
  readonly cause: string;
  readonly actor: string;
  readonly reason: string | null;
  readonly justification: string | null;
  readonly evidence_urls: readonly string[] | null;
}

export interface WireQuarantined extends Pick<WireIdentity, 'market' | 'symbol' | 'asset_class' | 'quote_currency'> {
  readonly record_id: string;
  readonly owner_id: string;
  readonly venue: string;
  readonly direction: string;
  readonly submission_time: string;
  readonly reason: string | null;
  readonly graded: boolean;
}

export interface WireInstrument {
  readonly instrument: {
    readonly market: string;
    readonly symbol: string;
    readonly venue: string;
    readonly asset_class: string;
    readonly quote_currency: string;
  };
  readonly status: string | null;
  readonly checked_at: string | null;
  readonly retry_at: string | null;
  readonly last_error: string | null;
  readonly refresh: { readonly requested_at: string } | null;
}

export interface WireAccount {
  readonly owner_id: string;
  readonly email: string | null;
  readonly role: 'owner' | 'admin';
  readonly tier: 'free' | 'pro';
  readonly created_at: string;
  readonly suspended_at: string | null;
  readonly agents: number;
  readonly keys: number;
  readonly sessions: number;
  readonly webhooks: number;
  readonly decisions: number;
}

export interface WireAuditEntry {
  readonly seq: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface WireSecurityEvent {
  readonly at: string;
  readonly count: number;
  readonly kind: string;
  readonly result: string;
  readonly owner_id: string | null;
  readonly actor: string | null;
  readonly subject: string | null;
  readonly network: string | null;
  readonly client: string;
}
