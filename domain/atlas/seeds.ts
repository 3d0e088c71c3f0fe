import type { CohortFilter } from '../cohorts/cohort-filter.ts';
import { type AlikeRecords, addUp } from '../cohorts/cohort-reader.ts';
import { NO_RECORD_FACTS, type Overview, overviewOf } from '../cohorts/cohort-views.ts';
import type { CohortRules } from '../cohorts/suppression.ts';
import { type PublicHandle, publicHandle } from '../decisions/views/public-views.ts';
import { ATLAS } from '../limits.ts';
import { type Instrument, identityOf, instrumentKey } from '../market/instrument.ts';
import { type Candidate, isWithin, type Scope } from './atlas-survey.ts';
import { instrumentNode, type Network, perspectiveNode, workflowNode } from './network.ts';

/** A way into the evidence (settled.md section 10): a public record, and the cohort of its instrument. */
export interface Seed {
  readonly record: PublicHandle;
  /** The nodes of the network that it belongs to. */
  readonly nodes: readonly string[];
  /** As a cohort query returns it, without `FurtherCounts`. */
  readonly overview: Overview;
  readonly query: CohortFilter & Instrument;
}

/**
 * Some records of each node. The first ones are spread over markets, regimes and instruments.
 * @param candidates of the scope
 * @param cohorts of each instrument in the network all records, which may be shown because they have enough producers
 */
export function seedsOf(
  { scope, network }: { readonly scope: Scope; readonly network: Network },
  candidates: readonly Candidate[],
  cohorts: ReadonlyMap<string, readonly AlikeRecords[]>,
  thresholds: CohortRules,
): readonly Seed[] {
  const ofNode = new Map<string, Placed[]>(network.nodes.map(({ id }) => [id, []]));
  for (const record of distinct(candidates)) {
    const placed = { record, nodes: nodesOf(record).filter((id) => ofNode.has(id)) };
    for (const id of placed.nodes) ofNode.get(id)?.push(placed);
  }
  const picked = new Set([...ofNode.values()].flatMap(pick));
  return spread([...picked]).flatMap(({ record, nodes }) => {
    const cohort = cohorts.get(instrumentKey(record))?.filter((part) => isWithin(scope, part));
    if (!cohort) return [];
    const query: Seed['query'] = { ...identityOf(record), include_retroactive: scope === 'all' };
    const overview = overviewOf(query, addUp(cohort, true), null, thresholds, NO_RECORD_FACTS);
    return [{ record: publicHandle(record), nodes, overview, query }];
  });
}

interface Placed {
  readonly record: Candidate;
  readonly nodes: readonly string[];
}

/** The newest first. */
function distinct(candidates: readonly Candidate[]): Candidate[] {
  const byId = new Map(candidates.map((record) => [record.record_id, record]));
  return [...byId.values()].toSorted(
    (a, b) => Number(b.data_cutoff) - Number(a.data_cutoff) || (a.record_id < b.record_id ? -1 : 1),
  );
}

function nodesOf(record: Candidate): string[] {
  const { perspective_type, workflow_hash } = record;
  return [
    instrumentNode(instrumentKey(record)),
    ...(perspective_type ? [perspectiveNode(perspective_type)] : []),
    ...(workflow_hash ? [workflowNode(workflow_hash)] : []),
  ];
}

/** For one node: one record of each regime, then a second of each. */
function pick(placed: readonly Placed[]): readonly Placed[] {
  return inTurns(placed, ({ record }) => record.created_regime ?? '').slice(0, ATLAS.seedsPerNode);
}

/**
 * One record of each market and regime, then a second of each; within those one of each instrument, then a second of
 * each.
 */
function spread(placed: readonly Placed[]): readonly Placed[] {
  const byInstrument = inTurns(placed, ({ record }) => instrumentKey(record));
  return inTurns(byInstrument, ({ record }) => `${record.market} ${record.created_regime}`);
}

/** All first members of the groups, then all second ones; otherwise the order stays. */
function inTurns<T>(all: readonly T[], groupOf: (each: T) => string): readonly T[] {
  const turns = new Map<string, number>();
  const numbered = all.map((each) => {
    const group = groupOf(each);
    const turn = turns.get(group) ?? 0;
    turns.set(group, turn + 1);
    return { each, turn };
  });
  return numbered.toSorted((a, b) => a.turn - b.turn).map(({ each }) => each);
}
