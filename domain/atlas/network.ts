import { mayBeJudged, partThresholds, type Thresholds } from '../cohorts/suppression.ts';
import { ATLAS } from '../limits.ts';
import { instrumentKey } from '../market/instrument.ts';
import type { MonthTally, Tallies } from './atlas-survey.ts';

/** Counts as the atlas shows them (settled.md section 10): a band, never a number. */
export const BANDS = ['5-9', '10-49', '50-199', '200+'] as const;
type Band = (typeof BANDS)[number];

export const NODE_KINDS = ['instrument', 'perspective', 'workflow'] as const;
export const EDGE_KINDS = ['co_analysis', 'uses_workflow', 'perspective_of'] as const;

export interface AtlasNode {
  /** The kind, a colon, and an instrument's key, a perspective_type or a snapshot's hash. */
  readonly id: string;
  readonly kind: (typeof NODE_KINDS)[number];
  readonly label: string;
  readonly count_band: Band;
}

export interface AtlasEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: (typeof EDGE_KINDS)[number];
  readonly weight_band: Band;
}

/** The anonymous network (settled.md section 10, docs/atlas.md). */
export interface Network {
  readonly nodes: readonly AtlasNode[];
  readonly edges: readonly AtlasEdge[];
}

/**
 * At most ATLAS.nodes of the tallies: all perspectives, then the workflows and the instruments with the most records.
 * The number of records is public, so the choice reveals nothing about producers.
 */
export function choose(tallies: Tallies): Tallies {
  const workflows = largest(tallies.workflows, ATLAS.workflowNodes, ({ hash }) => hash);
  const others = new Set(tallies.perspectives.map(({ perspective_type }) => perspective_type)).size + workflows.length;
  const instruments = largest(tallies.instruments, ATLAS.nodes - others, instrumentKey);
  const keys = new Set(instruments.map(instrumentKey));
  const hashes = new Set(workflows.map(({ hash }) => hash));
  const types = new Set(tallies.perspectives.map(({ perspective_type }) => perspective_type));
  return {
    ...tallies,
    workflows,
    instruments,
    perspectivesOf: tallies.perspectivesOf.filter(
      (each) => keys.has(each.instrument) && types.has(each.perspective_type),
    ),
    workflowsOf: [...Map.groupBy(tallies.workflowsOf, ({ instrument }) => instrument)].flatMap(([instrument, all]) => {
      const among = keys.has(instrument) ? all.filter(({ hash }) => hashes.has(hash)) : [];
      return largest(among, ATLAS.linksPerInstrument, ({ hash }) => hash);
    }),
  };
}

/**
 * The network of the chosen tallies; every tally and every month has reached the thresholds. Sorted by ids. Ignores
 * months of other instruments.
 */
export function networkOf(chosen: Tallies, months: readonly MonthTally[], thresholds: Thresholds): Network {
  return {
    nodes: [...instrumentNodes(chosen), ...perspectiveNodes(chosen), ...workflowNodes(chosen)].toSorted(byId),
    edges: [...perspectiveEdges(chosen), ...workflowEdges(chosen), ...coAnalysis(chosen, months, thresholds)].toSorted(
      byEnds,
    ),
  };
}

function instrumentNodes({ instruments }: Tallies): AtlasNode[] {
  return instruments.map((each) => {
    const { market, symbol, venue, asset_class, quote_currency, samples } = each;
    const pair = market === 'stock' ? symbol : `${symbol}/${quote_currency}`;
    const label = [pair, venue, ...(market === 'stock' ? [] : [asset_class])].join(' ');
    return { id: instrumentNode(instrumentKey(each)), kind: 'instrument', label, count_band: bandOf(samples) };
  });
}

/** A perspective is one node: its count is the sum of its shown cohorts of both markets. */
function perspectiveNodes({ perspectives }: Tallies): AtlasNode[] {
  return [...Map.groupBy(perspectives, ({ perspective_type }) => perspective_type)].map(([type, tallies]) => {
    const samples = tallies.reduce((sum, tally) => sum + tally.samples, 0);
    return { id: perspectiveNode(type), kind: 'perspective', label: type, count_band: bandOf(samples) };
  });
}

function workflowNodes({ workflows }: Tallies): AtlasNode[] {
  return workflows.map(({ hash, name, samples }) => {
    return { id: workflowNode(hash), kind: 'workflow', label: name, count_band: bandOf(samples) };
  });
}

function perspectiveEdges({ perspectivesOf }: Tallies): AtlasEdge[] {
  return perspectivesOf.map(({ instrument, perspective_type, samples }) => {
    const [from, to] = [perspectiveNode(perspective_type), instrumentNode(instrument)];
    return { from, to, kind: 'perspective_of', weight_band: bandOf(samples) };
  });
}

function workflowEdges({ workflowsOf }: Tallies): AtlasEdge[] {
  return workflowsOf.map(({ instrument, hash, samples }) => {
    const [from, to] = [instrumentNode(instrument), workflowNode(hash)];
    return { from, to, kind: 'uses_workflow', weight_band: bandOf(samples) };
  });
}

/**
 * Two instruments that enough producers each analysed in the same months. Whether they are the same producers is not
 * checked, so no link reveals that two records share one. Its weight is the number of records of both in those months.
 */
function coAnalysis({ instruments }: Tallies, months: readonly MonthTally[], thresholds: Thresholds): AtlasEdge[] {
  const wholes = new Map(instruments.map((each) => [instrumentKey(each), each.samples]));
  const shown = months.filter(({ instrument, samples }) => {
    const whole = wholes.get(instrument);
    return whole !== undefined && isShown(samples, whole, thresholds);
  });
  return strongestPairs(shown, ATLAS.linksPerInstrument).map(([a, b, weight]) => {
    const [from, to] = [instrumentNode(a), instrumentNode(b)];
    return { from, to, kind: 'co_analysis', weight_band: bandOf(weight) };
  });
}

/** Whether a cohort query bounded to the month would be answered on the strength of the whole month. */
function isShown(samples: number, whole: number, thresholds: Thresholds): boolean {
  return thresholds.minProducers === 1 || mayBeJudged(samples, whole, partThresholds(thresholds));
}

export const instrumentNode = (key: string) => `instrument:${key}`;
export const perspectiveNode = (type: string) => `perspective:${type}`;
export const workflowNode = (hash: string) => `workflow:${hash}`;

function largest<T extends { readonly samples: number }>(all: readonly T[], most: number, name: (each: T) => string) {
  return all.toSorted((a, b) => b.samples - a.samples || compare(name(a), name(b))).slice(0, most);
}

const byId = (a: AtlasNode, b: AtlasNode) => compare(a.id, b.id);
const byEnds = (a: AtlasEdge, b: AtlasEdge) => compare(a.from, b.from) || compare(a.to, b.to);
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Two instruments in the order of their keys, and the number of records of both in the months that they share. */
type Pair = readonly [a: string, b: string, weight: number];

/**
 * The pairs that are among the `most` strongest of at least one of their instruments; ties in the order of the keys.
 */
function strongestPairs(months: readonly MonthTally[], most: number): readonly Pair[] {
  const keys = [...new Set(months.map(({ instrument }) => instrument))].toSorted();
  const weights = weightsOf(months, keys);
  const strongestCells = new Set<number>();
  for (const place of keys.keys()) {
    for (const other of strongest(weights, keys.length, place, most)) {
      strongestCells.add(Math.min(place, other) * keys.length + Math.max(place, other));
    }
  }
  return [...strongestCells]
    .toSorted((a, b) => a - b)
    .map((cell) => [keys[Math.floor(cell / keys.length)] ?? '', keys[cell % keys.length] ?? '', weights[cell] ?? 0]);
}

/** A square matrix: instruments are few, while the pairs of a month are many. */
function weightsOf(months: readonly MonthTally[], keys: readonly string[]): Float64Array {
  const places = new Map(keys.map((key, place) => [key, place]));
  const weights = new Float64Array(keys.length ** 2);
  for (const together of Map.groupBy(months, ({ month }) => month.getTime()).values()) {
    const listed = together.map(({ instrument, samples }) => [places.get(instrument) ?? 0, samples] as const);
    for (const [a, ofA] of listed) {
      for (const [b, ofB] of listed) {
        const cell = a * keys.length + b;
        if (a !== b) weights[cell] = (weights[cell] ?? 0) + ofA + ofB;
      }
    }
  }
  return weights;
}

function strongest(weights: Float64Array, size: number, place: number, most: number): number[] {
  const row = weights.subarray(place * size, (place + 1) * size);
  const linked = [...row.keys()].filter((other) => (row[other] ?? 0) > 0);
  return linked.toSorted((a, b) => (row[b] ?? 0) - (row[a] ?? 0) || a - b).slice(0, most);
}

/** @throws RangeError below the lowest band */
export function bandOf(count: number): Band {
  const band = BANDS[ATLAS.countBands.findLastIndex((edge) => count >= edge)];
  if (!band) throw new RangeError(`${count} has no band`);
  return band;
}
