import { nodeTemplate } from '../../domain/workflows/node-catalogue.ts';
import { type NodeTemplate, type PortType, SUBMIT_NODE } from '../../domain/workflows/node-template.ts';
import type { Draft, WorkflowEdge, WorkflowNode } from '../../domain/workflows/workflow.ts';
import { aReadyDraft, edge, node } from './workflows.ts';

/** The template whose output feeds inputs of a type. */
const PRODUCERS: Readonly<Record<PortType, string>> = {
  instrument: 'input.instrument.instrument',
  bars: 'data.bars.bars',
  news: 'data.news.news',
  fundamentals: 'data.fundamentals.fundamentals',
  features: 'analysis.technical.features',
  thesis: 'input.idea.thesis',
  risk: 'risk.levels.risk',
  cohort: 'evidence.cohort.cohort',
  decision: 'evidence.own_records.decision',
};

/** The template that turns data into features, for types that the submit node does not accept. */
const READERS: Partial<Record<PortType, string>> = {
  bars: 'analysis.technical',
  news: 'analysis.sentiment',
  fundamentals: 'analysis.fundamental',
};

/** The required config of a template. */
const CONFIGS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'input.watchlist': {
    instruments: [
      { market: 'stock', symbol: 'MSFT', venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' },
      { market: 'crypto', symbol: 'BTC', venue: 'COINBASE', asset_class: 'spot', quote_currency: 'USD' },
    ],
  },
  'logic.gate': { conditions: [{ condition: 'Realised volatility of 20 days is below 40 percent.' }] },
};

/** Nearly the smallest draft that contains the template and can be published. */
export function draftAround(template: NodeTemplate): Draft {
  const nodes: WorkflowNode[] = [];
  const edges: WorkflowEdge[] = [];
  const place = (node_id: string) => {
    const id = `n${nodes.length}`;
    nodes.push(node(id, node_id, CONFIGS[node_id]));
    return id;
  };
  /** Adds nodes for the required inputs of a node, except `fed`. */
  const feed = (id: string, node_id: string, fed: ReadonlySet<string> = new Set()) => {
    for (const { port, type, required } of templateOf(node_id).inputs) {
      if (!required || fed.has(port)) continue;
      const [, producer = '', output = ''] = /^(.+)\.(\w+)$/.exec(PRODUCERS[type]) ?? [];
      const source = place(producer);
      feed(source, producer);
      edges.push(edge(`${source}.${output}`, `${id}.${port}`));
    }
  };
  const submit = place(SUBMIT_NODE);
  const fed = new Set<string>();
  if (template.node_id !== SUBMIT_NODE) {
    const id = place(template.node_id);
    feed(id, template.node_id);
    for (const { port, type } of template.outputs) {
      const reader = READERS[type];
      if (reader === undefined) {
        edges.push(edge(`${id}.${port}`, `${submit}.${type}`));
        fed.add(type);
      } else {
        const between = place(reader);
        edges.push(edge(`${id}.${port}`, `${between}.${type}`), edge(`${between}.features`, `${submit}.features`));
      }
    }
  }
  feed(submit, SUBMIT_NODE, fed);
  return aReadyDraft({ nodes, edges });
}

function templateOf(node_id: string): NodeTemplate {
  const template = nodeTemplate(node_id);
  if (!template) throw new Error(`There is no node ${node_id}`);
  return template;
}
