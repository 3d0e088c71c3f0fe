import { EntitySchema } from 'typeorm';
import type { UsedSession } from '../../../domain/accounts/sign-in/session.ts';
import { INSTANT } from './columns.ts';

export const SESSIONS = new EntitySchema<UsedSession>({
  name: 'session',
  tableName: 'sessions',
  schema: 'app',
  columns: {
    session_hash: { type: 'bytea', primary: true },
    owner_id: { type: 'uuid' },
    created_at: INSTANT,
    last_seen_at: INSTANT,
    authenticated_at: { ...INSTANT, nullable: true },
    network: { type: 'text', nullable: true },
    client: { type: 'text', nullable: true },
    provider_session: { type: 'text', nullable: true },
    factor: { type: 'text', nullable: true },
  },
});
