import { z } from 'zod';
import { PAGE } from '../../../../domain/limits.ts';
import { instant } from '../../kit/input/query-values.ts';
import { agentIdText, includeArchived } from '../decisions/own-records.ts';
import { paged } from '../texts.ts';

/** The path of requests for one agent. */
export const agentParams = z.strictObject({
  agent_id: agentIdText().describe('The id of the agent: `agt_` and 12 hex digits.'),
});

/** The parameters of the list of agents. */
export const agentQuery = z.strictObject({
  include_archived: includeArchived(),
  ...paged('Agents', { usual: PAGE.limit }),
});

export const agentState = z
  .strictObject({
    agent_id: z.string(),
    name: z.string(),
    created_at: instant(),
    archived_at: instant().nullable().describe('null: it is in use.'),
  })
  .meta({ id: 'AgentState' });

export const agentStateExample: z.input<typeof agentState> = {
  agent_id: 'agt_4f1c2d3e5a6b',
  name: 'Scout',
  created_at: new Date('2026-01-29T08:00:00Z'),
  archived_at: new Date('2026-01-30T14:30:00Z'),
};
