import type { DecisionDraft } from '../../../domain/decisions/submission/decision-intake.ts';
import { retroactiveDay } from '../../../domain/quotas/retroactive-quota.ts';
import { submitHour } from '../../../domain/quotas/submit-frequency.ts';
import type { LimitedSubmission, SubmitCounts } from '../../../domain/quotas/submit-limits.ts';
import { utcDate } from '../../../domain/time.ts';
import { keptKey, limitsNow } from '../quotas/quota-tables.ts';
import type { DecisionTables } from './decision-tables.ts';

/** What limits a draft that is received at `received`. */
export function submitCounts(tables: DecisionTables, draft: DecisionDraft, received: Date): SubmitCounts {
  const { submitHours, retroactiveDays, keptDays } = tables;
  const hour = submitHours.get(countKey(draft.agent_id, submitHour(received)));
  return {
    cooldown: tables.cooldowns.get(cooldownKey(draft)) ?? null,
    submitsThisHour: hour?.used ?? 0,
    bytesThisHour: hour?.bytes ?? 0,
    retroactiveToday: retroactiveDays.get(countKey(draft.owner_id, retroactiveDay(received)))?.used ?? 0,
    agentHoursToday: (draft.network && keptDays.get(hoursKey(tables, draft.network, received))?.rows) ?? 0,
  };
}

/** What a draft brings to its limits. */
export function limitedBy({ plan, limits, body, network }: DecisionDraft): LimitedSubmission {
  return {
    retroactive: plan.origin === 'retroactive',
    bytes: Buffer.byteLength(body),
    fromNetwork: network !== null,
    limits,
  };
}

export function storeCounts(tables: DecisionTables, draft: DecisionDraft, received: Date, counts: SubmitCounts): void {
  const [hour, day] = [submitHour(received), retroactiveDay(received)];
  tables.submitHours.set(countKey(draft.agent_id, hour), {
    window_start: hour,
    used: counts.submitsThisHour,
    bytes: counts.bytesThisHour,
  });
  if (counts.retroactiveToday > 0) {
    tables.retroactiveDays.set(countKey(draft.owner_id, day), { window_start: day, used: counts.retroactiveToday });
  }
  if (draft.network && counts.submitsThisHour === 1) {
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
