import type { AtlasEdge, AtlasNode, Network } from '../../../domain/atlas/network.ts';
import type { Thresholds } from '../../../domain/cohorts/suppression.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';
import { isCounted as isInCohorts } from '../cohorts/outcome-parts.ts';

/**
 * The network by the letter of docs/atlas.md, counted group by group; for fewer nodes than any bound.
 * @param isCounted whether an owner counts as a producer
 */
export function naiveNetwork(
  records: readonly Decision[],
  { minProducers, minSamples }: Thresholds,
  include_retroactive: boolean,
  isCounted: (owner_id: string) => boolean = () => true,
): Network {
  const all = records.filter(
    (record) =>
      record.lifecycle_state === 'evaluated' &&
      isInCohorts(record, include_retroactive) &&
      (record.group_place ?? 1) === 1,
  );
  const shown = (rows: readonly Decision[], producers = minProducers, samples = Math.max(5, minSamples)) =>
    rows.length >= samples && new Set(rows.map(({ owner_id }) => owner_id).filter(isCounted)).size >= producers;
  const groups = <K extends string>(rows: readonly Decision[], name: (row: Decision) => K) =>
    [...Map.groupBy(rows, name)].filter(([, of]) => shown(of));

  const nodes: AtlasNode[] = [];
  const edges: AtlasEdge[] = [];
  const instruments = groups(all, idOf);
  const named = all.filter(({ perspective_type }) => perspective_type !== null);
  const open = all.filter(({ workflow_hash, workflow_public }) => workflow_hash !== null && workflow_public);
  for (const [id, rows] of instruments) {
    nodes.push({ id, kind: 'instrument', label: labelOf(rows[0]), count_band: band(rows.length) });
    for (const [from, of] of groups(
      rows.filter((row) => named.includes(row)),
      perspectiveOf,
    )) {
      edges.push({ from, to: id, kind: 'perspective_of', weight_band: band(of.length) });
    }
    for (const [to, of] of groups(
      rows.filter((row) => open.includes(row)),
      workflowOf,
    )) {
      edges.push({ from: id, to, kind: 'uses_workflow', weight_band: band(of.length) });
    }
  }
  for (const [id, rows] of groups(named, perspectiveOf)) {
    nodes.push({ id, kind: 'perspective', label: id.slice('perspective:'.length), count_band: band(rows.length) });
  }
  for (const [id, rows] of groups(open, workflowOf)) {
    nodes.push({ id, kind: 'workflow', label: id, count_band: band(rows.length) });
  }
  // A month counts if a cohort query bounded to it would be answered.
  const [producers, samples] = minProducers === 1 ? [1, Math.max(5, minSamples)] : partOf(minProducers, minSamples);
  const months = instruments.map(([id, rows]) => {
    const shownMonths = [...Map.groupBy(rows, ({ data_cutoff }) => data_cutoff.toISOString().slice(0, 7))].filter(
      ([, of]) => {
        const rest = rows.length - of.length;
        return shown(of, producers, samples) && (minProducers === 1 || rest === 0 || rest >= samples);
      },
    );
    return [id, new Map(shownMonths.map(([month, of]) => [month, of.length]))] as const;
  });
  for (const [from, ofFrom] of months) {
    for (const [to, ofTo] of months) {
      const weight = [...ofFrom].reduce(
        (sum, [month, n]) => sum + (ofTo.has(month) ? n + (ofTo.get(month) ?? 0) : 0),
        0,
      );
      if (from < to && weight > 0) edges.push({ from, to, kind: 'co_analysis', weight_band: band(weight) });
    }
  }
  const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return {
    nodes: nodes.toSorted((a, b) => order(a.id, b.id)),
    edges: edges.toSorted((a, b) => order(a.from, b.from) || order(a.to, b.to)),
  };
}

const partOf = (producers: number, samples: number) =>
  [Math.max(producers, 5), Math.max(samples, 10, 2 * Math.max(producers, 5))] as const;

function band(n: number) {
  return n >= 200 ? '200+' : n >= 50 ? '50-199' : n >= 10 ? '10-49' : '5-9';
}

function idOf({ market, symbol, venue, asset_class, quote_currency }: Decision) {
  return `instrument:${[market, symbol, venue, asset_class, quote_currency].join(':')}`;
}

function labelOf(row: Decision | undefined): string {
  return row ? `${row.symbol}/${row.quote_currency} ${row.venue} ${row.asset_class}` : '';
}

const perspectiveOf = ({ perspective_type }: Decision) => `perspective:${perspective_type}`;
const workflowOf = ({ workflow_hash }: Decision) => `workflow:${workflow_hash}`;
