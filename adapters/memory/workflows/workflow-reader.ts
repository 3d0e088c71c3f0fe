import { isFurtherHorizon } from '../../../domain/decisions/decision.ts';
import { countsByBucket } from '../../../domain/decisions/ungraded.ts';
import { RESULT_BUCKETS } from '../../../domain/grading/outcome.ts';
import { foldName } from '../../../domain/workflows/workflow.ts';
import type { MarketplaceItem, RecordsOfWorkflow, WorkflowReader } from '../../../domain/workflows/workflow-reader.ts';
import { producersOf, type VerifyingTables } from '../cohorts/cohort-reader.ts';
import type { DecisionRow, StoredPublication } from '../decisions/decision-tables.ts';
import { headOf, pageOf, publicationsOf, type SnapshotTables } from './workflow-store.ts';

/** The tables of workflows, and those by which owners are verified. */
type WorkflowReaderTables = SnapshotTables & VerifyingTables;

export function memoryWorkflowReader(tables: WorkflowReaderTables): WorkflowReader {
  const { workflows, publications } = tables;
  return {
    async marketplace({ tag, search, sort, thresholds, ...page }) {
      const newestFirst = publications.where(isOpen).toReversed();
      const newest = newestFirst.filter((row, place) => newestFirst.findIndex(isOf(row.workflow_id)) === place);
      const shown = newest
        .filter(({ workflow_id }) => workflows.get(workflow_id)?.visibility === 'public')
        .map((row) => itemOf(tables, row, thresholds))
        .filter((item) => tag === null || item.tags.includes(tag))
        .filter((item) => search === null || foldName(item.name).includes(foldName(search)));
      return pageOf(sort === 'newest' ? shown : shown.toSorted(mostUsedFirst), page);
    },

    async usage({ id, owner_id }, producers, ownerProof = 'none') {
      const hashes = [...new Set(publicationsOf(tables, id).map(({ hash }) => hash))];
      const open = hashes.filter((hash) => publications.where((row) => row.hash === hash && isOpen(row)).length > 0);
      const own = recordsNaming(tables, hashes).filter((row) => row.owner_id === owner_id);
      const others = recordsNaming(tables, open).filter((row) => row.owner_id !== owner_id && countsByBucket(row));
      return {
        own: countsOf(own),
        others: { ...countsOf(others), enoughProducers: producersOf(others, tables, ownerProof) >= producers },
        forks: workflows.where(({ forked_from }) => forked_from === id).length,
        snapshots: hashes.length,
      };
    },
  };
}

function isOpen({ visibility }: StoredPublication): boolean {
  return visibility === 'public';
}

function isOf(id: string) {
  return ({ workflow_id }: StoredPublication) => workflow_id === id;
}

function itemOf(
  tables: WorkflowReaderTables,
  { workflow_id, hash, at }: StoredPublication,
  { minSamples, minProducers, ownerProof }: Parameters<WorkflowReader['marketplace']>[0]['thresholds'],
): MarketplaceItem {
  const hashes = publicationsOf(tables, workflow_id)
    .filter(isOpen)
    .map((row) => row.hash);
  const records = recordsNaming(tables, hashes).filter(countsByBucket);
  const enough = records.length >= minSamples && producersOf(records, tables, ownerProof) >= minProducers;
  const decision_count = enough ? records.length : null;
  return { id: workflow_id, hash, ...headOf(tables, hash), published_at: at, decision_count };
}

/** Sorting is stable, so that the newest stay first where both are alike. */
function mostUsedFirst(a: MarketplaceItem, b: MarketplaceItem): number {
  return (b.decision_count ?? -1) - (a.decision_count ?? -1);
}

/** A decision group counts once. */
function recordsNaming({ decisions }: SnapshotTables, hashes: readonly string[]): readonly DecisionRow[] {
  return decisions.where(
    (row) => !isFurtherHorizon(row) && row.workflow_hash !== null && hashes.includes(row.workflow_hash),
  );
}

function countsOf(records: readonly DecisionRow[]): RecordsOfWorkflow {
  const evaluated = records.filter(countsByBucket);
  const buckets = RESULT_BUCKETS.map((each) => [
    each,
    evaluated.filter(({ result_bucket }) => result_bucket === each).length,
  ]);
  const last = Math.max(...records.map(({ submission_time }) => submission_time.getTime()));
  return {
    total: records.length,
    evaluated: evaluated.length,
    buckets: Object.fromEntries(buckets) as RecordsOfWorkflow['buckets'],
    last_used_at: records.length === 0 ? null : new Date(last),
  };
}
