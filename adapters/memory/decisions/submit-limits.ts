import type { DecisionDraft } from '../../../domain/decisions/submission/decision-intake.ts';
import { retroactiveDay } from '../../../domain/quotas/retroactive-quota.ts';
import { submitHour } from '../../../domain/quotas/submit-frequency.ts';
import type { SubmitCounts } from '../../../domain/quotas/submit-limits.ts';
import type { DecisionTables } from './decision-tables.ts';

/** What limits a draft that is received at `received`. */
export function submitCounts(tables: DecisionTables, draft: DecisionDraft, received: Date): SubmitCounts {
  const { submitHours, retroactiveDays } = tables;
  return {
    cooldown: tables.cooldowns.get(cooldownKey(draft)) ?? null,
    submitsThisHour: submitHours.get(countKey(draft.agent_id, submitHour(received)))?.used ?? 0,
    retroactiveToday: retroactiveDays.get(countKey(draft.owner_id, retroactiveDay(received)))?.used ?? 0,
  };
}

export function storeCounts(tables: DecisionTables, draft: DecisionDraft, received: Date, counts: SubmitCounts): void {
  const [hour, day] = [submitHour(received), retroactiveDay(received)];
  tables.submitHours.set(countKey(draft.agent_id, hour), { window_start: hour, used: counts.submitsThisHour });
  if (counts.retroactiveToday > 0) {
    tables.retroactiveDays.set(countKey(draft.owner_id, day), { window_start: day, used: counts.retroactiveToday });
  }
  if (counts.cooldown) tables.cooldowns.set(cooldownKey(draft), counts.cooldown);
}

function cooldownKey({ agent_id, instrument: { market, symbol }, direction }: DecisionDraft): string {
  return `${agent_id} ${market} ${symbol} ${direction}`;
}

function countKey(holder: string, window_start: Date): string {
  return `${holder} ${window_start.getTime()}`;
}
