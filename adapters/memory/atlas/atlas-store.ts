import type { AtlasState, AtlasStore, AtlasView, Built } from '../../../domain/atlas/atlas-store.ts';
import {
  type AtlasSurvey,
  type ByScope,
  byScope,
  type Candidate,
  isWithin,
  type Scope,
  type Tallies,
} from '../../../domain/atlas/atlas-survey.ts';
import type { Seed } from '../../../domain/atlas/seeds.ts';
import { countedAs } from '../../../domain/cohorts/counted-as.ts';
import type { CohortRules } from '../../../domain/cohorts/suppression.ts';
import { isFurtherHorizon } from '../../../domain/decisions/decision.ts';
import { isPublic } from '../../../domain/decisions/visibility.ts';
import { identityOf, instrumentKey } from '../../../domain/market/instrument.ts';
import { inTime, partOf, producersOf, rowOf, type VerifyingTables } from '../cohorts/cohort-reader.ts';
import type { DecisionRow, DecisionTables } from '../decisions/decision-tables.ts';
import type { Table } from '../kit/table.ts';
import { headOf, type SnapshotTables } from '../workflows/workflow-store.ts';

export interface AtlasTables {
  /** One row at most. */
  readonly atlas: Table<string, AtlasRow>;
}

interface AtlasRow extends Built<AtlasState> {
  readonly views: ByScope<KeptView>;
}

interface KeptView extends AtlasView {
  /** `departures`: the graded records of the instrument that were under quarantine. */
  readonly seeds: readonly (Seed & { readonly departures: string })[];
}

export function memoryAtlas(tables: AtlasTables & AtlasSources, now: () => Date): AtlasStore {
  const { atlas, decisions } = tables;
  const survey = atlasSurvey(tables);
  const departures = (scope: Scope, { query }: Pick<Seed, 'query'>) =>
    decisions
      .where(
        (row) =>
          isWithin(scope, row) &&
          row.lifecycle_state === 'quarantined' &&
          row.evaluated_at !== null &&
          instrumentKey(row) === instrumentKey(query),
      )
      .map(({ record_id }) => record_id)
      .toSorted()
      .join(' ');
  const isShown = (scope: Scope, seed: KeptView['seeds'][number]) => {
    const row = decisions.get(seed.record.record_id);
    return row !== undefined && isPublic(row) && departures(scope, seed) === seed.departures;
  };
  return {
    async state() {
      const row = atlas.get('atlas');
      if (!row) return { built: null, records: await survey.records() };
      const { views: _, ...built } = row;
      return { built, records: await survey.records() };
    },

    async expire() {
      const row = atlas.get('atlas');
      if (row) atlas.set('atlas', { ...row, expired: true });
    },

    async build(work) {
      const generated_at = now();
      const { views, ...rest } = await work(survey);
      const keptViews = byScope((scope) => {
        const { network, seeds } = views[scope];
        return { network, seeds: seeds.map((seed) => ({ ...seed, departures: departures(scope, seed) })) };
      });
      atlas.set('atlas', { ...rest, generated_at, expired: false, views: keptViews });
      return true;
    },

    async network(scope) {
      const row = atlas.get('atlas');
      return row ? { generated_at: row.generated_at, ...row.views[scope].network } : null;
    },

    async seeds({ scope, node, limit }) {
      const row = atlas.get('atlas');
      if (!row) return null;
      const matching = row.views[scope].seeds.filter(
        (seed) => (node === null || seed.nodes.includes(node)) && isShown(scope, seed),
      );
      return {
        generated_at: row.generated_at,
        items: matching.slice(0, limit).map(({ departures: _, ...seed }) => seed),
      };
    },
  };
}

type AtlasSources = Pick<DecisionTables, 'decisions'> & VerifyingTables & SnapshotTables;

/** Here every survey counts the records themselves. */
function atlasSurvey(tables: AtlasSources): AtlasSurvey {
  const publicRows = (scope: Scope = 'all') =>
    tables.decisions.where((row) => {
      const submission_origin = countedAs(row);
      const isCounted = isPublic(row) && !isFurtherHorizon(row);
      return isCounted && submission_origin !== null && isWithin(scope, { submission_origin });
    });
  return {
    records: async () => publicRows().length,

    tallies: async (thresholds) => byScope((scope) => talliesOf(tables, publicRows(scope), thresholds)),

    async cohorts(instruments) {
      const wanted = publicRows().filter((row) => instruments.includes(instrumentKey(row)));
      return new Map([...Map.groupBy(wanted, instrumentKey)].map(([key, rows]) => [key, rows.map(partOf)]));
    },

    async months(instruments, thresholds) {
      const place = (row: DecisionRow) => ({ instrument: instrumentKey(row), month: monthOf(row) });
      return byScope((scope) => {
        const wanted = publicRows(scope).filter((row) => instruments.includes(instrumentKey(row)));
        return tallied(tables, wanted, thresholds, (row) => `${instrumentKey(row)} ${monthOf(row).getTime()}`, place);
      });
    },

    async newest({ scope, instruments, workflows }, limit) {
      const newestFirst = publicRows(scope)
        .filter((row) => instruments.includes(instrumentKey(row)))
        .toSorted((a, b) => inTime(b, a));
      const ofInstruments = [...Map.groupBy(newestFirst, instrumentKey).values()];
      const ofWorkflows = workflows.map((hash) => newestFirst.filter((row) => row.workflow_hash === hash));
      return [...ofInstruments, ...ofWorkflows].flatMap((rows) => rows.slice(0, limit).map(candidateOf));
    },
  };
}

function talliesOf(tables: AtlasSources, rows: readonly DecisionRow[], thresholds: CohortRules): Tallies {
  const open = rows.filter(({ workflow_hash }) => workflow_hash !== null && isOpen(tables, workflow_hash));
  const named = rows.filter(({ perspective_type }) => perspective_type !== null);
  return {
    instruments: tallied(tables, rows, thresholds, instrumentKey, identityOf),
    perspectives: tallied(
      tables,
      named,
      thresholds,
      (row) => `${row.market} ${row.perspective_type}`,
      (row) => ({ market: row.market, perspective_type: perspectiveOf(row) }),
    ),
    perspectivesOf: tallied(
      tables,
      named,
      thresholds,
      (row) => `${instrumentKey(row)} ${row.perspective_type}`,
      (row) => ({ instrument: instrumentKey(row), perspective_type: perspectiveOf(row) }),
    ),
    workflows: tallied(
      tables,
      open,
      thresholds,
      ({ workflow_hash }) => `${workflow_hash}`,
      (row) => workflowOf(tables, row),
    ),
    workflowsOf: tallied(
      tables,
      open,
      thresholds,
      (row) => `${instrumentKey(row)} ${row.workflow_hash}`,
      (row) => ({ instrument: instrumentKey(row), hash: hashOf(row) }),
    ),
  };
}

/** What the groups that reach the thresholds have in common, and how many records each is of. */
function tallied<T>(
  tables: AtlasSources,
  rows: readonly DecisionRow[],
  { minProducers, minSamples, ownerProof }: CohortRules,
  groupOf: (row: DecisionRow) => string,
  inCommon: (row: DecisionRow) => T,
): (T & { readonly samples: number })[] {
  return [...Map.groupBy(rows, groupOf).values()].flatMap((group) => {
    const [first] = group;
    const producers = producersOf(group, tables, ownerProof);
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
