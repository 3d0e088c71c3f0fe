import { randomUUID } from 'node:crypto';
import type { CircuitSnapshot } from '../../../domain/circuits/circuit.ts';
import { isPublic } from '../../../domain/decisions/visibility.ts';
import { type EventData, eventOfChange, type FeedEvent } from '../../../domain/events/event.ts';
import type { EventStore } from '../../../domain/events/event-store.ts';
import { EVENTS } from '../../../domain/limits.ts';
import type { DecisionRow } from '../decisions/decision-tables.ts';
import type { Table } from '../kit/table.ts';
import type { CreditRow } from '../quotas/quota-tables.ts';

/** `owner_id` is null for what concerns everybody. */
interface FeedRow {
  readonly number: number;
  readonly owner_id: string | null;
  readonly agent_id: string | null;
  readonly event: FeedEvent;
}

export interface FeedTables {
  /** By number. */
  readonly feedEvents: Table<string, FeedRow>;
}

/** Writes the events of changes, whichever store makes them. */
export function noteFeedEvents(feedEvents: FeedTables['feedEvents'], now: () => Date) {
  let last = 0;
  const add = (of: Pick<DecisionRow, 'owner_id' | 'agent_id'> | null, data: EventData) => {
    const number = ++last;
    const event = { id: randomUUID(), at: now(), ...data };
    feedEvents.set(String(number), { number, owner_id: of?.owner_id ?? null, agent_id: of?.agent_id ?? null, event });
  };
  return {
    ofDecision(record_id: string, row: DecisionRow, before: DecisionRow | undefined): void {
      const type = before ? eventOfChange(before, row) : null;
      if (type === null) return;
      const { agent_id, lifecycle_state } = row;
      const result_bucket = isPublic(row) ? row.result_bucket : null;
      add(row, { type, data: { record_id, agent_id, lifecycle_state, result_bucket } });
    },
    ofCredit({ record_id, amount, day }: CreditRow, row: Pick<DecisionRow, 'owner_id' | 'agent_id'>): void {
      add(row, { type: 'quota.credited', data: { record_id, agent_id: row.agent_id, amount, day } });
    },
    ofCircuit({ coin, from, to }: CircuitSnapshot): void {
      if (from !== to) add(null, { type: 'circuit.changed', data: { coin, from, to } });
    },
  };
}

export function memoryEvents({ feedEvents }: FeedTables, now: () => Date): EventStore {
  return {
    async page({ owner_id, agent_id }, after, limit) {
      const rows = feedEvents.where(() => true);
      const own = rows.filter(
        (row) =>
          row.number > Number(after ?? 0) &&
          (row.owner_id === null || row.owner_id === owner_id) &&
          (row.agent_id === null || agent_id === undefined || row.agent_id === agent_id),
      );
      const events = own.slice(0, limit).map(({ number, event }) => ({ event, place: String(number) }));
      const next = own.length > limit ? events.at(-1)?.place : rows.at(-1)?.number;
      return { events, next: String(next ?? after ?? 0) };
    },

    async prune() {
      const before = new Date(now().getTime() - EVENTS.stored);
      return feedEvents.deleteWhere(({ event }) => event.at <= before);
    },
  };
}
