import { EntitySchema } from 'typeorm';
import type { Agent } from '../../../domain/accounts/owner.ts';
import { INSTANT } from './columns.ts';

export const AGENTS = new EntitySchema<Agent>({
  name: 'agent',
  tableName: 'agents',
  schema: 'app',
  columns: {
    agent_id: { type: 'text', primary: true },
    owner_id: { type: 'uuid' },
    name: { type: 'text' },
    created_at: INSTANT,
    archived_at: { ...INSTANT, nullable: true },
  },
});
