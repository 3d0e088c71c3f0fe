import { isFurtherHorizon } from '../../../domain/decisions/decision.ts';
import {
  type ComputedRelation,
  type FoundLink,
  type GraphReader,
  LINK_KINDS,
  type LinkKind,
  type LinkQuery,
} from '../../../domain/decisions/graph/graph.ts';
import { isPublic, isPublicTarget, mayRead } from '../../../domain/decisions/visibility.ts';
import { GRAPH } from '../../../domain/limits.ts';
import { isPublicWorkflow } from './decision-reader.ts';
import type { DecisionRow, DecisionTables } from './decision-tables.ts';
import { listed } from './owner-records.ts';

type Tables = Pick<DecisionTables, 'decisions' | 'publications'>;

export function memoryGraph(tables: Tables): GraphReader {
  return {
    async links(record_ids, wanted) {
      const sources = seenOf(tables, record_ids, wanted.viewer);
      return kindsIn(wanted).flatMap((kind) => sources.flatMap((row) => linksAt(tables, kind, row, wanted)));
    },
    find: async (record_ids, viewer) => seenOf(tables, record_ids, viewer).map(listed),
  };
}

function seenOf({ decisions }: Tables, record_ids: readonly string[], viewer: string | null): DecisionRow[] {
  return record_ids.flatMap((record_id) => decisions.get(record_id) ?? []).filter((row) => mayRead(row, viewer));
}

function kindsIn({ direction }: LinkQuery): readonly LinkKind[] {
  return direction === 'both' ? LINK_KINDS : [direction];
}

function linksAt(tables: Tables, kind: LinkKind, row: DecisionRow, wanted: LinkQuery): FoundLink[] {
  switch (kind) {
    case 'outbound':
      return outbound(tables, row, wanted);
    case 'inbound':
      return inbound(tables, row, wanted);
    default:
      return computed(tables, kind, row);
  }
}

function outbound({ decisions }: Tables, row: DecisionRow, { viewer }: LinkQuery): FoundLink[] {
  const others = new Set(row.related.map(({ record_id }) => record_id));
  return [...others]
    .flatMap((record_id) => decisions.get(record_id) ?? [])
    .toSorted(byTime)
    .reverse()
    .map((target): FoundLink => {
      const relations = shownRelations(row, target, viewer);
      return { found_at: row.record_id, kind: 'outbound', other: target.record_id, relations };
    })
    .filter(({ relations }) => relations.length > 0);
}

function inbound({ decisions }: Tables, row: DecisionRow, { viewer, most }: LinkQuery): FoundLink[] {
  return decisions
    .where((source) => mayRead(source, viewer) && shownRelations(source, row, viewer).length > 0)
    .toSorted(byTime)
    .reverse()
    .slice(0, most)
    .map((source) => ({
      found_at: row.record_id,
      kind: 'inbound',
      other: source.record_id,
      relations: shownRelations(source, row, viewer),
    }));
}

/** What the viewer may see of how one record points to another, in the order of names. */
function shownRelations(source: DecisionRow, target: DecisionRow, viewer: string | null) {
  const relations = new Set(
    source.related.filter(({ record_id }) => record_id === target.record_id).map(({ relation }) => relation),
  );
  if (source.owner_id !== viewer) {
    relations.delete('supersedes');
    if (!isPublicTarget(target, source)) relations.clear();
  } else if (!mayRead(target, viewer)) relations.clear();
  return [...relations].sort();
}

const SHARED = { same_cohort: 'cohort_key', same_workflow: 'workflow_hash' } as const satisfies Record<
  ComputedRelation,
  keyof DecisionRow
>;

function computed(tables: Tables, kind: ComputedRelation, row: DecisionRow): FoundLink[] {
  const shared = row[SHARED[kind]];
  if (!isPublic(row) || isFurtherHorizon(row) || shared === null) return [];
  if (kind === 'same_workflow' && !isPublicWorkflow(tables, shared)) return [];
  const alike = tables.decisions
    .where((other) => isPublic(other) && !isFurtherHorizon(other) && other[SHARED[kind]] === shared)
    .toSorted(byTime);
  const place = alike.findIndex(({ record_id }) => record_id === row.record_id);
  return alike
    .map((other, index) => ({ other, apart: distance(other, row), places: Math.abs(index - place), index }))
    .filter(({ places }) => places > 0)
    .toSorted((a, b) => a.apart - b.apart || a.places - b.places || a.index - b.index)
    .slice(0, GRAPH.computedNeighbours)
    .map(({ other }) => ({ found_at: row.record_id, kind, other: other.record_id, relations: [] }));
}

function distance(a: DecisionRow, b: DecisionRow): number {
  return Math.abs(a.data_cutoff.getTime() - b.data_cutoff.getTime());
}

function byTime(a: DecisionRow, b: DecisionRow): number {
  return a.data_cutoff.getTime() - b.data_cutoff.getTime() || (a.record_id < b.record_id ? -1 : 1);
}
