import type { GraphQuery } from '../../../application/decisions/read-decision.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';

// Graphs computed naively, from all records at once.

export interface NaiveGraph {
  readonly nodes: readonly string[];
  readonly edges: readonly string[];
  readonly truncated: boolean;
}

interface Link {
  readonly at: string;
  readonly other: string;
  readonly edges: readonly string[];
}

/** What a walk may pass through and what it may show; they are the same, unless a control says otherwise. */
export type Sees = (record: Decision, viewer: string | null) => boolean;

export const sees: Sees = ({ lifecycle_state, owner_id }, viewer) =>
  lifecycle_state === 'evaluated' || owner_id === viewer;

/** null where there is no root for the viewer. */
export function naiveGraph(
  all: readonly Decision[],
  root: string,
  viewer: string | null,
  { direction, depth, limit }: GraphQuery,
  passes: Sees = sees,
): NaiveGraph | null {
  const isRoot = (record: Decision) => record.record_id === root && sees(record, viewer);
  if (!all.some(isRoot)) return null;
  const world = all.filter((record) => passes(record, viewer));
  const nodes = [root];
  const edges = new Set<string>();
  let [level, truncated] = [[root], false];
  for (let far = 0; far < depth && level.length > 0 && !truncated; far += 1) {
    const links = linksOfLevel(world, level, viewer, direction, Math.max(limit, 1));
    const next: string[] = [];
    for (const { other } of links) {
      if (nodes.includes(other)) continue;
      if (nodes.length < Math.max(limit, 1)) {
        nodes.push(other);
        next.push(other);
      } else truncated = true;
    }
    for (const link of links) if (nodes.includes(link.other)) for (const edge of link.edges) edges.add(edge);
    level = next;
  }
  const shown = all.filter((record) => sees(record, viewer)).map(({ record_id }) => record_id);
  return {
    nodes: nodes.filter((node) => shown.includes(node)),
    edges: [...edges].filter((edge) => edge.split(' ').every((word, i) => i === 1 || shown.includes(word))).sort(),
    truncated,
  };
}

function linksOfLevel(
  world: readonly Decision[],
  level: readonly string[],
  viewer: string | null,
  direction: string,
  most: number,
) {
  const records = level.flatMap((id) => world.filter(({ record_id }) => record_id === id));
  const kinds = [
    ...(direction === 'inbound' ? [] : [(record: Decision) => pointedTo(world, record, viewer)]),
    ...(direction === 'outbound' ? [] : [(record: Decision) => pointingTo(world, record, viewer).slice(0, most)]),
    ...(direction === 'both' ? [alike('cohort'), alike('workflow')].map((of) => (r: Decision) => of(world, r)) : []),
  ];
  return kinds.flatMap((linksOf) => records.flatMap(linksOf));
}

function pointedTo(world: readonly Decision[], source: Decision, viewer: string | null): Link[] {
  const targets = newestFirst(world).filter((target) => said(source, target, viewer).length > 0);
  return targets.map((target) => ({
    at: source.record_id,
    other: target.record_id,
    edges: said(source, target, viewer),
  }));
}

function pointingTo(world: readonly Decision[], target: Decision, viewer: string | null): Link[] {
  const sources = newestFirst(world).filter((source) => said(source, target, viewer).length > 0);
  return sources.map((source) => ({
    at: target.record_id,
    other: source.record_id,
    edges: said(source, target, viewer),
  }));
}

/** The relations that the detail of the source shows to its viewer. */
function said(source: Decision, target: Decision, viewer: string | null): string[] {
  const own = source.owner_id === viewer;
  return source.related
    .filter(({ record_id }) => record_id === target.record_id)
    .filter((related) => own || (related.public && related.relation !== 'supersedes'))
    .map(({ relation }) => `${source.record_id} ${relation} ${target.record_id}`);
}

function alike(what: 'cohort' | 'workflow') {
  const key = ({ lifecycle_state, group_place, cohort_key, workflow_hash, workflow_public }: Decision) => {
    if (lifecycle_state !== 'evaluated' || (group_place ?? 1) > 1) return null;
    return what === 'cohort' ? cohort_key : workflow_public && workflow_hash;
  };
  return (world: readonly Decision[], record: Decision): Link[] => {
    if (!key(record)) return [];
    const line = newestFirst(world.filter((other) => key(other) === key(record))).reverse();
    const place = line.indexOf(record);
    const apart = (other: Decision) => Math.abs(other.data_cutoff.getTime() - record.data_cutoff.getTime());
    const steps = (other: Decision) => Math.abs(line.indexOf(other) - place);
    const nearest = line
      .filter((other) => other !== record)
      .sort((a, b) => apart(a) - apart(b) || steps(a) - steps(b) || line.indexOf(a) - line.indexOf(b));
    return nearest.slice(0, 10).map(({ record_id: other }) => {
      const [from, to] = [record.record_id, other].sort();
      return { at: record.record_id, other, edges: [`${from} same_${what} ${to}`] };
    });
  };
}

function newestFirst(records: readonly Decision[]): Decision[] {
  const name = ({ data_cutoff, record_id }: Decision) => `${data_cutoff.toISOString()} ${record_id}`;
  return records.toSorted((a, b) => (name(a) < name(b) ? 1 : -1));
}
