import { randomBytes } from 'node:crypto';
import { isExpired } from '../../../domain/accounts/keys/api-key.ts';
import { isFurtherHorizon } from '../../../domain/decisions/decision.ts';
import {
  type DecisionDraft,
  type DecisionIntake,
  expiredCounts,
  type Preview,
  type Verdict,
} from '../../../domain/decisions/submission/decision-intake.ts';
import { isKeyInForce, type Receipt, repetitionOf } from '../../../domain/decisions/submission/receipt.ts';
import { recordId } from '../../../domain/identifiers.ts';
import {
  countedHour,
  judgeSubmitLimits,
  type LimitedSubmission,
  limitRefusals,
  retroactiveDay,
  type SubmitCounts,
  submitHour,
} from '../../../domain/quotas/submit-limits.ts';
import { utcDate } from '../../../domain/time.ts';
import { keptKey, limitsNow } from '../quotas/quota-tables.ts';
import { decisionRow, type StoredContext, submissionContext } from './decision-row.ts';
import type { DecisionRow, DecisionTables } from './decision-tables.ts';

/** Judges first and writes last, so that a refusal has nothing to take back. */
export function memoryIntake(tables: DecisionTables, now: () => Date): DecisionIntake {
  return {
    submit: async (draft, others = []) => submit(tables, [draft, ...others], now()),
    preview: async (draft, others = []) => preview(tables, [draft, ...others], now()),
    recorded: async (agent_id, key) => recordedUnder(tables, agent_id, key, now()),
    prune: async (at) => prune(tables, at),
  };
}

/** A decision, or a decision group with the horizon that leads first. */
type Drafts = readonly [DecisionDraft, ...DecisionDraft[]];

function submit(tables: DecisionTables, drafts: Drafts, received: Date): Verdict {
  const [draft] = drafts;
  const key = tables.keys.where(({ key_prefix }) => key_prefix === draft.key_prefix)[0];
  if (!key || key.revoked_at !== null) return { verdict: 'key_revoked' };
  if (isExpired(key, received)) return { verdict: 'key_expired' };
  if (key.permission_mode !== 'read_write') return { verdict: 'key_read_only' };
  const { idempotency, planned_at } = draft;
  const until = Math.min(...drafts.map(({ plan }) => plan.until));
  const recorded = idempotency && recordedUnder(tables, draft.agent_id, idempotency.key, received);
  const repetition = repetitionOf(idempotency, recorded);
  if (repetition) return repetition;
  const isOld = tables.names.where(({ id }) => id > draft.names).length > 0;
  if (isOld || received < planned_at || received.getTime() >= until)
    return { verdict: 'replan', received_at: received };
  const context = submissionContext(tables, draft, received);
  if (context.refused.length > 0) return { verdict: 'related_refused', refused: context.refused };
  if (draft.refuse_tripped && context.circuit_state === 'tripped') return { verdict: 'circuit_open' };
  return writeWithinLimits(tables, drafts, context, received);
}

function writeWithinLimits(tables: DecisionTables, drafts: Drafts, context: StoredContext, received: Date): Verdict {
  const [draft, ...others] = drafts;
  const record_id = freeRecordId(tables, received);
  const limited = { record_id, ...limitedBy(drafts) };
  const judged = judgeSubmitLimits(submitCounts(tables, draft, received), limited, received);
  if (judged.verdict !== 'admitted') return judged;
  const first = number(tables, draft);
  const row = decisionRow(draft, context, received, { record_id, number: first });
  storeCounts(tables, drafts, received, judged.counts);
  const receipt = write(tables, draft, row);
  if (others.length === 0) return { verdict: 'accepted', receipt };
  const receipts = others.map((other, index) => {
    const place = { record_id: freeRecordId(tables, received), number: first + 1 + index };
    return write(tables, { ...other, idempotency: null }, decisionRow(other, context, received, place));
  });
  return { verdict: 'accepted', receipt, others: receipts };
}

function write(tables: DecisionTables, draft: DecisionDraft, row: DecisionRow): Receipt {
  const { record_id, submission_time: created_at } = row;
  tables.decisions.set(record_id, row);
  if (draft.idempotency) {
    const { key, fingerprint } = draft.idempotency;
    tables.idempotency.set(idempotencyKey(draft.agent_id, key), { fingerprint, record_id, created_at });
  }
  return row.receipt;
}

function freeRecordId({ decisions }: DecisionTables, received: Date): string {
  for (;;) {
    const record_id = recordId(received, randomBytes(4).toString('hex'));
    if (!decisions.get(record_id)) return record_id;
  }
}

function preview(tables: DecisionTables, drafts: Drafts, at: Date): Preview {
  const [draft] = drafts;
  const { circuit_snapshot: _, log: __, ...context } = submissionContext(tables, draft, at);
  const would_wait = limitRefusals(submitCounts(tables, draft, at), limitedBy(drafts), at);
  return { ...context, received_at: at, would_wait };
}

function recordedUnder({ idempotency, decisions }: DecisionTables, agent_id: string, key: string, at: Date) {
  const row = idempotency.get(idempotencyKey(agent_id, key));
  if (!row || !isKeyInForce(row.created_at, at)) return null;
  const decision = decisions.get(row.record_id);
  if (!decision) return null;
  const { fingerprint } = row;
  const { receipt, group_id } = decision;
  if (group_id === null) return { fingerprint, receipt };
  const others = decisions
    .where((each) => each.group_id === group_id && isFurtherHorizon(each))
    .toSorted((a, b) => Number(a.group_place) - Number(b.group_place));
  return { fingerprint, receipt, others: others.map((each) => each.receipt) };
}

function idempotencyKey(agent_id: string, key: string): string {
  return `${agent_id} ${key}`;
}

/** See `DecisionIntake.prune`. */
function prune({ idempotency, cooldowns, retroactiveDays }: DecisionTables, now: Date): number {
  const expired = expiredCounts(now);
  return (
    idempotency.deleteWhere(({ created_at }) => created_at <= expired.idempotency) +
    cooldowns.deleteWhere(({ last_at }) => last_at <= expired.cooldowns) +
    retroactiveDays.deleteWhere(({ window_start }) => window_start <= expired.retroactiveDays)
  );
}

/** What limits a draft that is received at `received`. */
function submitCounts(tables: DecisionTables, draft: DecisionDraft, received: Date): SubmitCounts {
  const { agentSubmissions, retroactiveDays, keptDays } = tables;
  const hour = countedHour(agentSubmissions.get(draft.agent_id), submitHour(received));
  return {
    cooldown: tables.cooldowns.get(cooldownKey(draft)) ?? null,
    hour: hour.hour,
    submitsThisHour: hour.used,
    bytesThisHour: hour.bytes,
    retroactiveToday: retroactiveDays.get(countKey(draft.owner_id, retroactiveDay(received)))?.used ?? 0,
    agentHoursToday: (draft.network && keptDays.get(hoursKey(tables, draft.network, received))?.rows) ?? 0,
  };
}

/** What a draft brings to its limits. */
function limitedBy(drafts: Drafts): LimitedSubmission {
  const [{ plan, limits, network }] = drafts;
  return {
    retroactive: plan.origin === 'retroactive',
    bytes: drafts.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0),
    decisions: drafts.length,
    fromNetwork: network !== null,
    limits,
  };
}

/** That the draft gets when it is accepted. */
function number({ agentSubmissions }: DecisionTables, { agent_id }: DecisionDraft): number {
  return (agentSubmissions.get(agent_id)?.number ?? 0) + 1;
}

function storeCounts(tables: DecisionTables, drafts: Drafts, received: Date, counts: SubmitCounts): void {
  const [draft] = drafts;
  const day = retroactiveDay(received);
  const before = tables.agentSubmissions.get(draft.agent_id);
  tables.agentSubmissions.set(draft.agent_id, {
    ...{ number: number(tables, draft) + drafts.length - 1, salt: before?.salt ?? randomBytes(32).toString('hex') },
    ...{ hour: counts.hour, used: counts.submitsThisHour, bytes: counts.bytesThisHour },
  });
  if (counts.retroactiveToday > 0) {
    tables.retroactiveDays.set(countKey(draft.owner_id, day), { window_start: day, used: counts.retroactiveToday });
  }
  if (draft.network && counts.submitsThisHour === drafts.length) {
    const today = utcDate(limitsNow(tables, received));
    tables.keptDays.set(hoursKey(tables, draft.network, received), {
      rows: counts.agentHoursToday,
      bytes: 0,
      day: today,
    });
  }
  if (counts.cooldown) tables.cooldowns.set(cooldownKey(draft), counts.cooldown);
}

function cooldownKey({ agent_id, instrument: { market, symbol }, direction }: DecisionDraft): string {
  return `${agent_id} ${market} ${symbol} ${direction}`;
}

function hoursKey(tables: DecisionTables, network: Uint8Array, received: Date): string {
  return keptKey(network, 'agent_hour', utcDate(limitsNow(tables, received)));
}

function countKey(holder: string, window_start: Date): string {
  return `${holder} ${window_start.getTime()}`;
}
