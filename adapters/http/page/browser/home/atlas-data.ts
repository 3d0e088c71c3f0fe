import { counted } from '../kit/value-texts.ts';

/** The public network, as the service sends it. */
export interface WireNetwork {
  readonly generated_at: string;
  readonly nodes: readonly WireNode[];
  readonly edges: readonly WireEdge[];
}

export interface WireNode {
  readonly id: string;
  readonly kind: NodeKind;
  readonly label: string;
  readonly count_band: WireBand;
}

export interface WireEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: 'co_analysis' | 'uses_workflow' | 'perspective_of';
  readonly weight_band: WireBand;
}

export type NodeKind = 'instrument' | 'perspective' | 'workflow';
export type WireBand = '5-9' | '10-49' | '50-199' | '200+';

export const KINDS: readonly NodeKind[] = ['instrument', 'perspective', 'workflow'];
const BANDS: readonly WireBand[] = ['5-9', '10-49', '50-199', '200+'];

/** The address of the atlas or of one of its nodes; `includesRetroactive`: with retroactive decisions. */
export function atlasAddress(id: string | null, includesRetroactive: boolean): string {
  return `#/atlas${id === null ? '' : `/${encodeURIComponent(id)}`}?include_retroactive=${includesRetroactive}`;
}

/** Whether an address includes retroactive decisions; null when it does not specify it. */
export function choiceOf(address: string): boolean | null {
  const choice = new URLSearchParams(address.split('?')[1]).get('include_retroactive');
  return choice === null ? null : choice === 'true';
}

/** 0 to 3. */
export function bandStep(band: WireBand): number {
  return Math.max(0, BANDS.indexOf(band));
}

/** `10 to 49 records` */
export function bandWords(band: WireBand): string {
  return band === '200+' ? '200 records or more' : `${band.replace('-', ' to ')} records`;
}

/** The nodes whose label or kind contains each word that was typed. */
export function matching(nodes: readonly WireNode[], typed: string): readonly WireNode[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return nodes.filter(({ label, kind }) => words.every((word) => `${label} ${kind}`.toLowerCase().includes(word)));
}

export interface Neighbour {
  readonly node: WireNode;
  readonly link: string;
}

const LINKS: Readonly<Record<WireEdge['kind'], string>> = {
  co_analysis: 'analysed together',
  uses_workflow: 'decided with this workflow',
  perspective_of: 'seen from this perspective',
};

/** The neighbours of a node, the strongest link first. */
export function neighboursOf({ nodes, edges }: WireNetwork, id: string): readonly Neighbour[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return edges
    .filter(({ from, to }) => from === id || to === id)
    .toSorted((a, b) => bandStep(b.weight_band) - bandStep(a.weight_band))
    .flatMap(({ from, to, kind, weight_band }) => {
      const node = byId.get(from === id ? to : from);
      return node ? [{ node, link: `${LINKS[kind]}, ${bandWords(weight_band)}` }] : [];
    });
}

/** All links of a network with their ends, the strongest first. */
export function linksOf({ nodes, edges }: WireNetwork) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return edges
    .toSorted((a, b) => bandStep(b.weight_band) - bandStep(a.weight_band))
    .flatMap(({ from, to, kind, weight_band }) => {
      const ends = [byId.get(from), byId.get(to)] as const;
      const words = `${LINKS[kind]}, ${bandWords(weight_band)}`;
      return ends[0] && ends[1] ? [{ from: ends[0], to: ends[1], words }] : [];
    });
}

export function networkWords({ nodes, edges }: WireNetwork): string {
  const kinds = KINDS.flatMap((kind) => {
    const count = nodes.filter((node) => node.kind === kind).length;
    return count === 0 ? [] : [counted(count, kind)];
  });
  return nodes.length === 0 ? '' : `${kinds.join(', ')}, ${counted(edges.length, 'link')}.`;
}
