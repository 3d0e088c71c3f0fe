import { randomUUID } from 'node:crypto';
import { canMove, type LifecycleState, statesBefore } from '../../../domain/decisions/lifecycle.ts';
import {
  judgeQuarantine,
  type Moderation,
  type QuarantinedPlace,
  type QuarantinedRecords,
  releasedState,
} from '../../../domain/decisions/moderation/moderation.ts';
import {
  type Revived,
  type VerificationStore,
  verificationEndsAt,
  type WaitingRecord,
} from '../../../domain/decisions/moderation/verification.ts';
import { type Instrument, identityOf, instrumentKey } from '../../../domain/market/instrument.ts';
import type { DecisionTables } from './decision-tables.ts';

export function memoryVerification(tables: DecisionTables): VerificationStore {
  return {
    awaitingVerification: async (now, limit) => awaitingVerification(tables, now, limit),
    settleVerification: async (instrument, verdict, reason) =>
      settleVerification(tables, instrument, verdict, reason ?? null),
    awaitingRetry: async (now, limit) => awaitingRetry(tables, now, limit),
    waitingRetroactive: async (instrument, after, limit) => waitingRetroactive(tables, instrument, after ?? '', limit),
    verifyRecords: async (record_ids) => verifyRecords(tables, record_ids),
    endWaits: async (instrument, reason, now) => endWaits(tables, instrument, reason, now),
    revive: async (instrument, now) => revive(tables, instrument, now),
  };
}

function awaitingVerification({ decisions, instruments }: DecisionTables, now: Date, limit: number): Instrument[] {
  const waiting = new Map<string, Instrument>();
  for (const row of decisions.where(({ lifecycle_state }) => canMove(lifecycle_state, 'verify'))) {
    const retry_at = instruments.get(instrumentKey(row))?.retry_at ?? null;
    if (retry_at === null || retry_at <= now) waiting.set(instrumentKey(row), identityOf(row));
  }
  return [...waiting.values()].slice(0, limit);
}

function settleVerification(
  { decisions }: DecisionTables,
  instrument: Instrument,
  verdict: 'verified' | 'rejected',
  last_error: string | null,
): number {
  const key = instrumentKey(instrument);
  const move = verdict === 'verified' ? 'verify' : 'reject';
  const waiting = decisions.where((row) => canMove(row.lifecycle_state, move) && instrumentKey(row) === key);
  for (const row of waiting) {
    const due_at = verdict === 'verified' ? row.settles_at : null;
    decisions.set(row.record_id, { ...row, lifecycle_state: verdict, due_at, last_error });
  }
  return waiting.length;
}

function awaitingRetry({ decisions, instruments }: DecisionTables, now: Date, limit: number): Instrument[] {
  const waiting = new Map<string, Instrument>();
  for (const row of decisions.where(({ submission_origin }) => submission_origin === 'retroactive')) {
    const retry_at = instruments.get(instrumentKey(row))?.retry_at ?? null;
    const isWaiting = canMove(row.lifecycle_state, 'verify') && retry_at !== null && retry_at > now;
    if (isWaiting) waiting.set(instrumentKey(row), identityOf(row));
  }
  return [...waiting.values()].slice(0, limit);
}

function waitingRetroactive(
  { decisions }: DecisionTables,
  instrument: Instrument,
  after: string,
  limit: number,
): WaitingRecord[] {
  const key = instrumentKey(instrument);
  const waiting = decisions.where(
    (row) =>
      instrumentKey(row) === key &&
      canMove(row.lifecycle_state, 'verify') &&
      row.submission_origin === 'retroactive' &&
      row.record_id > after,
  );
  return waiting.toSorted((a, b) => (a.record_id < b.record_id ? -1 : 1)).slice(0, limit);
}

function verifyRecords({ decisions }: DecisionTables, record_ids: readonly string[]): number {
  const waiting = decisions.where(
    (row) => record_ids.includes(row.record_id) && canMove(row.lifecycle_state, 'verify'),
  );
  for (const row of waiting) {
    const { record_id, settles_at: due_at } = row;
    decisions.set(record_id, { ...row, lifecycle_state: 'verified', due_at, last_error: null });
  }
  return waiting.length;
}

function endWaits(
  { decisions, refreshes }: DecisionTables,
  instrument: Instrument,
  last_error: string,
  now: Date,
): number {
  const key = instrumentKey(instrument);
  const requested_at = refreshes.get(key)?.requested_at ?? null;
  const over = decisions.where(
    (row) =>
      canMove(row.lifecycle_state, 'expire') &&
      instrumentKey(row) === key &&
      verificationEndsAt(row, requested_at) <= now,
  );
  for (const row of over) decisions.set(row.record_id, { ...row, lifecycle_state: 'rejected', last_error });
  return over.length;
}

function revive({ decisions }: DecisionTables, instrument: Instrument, now: Date): Revived {
  const key = instrumentKey(instrument);
  const failed = (to: LifecycleState) =>
    decisions.where((row) => statesBefore('refresh', to).includes(row.lifecycle_state) && instrumentKey(row) === key);
  const [rejected, unavailable] = [failed('pending_verify'), failed('evaluating')];
  for (const row of rejected)
    decisions.set(row.record_id, { ...row, lifecycle_state: 'pending_verify', last_error: null });
  for (const row of unavailable) {
    const retried = { eval_token: randomUUID(), due_at: now, attempts: 0, last_error: null };
    decisions.set(row.record_id, { ...row, lifecycle_state: 'evaluating', ...retried });
  }
  return { rejected: rejected.length, data_unavailable: unavailable.length };
}

export function memoryModeration({ decisions }: DecisionTables): Moderation {
  return {
    async quarantine(record_id, quarantine_reason, now) {
      const row = decisions.get(record_id);
      if (!row) return null;
      const verdict = judgeQuarantine(row, now);
      if (verdict === 'quarantined') {
        const ended = { lifecycle_state: 'quarantined', due_at: null, eval_token: null } as const;
        decisions.set(record_id, { ...row, ...ended, quarantine_reason });
      }
      return verdict;
    },

    async release(record_id) {
      const row = decisions.get(record_id);
      if (!row) return null;
      if (!canMove(row.lifecycle_state, 'release')) return { changed: false, lifecycle_state: row.lifecycle_state };
      const graded = row.evaluated_at !== null;
      const lifecycle_state = releasedState(graded);
      const attempts = graded ? row.attempts : 0;
      decisions.set(record_id, { ...row, lifecycle_state, attempts, last_error: null, quarantine_reason: null });
      return { changed: true, lifecycle_state };
    },
  };
}

export function memoryQuarantined({ decisions }: Pick<DecisionTables, 'decisions'>): QuarantinedRecords {
  return {
    async list({ owner_id }, before, limit) {
      const rows = decisions
        .where(
          (row) =>
            row.lifecycle_state === 'quarantined' &&
            (owner_id === undefined || row.owner_id === owner_id) &&
            (before === null || order(row, before) > 0),
        )
        .toSorted(order)
        .slice(0, limit);
      return rows.map((row) => ({
        ...{ record_id: row.record_id, owner_id: row.owner_id, agent_id: row.agent_id },
        ...{ market: row.market, symbol: row.symbol, venue: row.venue, asset_class: row.asset_class },
        ...{ quote_currency: row.quote_currency, direction: row.direction, submission_time: row.submission_time },
        submission_origin: row.submission_origin,
        reason: row.quarantine_reason,
        graded: row.evaluated_at !== null,
      }));
    },
  };
}

/** The one submitted last first. */
function order(a: QuarantinedPlace, b: QuarantinedPlace): number {
  return b.submission_time.getTime() - a.submission_time.getTime() || b.record_id.localeCompare(a.record_id);
}
