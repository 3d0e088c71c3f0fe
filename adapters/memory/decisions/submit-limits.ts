import type { Draft, Refused } from '../../../domain/decisions/decision-intake.ts';
import { DAY, HOUR, type Millis, SECOND } from '../../../domain/time.ts';
import type { Table } from '../kit/table.ts';
import type { CooldownRow, CountRow, DecisionTables } from './decision-tables.ts';

/** The first limit that a submission would pass, in the order of settled.md section 4; null when it may be written. */
export function limitPassed(tables: DecisionTables, draft: Draft, received: Date): Refused | null {
  const { submitsPerHour, retroactivePerDay } = draft.limits;
  const { submitHours, retroactiveDays } = tables;
  if (used(submitHours, draft.agent_id, windowOf(received, HOUR)) >= submitsPerHour) {
    return { verdict: 'frequency', retry_after_seconds: secondsLeft(received, HOUR) };
  }
  const cooldown = cooldownOf(tables, draft, received);
  if (cooldown) return { verdict: 'cooldown', ...cooldown };
  const retroactive = draft.plan.origin === 'retroactive';
  if (retroactive && used(retroactiveDays, draft.owner_id, windowOf(received, DAY)) >= retroactivePerDay) {
    return { verdict: 'retroactive_quota', retry_after_seconds: secondsLeft(received, DAY) };
  }
  return null;
}

/** The record that makes the same call and how long it still holds back another. */
export function cooldownOf(
  { cooldowns }: DecisionTables,
  draft: Draft,
  at: Date,
): { readonly record_id: string; readonly retry_after_seconds: number } | null {
  const held: CooldownRow | undefined = cooldowns.get(cooldownKey(draft));
  if (!held) return null;
  const left = held.last_at.getTime() + draft.limits.cooldownSeconds * SECOND - at.getTime();
  if (draft.limits.cooldownSeconds === 0 || left <= 0) return null;
  return { record_id: held.record_id, retry_after_seconds: Math.ceil(left / SECOND) };
}

/** Counts an accepted submission and starts its cooldown. */
export function spendLimits(tables: DecisionTables, draft: Draft, received: Date, record_id: string): void {
  const { submitHours, retroactiveDays, cooldowns } = tables;
  countUp(submitHours, draft.agent_id, windowOf(received, HOUR));
  if (draft.plan.origin === 'retroactive') countUp(retroactiveDays, draft.owner_id, windowOf(received, DAY));
  if (draft.limits.cooldownSeconds > 0) cooldowns.set(cooldownKey(draft), { last_at: received, record_id });
}

function cooldownKey({ agent_id, instrument: { market, symbol }, direction }: Draft): string {
  return `${agent_id} ${market} ${symbol} ${direction}`;
}

function windowOf(at: Date, length: Millis): Date {
  return new Date(Math.floor(at.getTime() / length) * length);
}

function secondsLeft(at: Date, length: Millis): number {
  return Math.ceil((windowOf(at, length).getTime() + length - at.getTime()) / SECOND);
}

function used(counts: Table<string, CountRow>, holder: string, window_start: Date): number {
  return counts.get(countKey(holder, window_start))?.used ?? 0;
}

function countUp(counts: Table<string, CountRow>, holder: string, window_start: Date): void {
  counts.set(countKey(holder, window_start), { window_start, used: used(counts, holder, window_start) + 1 });
}

function countKey(holder: string, window_start: Date): string {
  return `${holder} ${window_start.getTime()}`;
}
