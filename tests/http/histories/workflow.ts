/** A workflow that can be published. */
export const workflowExample = {
  name: 'Idea to record',
  description: 'Puts a claim on record.',
  tags: ['minimal'],
  nodes: [
    { id: 'idea', node_id: 'input.idea', config: {} },
    { id: 'submit', node_id: 'decision.submit', config: {} },
  ],
  edges: [
    { from: 'idea.instrument', to: 'submit.instrument' },
    { from: 'idea.thesis', to: 'submit.thesis' },
  ],
} as const;
