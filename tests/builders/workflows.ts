import type { Draft } from '../../domain/workflows/workflow.ts';

/** A draft that can be published: an instrument, its bars, a reading of them, the evidence, a thesis, the decision. */
export function aReadyDraft(changes: Partial<Draft> = {}): Draft {
  return {
    name: 'Trend with evidence',
    description: 'A swing call on daily bars that asks how earlier calls ended.',
    tags: ['swing', 'daily'],
    visibility: 'private',
    nodes: [
      node('what', 'input.instrument'),
      node('prices', 'data.bars', { interval: '1d', bars: 200 }),
      node('chart', 'analysis.technical'),
      node('past', 'evidence.cohort', { queries: 2 }),
      node('claim', 'analysis.thesis'),
      node('say', 'decision.submit'),
    ],
    edges: [
      edge('what.instrument', 'prices.instrument'),
      edge('what.instrument', 'past.instrument'),
      edge('what.instrument', 'say.instrument'),
      edge('prices.bars', 'chart.bars'),
      edge('chart.features', 'claim.features'),
      edge('past.cohort', 'claim.cohort'),
      edge('claim.thesis', 'say.thesis'),
      edge('past.cohort', 'say.cohort'),
    ],
    ...changes,
  };
}

export function node(id: string, node_id: string, config: Readonly<Record<string, unknown>> = {}) {
  return { id, node_id, config };
}

export function edge(from: string, to: string) {
  return { from, to };
}
