import { randomUUID } from 'node:crypto';
import { isExpiringSoon } from '../../../domain/accounts/keys/api-key.ts';
import type { CircuitSnapshot } from '../../../domain/circuits/circuit.ts';
import { isPublic } from '../../../domain/decisions/visibility.ts';
import { foldedLines, type ReadMark } from '../../../domain/events/digest.ts';
import {
  DIGEST_OF_EVENT,
  type EventData,
  type EventStore,
  eventOfChange,
  type FeedEvent,
} from '../../../domain/events/event.ts';
import { EVENTS } from '../../../domain/limits.ts';
import { rfc3339, utcDate } from '../../../domain/time.ts';
import type { KeyRow, KeyTables } from '../accounts/key-stores.ts';
import type { OwnerTables } from '../accounts/provider-stores.ts';
import type { DecisionRow } from '../decisions/decision-tables.ts';
import { hex, type Table } from '../kit/table.ts';
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
  /** By owner; nothing before the first reading. */
  readonly readMarks: Table<string, ReadMark>;
}

/** Writes the events of changes, whichever store makes them. */
export function noteFeedEvents(feedEvents: FeedTables['feedEvents'], now: () => Date) {
  let last = 0;
  const add = (of: { readonly owner_id: string; readonly agent_id: string | null } | null, data: EventData) => {
    const number = ++last;
    const event = { id: randomUUID(), at: now(), ...data };
    feedEvents.set(String(number), { number, owner_id: of?.owner_id ?? null, agent_id: of?.agent_id ?? null, event });
  };
  return {
    ofDecision(record_id: string, row: DecisionRow, before: DecisionRow | undefined): void {
      const type = eventOfChange(before, row);
      if (type === null) return;
      const { agent_id, lifecycle_state } = row;
      const result_bucket = isPublic(row) ? row.result_bucket : null;
      add(row, { type, data: { record_id, agent_id, lifecycle_state, result_bucket } });
    },
    ofCredit({ record_id, amount, day }: CreditRow, row: Pick<DecisionRow, 'owner_id' | 'agent_id'>): void {
      add(row, { type: 'quota.credited', data: { record_id, agent_id: row.agent_id, amount, day } });
    },
    ofKey({ owner_id, key_prefix, expires_at, expiry_noted }: KeyRow, before: KeyRow | undefined): void {
      if (!expiry_noted || before?.expiry_noted !== false || expires_at === null) return;
      add(
        { owner_id, agent_id: null },
        { type: 'key.expiring', data: { key_prefix, expires_at: rfc3339(expires_at) } },
      );
    },
    ofCircuit({ coin, from, to }: CircuitSnapshot): void {
      if (from !== to) add(null, { type: 'circuit.changed', data: { coin, from, to } });
    },
  };
}

function isSubmission({ event }: FeedRow): boolean {
  return event.type === 'decision.submitted';
}

/** This storage has one history. */
const HISTORY = 'memory';
const placeOf = (number: number) => `${HISTORY} ${number}`;
const numberOf = (place: string) => Number(place.split(' ')[1]);

export function memoryEvents(
  { feedEvents, keys, readMarks, owners }: FeedTables & Pick<KeyTables, 'keys'> & OwnerTables,
  now: () => Date,
): EventStore {
  /** Those after a place that are chosen, and the place up to which they were read. */
  function cut(isChosen: (row: FeedRow) => boolean, after: number, limit: number) {
    const rows = feedEvents.where(() => true);
    const chosen = rows.filter((row) => row.number > after && isChosen(row));
    const events = chosen.slice(0, limit).map((row) => ({ ...row, place: placeOf(row.number) }));
    return { events, next: placeOf((chosen.length > limit ? events : rows).at(-1)?.number ?? after) };
  }
  return {
    async page({ owner_id, agent_id, hasSubmissions = false }, after, limit) {
      const isOwn = (row: FeedRow) =>
        row.owner_id === null ||
        (row.owner_id === owner_id &&
          (agent_id === undefined || row.agent_id === agent_id) &&
          (hasSubmissions || !isSubmission(row)));
      const { events, next } = cut(isOwn, after === null ? 0 : numberOf(after), limit);
      return { events: events.map(({ event, place }) => ({ event, place })), next };
    },

    async news(owner_ids, after, limit, submitters = []) {
      if (!after.startsWith(`${HISTORY} `)) return null;
      const owners = new Set(owner_ids);
      const isTheirs = (row: FeedRow) =>
        row.owner_id === null || (isSubmission(row) ? submitters.includes(row.owner_id) : owners.has(row.owner_id));
      const { events, next } = cut(isTheirs, numberOf(after), limit);
      return {
        events: events.map(({ owner_id, agent_id, event, place }) => ({ owner_id, agent_id, event, place })),
        next,
      };
    },

    async end() {
      return placeOf(feedEvents.where(() => true).at(-1)?.number ?? 0);
    },

    async digest(owner_id, mark, { since, atMost }) {
      const own = feedEvents.where((row) => row.owner_id === owner_id && !isSubmission(row)).toReversed();
      const read = mark?.place.startsWith(`${HISTORY} `) ? numberOf(mark.place) : 0;
      const newest = own.slice(0, atMost).filter(({ event }) => event.at >= since);
      const lines = newest.flatMap(({ number, event: { type, data, at } }) => {
        const kind = DIGEST_OF_EVENT[type];
        const subject = 'record_id' in data ? data.record_id : 'key_prefix' in data ? data.key_prefix : null;
        return kind ? [{ day: utcDate(at), kind, total: 1, unread: number > read ? 1 : 0, at, subject }] : [];
      });
      const end = { place: placeOf(feedEvents.where(() => true).at(-1)?.number ?? 0), at: now() };
      return { lines: foldedLines(lines), end, isCut: own.filter(({ event }) => event.at >= since).length > atMost };
    },

    async noteExpiringKeys(limit) {
      const at = now();
      const soon = keys
        .where(
          ({ revoked_at, expiry_noted, ...key }) => revoked_at === null && !expiry_noted && isExpiringSoon(key, at),
        )
        .toSorted((a, b) => Number(a.expires_at) - Number(b.expires_at))
        .slice(0, limit);
      for (const key of soon) keys.set(hex(key.key_hash), { ...key, expiry_noted: true });
      return soon.map(({ owner_id, key_prefix }) => ({ owner_id, key_prefix }));
    },

    readMark: async (owner_id) => readMarks.get(owner_id) ?? null,

    async setReadMark(owner_id, mark) {
      const stored = readMarks.get(owner_id);
      if (owners.get(owner_id) && !(stored && stored.at > mark.at)) readMarks.set(owner_id, mark);
    },

    async prune() {
      const before = new Date(now().getTime() - EVENTS.stored);
      return feedEvents.deleteWhere(({ event }) => event.at <= before);
    },
  };
}
