import type { EdgeSingular, StylesheetJson } from 'cytoscape';
import { inks } from '../../records/chart.ts';

const FONT = 'system-ui, sans-serif';

/** The look of the drawing in the current colour scheme. What is faulty differs in shape or border, not only in colour. */
export function graphStyle(): StylesheetJson {
  const { text, soft, line, card, accent, adverse, favour } = inks();
  const label = { label: 'data(label)', color: text, 'font-family': FONT, 'min-zoomed-font-size': 5 } as const;
  return [
    {
      selector: 'node[kind = "box"]',
      style: {
        ...label,
        shape: 'round-rectangle',
        width: 'data(width)',
        height: 'data(height)',
        'corner-radius': '8',
        'background-color': card,
        'border-width': 1,
        'border-color': soft,
        'font-size': 13,
        'font-weight': 600,
        'text-valign': 'center',
        'text-margin-y': -7,
        'text-wrap': 'ellipsis',
        'text-max-width': '194px',
      },
    },
    { selector: 'node[kind = "box"].chosen', style: { 'border-width': 3, 'border-color': accent } },
    { selector: 'node[kind = "box"].faulty', style: { 'border-style': 'dashed', 'border-color': adverse } },
    {
      selector: 'node[kind = "name"]',
      style: {
        ...label,
        events: 'no',
        width: 1,
        height: 1,
        'background-opacity': 0,
        color: soft,
        'font-size': 11,
        'text-valign': 'center',
      },
    },
    {
      selector: 'node[kind = "faults"]',
      style: {
        ...label,
        events: 'no',
        shape: 'round-hexagon',
        width: 20,
        height: 20,
        color: card,
        'background-color': adverse,
        'font-size': 12,
        'font-weight': 600,
        'text-valign': 'center',
      },
    },
    {
      selector: 'node[side]',
      style: {
        ...label,
        'text-events': 'yes',
        width: 12,
        height: 12,
        'background-color': accent,
        'border-width': 2,
        'border-color': accent,
        'font-size': 11,
        color: soft,
        'text-wrap': 'ellipsis',
        'text-max-width': '76px',
      },
    },
    { selector: 'node[kind = "input"]', style: { 'text-valign': 'bottom', 'text-margin-y': 4 } },
    { selector: 'node[kind = "output"]', style: { 'text-valign': 'top', 'text-margin-y': -4, shape: 'rectangle' } },
    { selector: 'node[side].open', style: { 'background-color': card } },
    { selector: 'node[side].faulty', style: { 'border-color': adverse, color: adverse } },
    {
      selector: 'node[side].connecting',
      style: { width: 20, height: 20, 'border-color': favour, 'background-color': favour },
    },
    {
      selector: 'node[side].offered',
      style: { width: 20, height: 20, 'border-color': favour, color: text, 'font-weight': 600 },
    },
    { selector: '.dim', style: { opacity: 0.25 } },
    {
      selector: 'edge',
      style: {
        width: 1.5,
        'line-color': soft,
        opacity: 0.7,
        'curve-style': 'unbundled-bezier',
        'edge-distances': 'node-position',
        'control-point-weights': (edge: EdgeSingular) => edge.data('weights'),
        'control-point-distances': (edge: EdgeSingular) => edge.data('distances'),
        'target-arrow-shape': 'triangle',
        'target-arrow-color': soft,
        'arrow-scale': 0.8,
      },
    },
    { selector: 'edge.chosen', style: { width: 2.5, opacity: 1, 'line-color': accent, 'target-arrow-color': accent } },
    { selector: 'core', style: { 'active-bg-color': line } },
  ] as unknown as StylesheetJson;
}
