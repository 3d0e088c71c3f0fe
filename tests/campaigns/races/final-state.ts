import type pg from 'pg';
import type { FinalState } from './history.ts';

/** Reads what the database contains after the last reply. */
export async function finalState(client: pg.Client): Promise<FinalState> {
  const rows = async (text: string) => (await client.query(text)).rows;
  return { pools: await rows(POOLS), ledger: await rows(LEDGER), records: await rows(RECORDS) };
}

const POOLS = 'select owner_id, day::text, pool, record_id, used, credit from app.quota_days';
const LEDGER = 'select record_id, owner_id, amount from app.credit_ledger';
const RECORDS = `select record_id, agent_id, market || ' ' || symbol || ' ' || direction as call from app.decisions`;
