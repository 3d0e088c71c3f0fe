import type { Pool } from '../../../domain/quotas/pools.ts';

/** One request with its reply. Times are milliseconds of this machine's clock, which is the database's too. */
export interface Exchange {
  readonly node: number;
  readonly started: number;
  readonly ended: number;
  /** The key that the request has; null when it has none. */
  readonly key_prefix: string | null;
  readonly address: string;
  readonly owner_id: string | null;
  readonly agent_id: string | null;
  /** The pool that the endpoint spends from. */
  readonly pool: Pool | null;
  readonly record_id: string | null;
  readonly submission: SentSubmission | null;
  readonly status: number;
  /** The error code of a refusal. */
  readonly code: string | null;
  readonly retry_after_seconds: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly replied_record: string | null;
}

export interface SentSubmission {
  readonly symbol: string;
  readonly direction: 'bullish' | 'bearish' | 'neutral';
  readonly idempotency_key: string | null;
}

/** A key and the time at which its revocation was answered. */
export interface Revocation {
  readonly key_prefix: string;
  readonly answered: number;
}

/** One call of endEvaluations, with the records that it returned as ended. */
export interface Finalisation {
  readonly started: number;
  readonly ended: number;
  readonly records: readonly { readonly record_id: string; readonly owner_id: string }[];
}

/** What the database contains after the last reply. */
export interface FinalState {
  readonly pools: readonly {
    readonly owner_id: string;
    readonly day: string;
    readonly pool: Pool;
    readonly record_id: string;
    readonly used: number;
    readonly credit: number;
  }[];
  readonly ledger: readonly { readonly record_id: string; readonly owner_id: string; readonly amount: number }[];
  /** Accepted submissions. Equal calls have the same `call`. */
  readonly records: readonly { readonly record_id: string; readonly agent_id: string; readonly call: string }[];
}

export interface CampaignLimits {
  readonly ratePerSecond: number;
  readonly ratePerMinute: number;
  readonly addressPerMinute: number;
  readonly queryPerDay: number;
  readonly readPerDay: number;
  readonly checkPerDecision: number;
}

/** Everything that a campaign saw. */
export interface History {
  readonly limits: CampaignLimits;
  readonly exchanges: readonly Exchange[];
  readonly revocations: readonly Revocation[];
  readonly finalisations: readonly Finalisation[];
  readonly final: FinalState;
}

/** How a promise was broken, in words. */
export type Violation = string;

/** Whether the request was refused by a full window. */
export function isRateRefusal({ code }: Exchange): boolean {
  return code === 'RATE_LIMIT_EXCEEDED';
}
