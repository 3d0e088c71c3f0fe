import {
  type GradedSummary,
  gradedSummary,
  type InstrumentQuery,
  type ListedDecision,
  type OutcomeOfRow,
  type OwnSummary,
  ownSummary,
  type RecordFilter,
} from '../../domain/decisions/own/owner-records.ts';
import type { DecisionReader } from '../../domain/decisions/views/decision-reader.ts';
import { readableStatus } from '../../domain/decisions/views/record-fault.ts';
import { venueName } from '../../domain/market/venues.ts';
import { rfc3339 } from '../../domain/time.ts';
import { type SymbolReading, symbolReading } from '../cohorts/cohort-filters.ts';
import { WrittenReply } from '../json-text.ts';
import { type CursorPage, type CursorQuery, cutPage, sealCursor, sealedPlace } from '../page-cursor.ts';
import type { Ports } from '../ports.ts';
import type { SecretValues } from '../sealed-secret.ts';
import { gapsOf } from './price-gaps.ts';
import { refuseEmptyRange, symbolsOf } from './read-track-record.ts';

type Filtered = Omit<RecordFilter, 'symbols' | 'include_archived'>;

/** The parameters of the owner's list (interface.md 4.3); what is absent filters nothing. */
export interface RecordQuery extends InstrumentQuery, CursorQuery, Partial<OrUndefined<Filtered>> {
  /** False by default. */
  readonly include_archived?: boolean | undefined;
}

type OrUndefined<T> = { readonly [Field in keyof T]: NonNullable<T[Field]> | undefined };

/**
 * A page of the owner's records, the newest submission first (interface.md 4.3, settled.md section 12). The pages of
 * one query contain every record that stays within the filter exactly once, and none that is submitted meanwhile.
 * @throws Problem VALIDATION_ERROR for a cursor of another query, an impossible symbol, an empty range of times
 */
export async function listOwnRecords(
  ports: ListPorts & { readonly decisions: DecisionReader },
  owner_id: string,
  query: RecordQuery,
): Promise<CursorPage<GradedSummary & Pick<ListedDecision, 'agent_id' | 'number'>>> {
  const shown = (record: ListedDecision, gap: string | null) => ({
    ...ownSummary(record, gap),
    agent_id: record.agent_id,
    number: record.number,
  });
  const { items, next_cursor } = await pageOf(ports, owner_id, query, shown);
  const outcomes = await outcomesOf(ports.decisions, items);
  return { items: items.map((item) => gradedSummary(item, outcomes.get(item.record_id) ?? NO_OUTCOME)), next_cursor };
}

const NO_OUTCOME: OutcomeOfRow = { z: null, market_move: null, faulty: [] };

/** What rows of lists do not contain of those records that have an outcome. */
async function outcomesOf(
  decisions: DecisionReader,
  items: readonly Pick<OwnSummary, 'record_id' | 'path'>[],
): Promise<ReadonlyMap<string, OutcomeOfRow>> {
  const graded = items.filter(({ path }) => path !== null).map(({ record_id }) => record_id);
  const found = graded.length > 0 ? await decisions.findStatus(graded, null) : [];
  return new Map(
    found.map((status) => {
      const { facts, fault } = readableStatus(status, 'public');
      const market_move = facts && 'market' in facts ? (facts.market?.move ?? null) : null;
      return [status.record_id, { z: facts?.z ?? null, market_move, faulty: fault?.parts ?? [] }];
    }),
  );
}

/** The same for one agent, which knows its owner. */
export async function listAgentRecords(
  ports: ListPorts,
  writer: SummaryWriter,
  owner_id: string,
  query: RecordQuery & { readonly agent_id: string },
): Promise<WrittenReply> {
  const { items, next_cursor } = await pageOf(ports, owner_id, query, writer.write);
  return new WrittenReply(writer.writePage(items, next_cursor));
}

/** Writes the records of an agent's list. */
export interface SummaryWriter {
  /**
   * The text of `ownSummary`, in UTF-8.
   * @throws Error when the summary has not the form of the reply
   */
  write(record: ListedDecision, gap: string | null): Uint8Array;
  writePage(items: readonly Uint8Array[], next_cursor: string | null): Uint8Array;
}

type ListPorts = Pick<Ports, 'ownerRecords' | 'settings' | 'marketData' | 'barFiles' | 'symbols' | 'names' | 'clock'>;

async function pageOf<Item>(
  ports: ListPorts,
  owner_id: string,
  query: RecordQuery,
  shown: (record: ListedDecision, gap: string | null) => Item,
): Promise<CursorPage<Item>> {
  const { sessionSecret } = ports.settings;
  const filter = filterOf(await symbolReading(ports), query);
  const about = ['records', owner_id, filter];
  const sealed = sealedPlace(sessionSecret, about, query.cursor) as readonly [string, string] | null;
  const after = sealed && { submission_time: new Date(sealed[0]), record_id: sealed[1] };
  const list = (most: number) => ports.ownerRecords.list(owner_id, filter, after, most);
  const { rows, last } = await cutPage(list, query.limit);
  const gaps = await gapsOf(ports, rows);
  return {
    items: rows.map((record, index) => shown(record, gaps[index] ?? null)),
    next_cursor: last ? cursorBehind(sessionSecret, about, last) : null,
  };
}

/** The cursor that was sealed before, where the record is still in use and the query is the same. */
function cursorBehind(secret: SecretValues, about: readonly unknown[], last: ListedDecision): string {
  const query = JSON.stringify(about);
  const before = cursors.get(last);
  if (before?.query === query) return before.cursor;
  const cursor = sealCursor(secret, about, [rfc3339(last.submission_time), last.record_id]);
  cursors.set(last, { query, cursor });
  return cursor;
}

const cursors = new WeakMap<ListedDecision, { readonly query: string; readonly cursor: string }>();

function filterOf(reading: SymbolReading, query: RecordQuery): RecordFilter {
  const { submitted_since: since = null, submitted_until: until = null } = query;
  const isEmpty = since !== null && until !== null && since >= until;
  refuseEmptyRange(isEmpty, 'submitted_until', 'must be after submitted_since');
  const { ended_since = null, ended_until = null } = query;
  const isNoSpan = ended_since !== null && ended_until !== null && ended_since >= ended_until;
  refuseEmptyRange(isNoSpan, 'ended_until', 'must be after ended_since');
  return {
    agent_id: query.agent_id ?? null,
    group_id: query.group_id ?? null,
    market: query.market ?? null,
    symbols: symbolsOf(reading, query),
    venue: query.venue === undefined ? null : venueName(query.venue),
    asset_class: query.asset_class ?? null,
    quote_currency: query.quote_currency ?? null,
    direction: query.direction ?? null,
    lifecycle_state: query.lifecycle_state ?? null,
    result_bucket: query.result_bucket ?? null,
    submitted_since: since,
    submitted_until: until,
    evaluated_since: query.evaluated_since ?? null,
    submission_origin: query.submission_origin ?? null,
    ended_since,
    ended_until,
    include_archived: query.include_archived ?? false,
  };
}
