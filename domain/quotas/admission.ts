import type { Identity } from '../accounts/identity.ts';
import type { Caller } from '../caller.ts';
import type { Pool, PoolCount } from './pools.ts';
import type { RateLimits, RateState } from './rate-window.ts';

/** What a credential proves by itself, before the storage is asked whom that stands for. */
export type Proof =
  | { readonly credential: 'api_key'; readonly key_hash: Uint8Array }
  | { readonly credential: 'legacy_session'; readonly session_hash: Uint8Array }
  | { readonly credential: 'owner_bearer'; readonly identity: Identity };

export interface AdmissionRequest {
  readonly proof: Proof | null;
  /** The windows of whoever is proven: those of the key, or of the owner for bearer and session. */
  readonly callerLimits: RateLimits;
  /** What is counted where nobody is proven: a client's network, within a class of requests. */
  readonly address: string;
  readonly addressPerMinute: number;
  readonly spend: Spend | null;
}

/** The pool that a request belongs to. */
export interface Spend {
  readonly pool: Pool;
  /** Of the pool `check`: each decision has one of its own. */
  readonly record_id: string | null;
  /** What the pool holds without credit. */
  readonly base: number;
  /** 0 takes nothing, and only tells how the pool stands. */
  readonly units: 0 | 1;
}

/** A unit that was taken: from which pool of whom, and on which day. */
export interface Spent {
  readonly owner_id: string;
  readonly pool: Pool;
  readonly record_id: string | null;
  /** UTC date. */
  readonly day: string;
}

export type Admission =
  /** Counted and, where a unit was asked for, spent. Without a proven caller the address was counted. */
  | (LimitCounts & { readonly verdict: 'admitted'; readonly spent: Spent | null })
  /** A window is full; nothing was counted, no pool was looked at. */
  | (LimitCounts & { readonly verdict: 'rate' })
  /** Counted in the windows; the pool is empty. */
  | (LimitCounts & { readonly verdict: 'quota' })
  /** An identity that no owner has; nothing was counted. */
  | { readonly verdict: 'stranger' };

interface LimitCounts {
  /** null: the proof stands for nobody (unknown, revoked, over), or there is none. */
  readonly caller: Caller | null;
  readonly rate: RateState;
  /** Of the pool that was asked for, where there is a caller. */
  readonly quota: QuotaUse | null;
  /** The database's clock at the end of the judgement. */
  readonly at: Date;
}

/** A pool on the UTC day on which it was looked at. */
export interface QuotaUse extends PoolCount {
  /** UTC date. */
  readonly day: string;
}

/** The one way in: credential, rate windows and pool, judged together (interface.md section 8, settled.md section 7). */
export interface AdmissionDesk {
  /**
   * Judges one request, exactly for any number of callers and processes: no window lets in more than its limit, no pool
   * gives more units than `base + credit`, and nobody is refused for what was not counted. Windows are fixed calendar
   * windows of the database's clock; one that is set back opens no earlier window and no forgotten day.
   *
   * A caller has the mode, role and tier of this moment and is never remembered: what was revoked, destroyed or over
   * (`isOver`, by the database's clock) before the call is nobody. The use of a session is noted, at most once a minute;
   * that changes sessions that are there and never makes one, whatever was in flight. A refusal by rate may be remembered
   * until that window ends.
   */
  admit(request: AdmissionRequest): Promise<Admission>;

  /** Gives a unit back, to the day it was taken from; how that pool stands today. */
  giveBack(spent: Spent): Promise<QuotaUse & { readonly at: Date }>;

  /**
   * Deletes the windows that are older than `WINDOWS.keep` and the days that are older than `WINDOWS.keepDays`, by the
   * clock of the call before; none of them ever opens again. Returns how many.
   */
  prune(): Promise<number>;
}
