import type { AtlasSurvey, Candidate } from '../../domain/atlas/atlas-survey.ts';
import type { CohortCounts } from '../../domain/cohorts/cohort-reader.ts';
import type { Thresholds } from '../../domain/cohorts/suppression.ts';
import { isPublic } from '../../domain/decisions/lifecycle.ts';
import { identityOf, instrumentKey } from '../../domain/market/instrument.ts';
import { countsOf, inTime, rowOf } from './cohort-reader.ts';
import type { DecisionRow, DecisionTables } from './decision-tables.ts';
import { headOf, type SnapshotTables } from './snapshot-store.ts';

export type AtlasSources = Pick<DecisionTables, 'decisions'> & SnapshotTables;

/** Here every survey counts the records themselves. */
export function atlasSurvey(tables: AtlasSources): AtlasSurvey {
  const publicRows = () => tables.decisions.where(isPublic);
  return {
    records: async () => publicRows().length,

    async tallies(thresholds) {
      const rows = publicRows();
      const open = rows.filter(({ workflow_hash }) => workflow_hash !== null && isOpen(tables, workflow_hash));
      const named = rows.filter(({ perspective_type }) => perspective_type !== null);
      return {
        instruments: tallied(rows, thresholds, instrumentKey, identityOf),
        perspectives: tallied(
          named,
          thresholds,
          (row) => `${row.market} ${row.perspective_type}`,
          (row) => ({ market: row.market, perspective_type: perspectiveOf(row) }),
        ),
        perspectivesOf: tallied(
          named,
          thresholds,
          (row) => `${instrumentKey(row)} ${row.perspective_type}`,
          (row) => ({ instrument: instrumentKey(row), perspective_type: perspectiveOf(row) }),
        ),
        workflows: tallied(
          open,
          thresholds,
          ({ workflow_hash }) => `${workflow_hash}`,
          (row) => workflowOf(tables, row),
        ),
        workflowsOf: tallied(
          open,
          thresholds,
          (row) => `${instrumentKey(row)} ${row.workflow_hash}`,
          (row) => ({ instrument: instrumentKey(row), hash: hashOf(row) }),
        ),
      };
    },

    async counts(instruments, producers) {
      const wanted = publicRows().filter((row) => instruments.includes(instrumentKey(row)));
      const groups = [...Map.groupBy(wanted, instrumentKey)];
      return new Map<string, CohortCounts>(groups.map(([key, rows]) => [key, countsOf(rows, producers)]));
    },

    async months(instruments, thresholds) {
      const wanted = publicRows().filter((row) => instruments.includes(instrumentKey(row)));
      const place = (row: DecisionRow) => ({ instrument: instrumentKey(row), month: monthOf(row) });
      return tallied(wanted, thresholds, (row) => `${instrumentKey(row)} ${monthOf(row).getTime()}`, place);
    },

    async newest({ instruments, workflows }, limit) {
      const newestFirst = publicRows()
        .filter((row) => instruments.includes(instrumentKey(row)))
        .toSorted((a, b) => inTime(b, a));
      const ofInstruments = [...Map.groupBy(newestFirst, instrumentKey).values()];
      const ofWorkflows = workflows.map((hash) => newestFirst.filter((row) => row.workflow_hash === hash));
      return [...ofInstruments, ...ofWorkflows].flatMap((rows) => rows.slice(0, limit).map(candidateOf));
    },
  };
}

/** What the groups that reach the thresholds have in common, and how many records each is of. */
function tallied<T>(
  rows: readonly DecisionRow[],
  { minProducers, minSamples }: Thresholds,
  groupOf: (row: DecisionRow) => string,
  inCommon: (row: DecisionRow) => T,
): (T & { readonly samples: number })[] {
  return [...Map.groupBy(rows, groupOf).values()].flatMap((group) => {
    const [first] = group;
    const producers = new Set(group.map(({ owner_id }) => owner_id)).size;
    if (!first || group.length < minSamples || producers < minProducers) return [];
    return [{ ...inCommon(first), samples: group.length }];
  });
}

function perspectiveOf({ perspective_type }: DecisionRow) {
  if (perspective_type === null) throw new TypeError('Those without a perspective are left out');
  return perspective_type;
}

function isOpen({ publications }: AtlasSources, hash: string): boolean {
  return publications.where((row) => row.hash === hash && row.visibility === 'public').length > 0;
}

function workflowOf(tables: AtlasSources, row: DecisionRow) {
  const hash = hashOf(row);
  return { hash, name: headOf(tables, hash).name };
}

function hashOf({ workflow_hash }: DecisionRow): string {
  if (workflow_hash === null) throw new TypeError('Those without a workflow are left out');
  return workflow_hash;
}

function monthOf({ data_cutoff }: DecisionRow): Date {
  return new Date(Date.UTC(data_cutoff.getUTCFullYear(), data_cutoff.getUTCMonth()));
}

function candidateOf(row: DecisionRow): Candidate {
  return { ...rowOf(row), workflow_hash: row.workflow_hash };
}
