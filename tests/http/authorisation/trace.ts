import type { Client } from 'pg';
import { KEPT } from '../../../adapters/postgres/accounts/owner-data.ts';
import { exportOwner, exportRecords } from '../../../application/accounts/operators/export-owner.ts';
import { listCircuits } from '../../../application/circuits/change-circuit.ts';
import type { Ports } from '../../../application/ports.ts';
import type { Cast } from './cast.ts';
import { PRIVATE_WORDS } from './owned-records.ts';
import type { Party } from './party.ts';

/**
 * Everything that is stored about the owner, as text: account, records, sessions, keys, pools and the audit log; and the
 * circuits, which are everybody's. The events of refused calls of the admin area and of refused keys are left out, and so is what each request of
 * a key changes: a refused request uses its key, too.
 */
export async function traceOf({ service: { ports }, owner, database }: Cast, of: string): Promise<string> {
  const { owner_id } = of === 'password' ? owner.account : owner;
  const found = [JSON.stringify(await listCircuits(ports))];
  found.push(await (database ? rowsIn(database, owner_id) : rowsOf(ports, owner_id)));
  for await (const records of exportRecords(ports, owner_id)) found.push(JSON.stringify(records, null, 1));
  return found.join('\n').replaceAll(USES_OF_KEYS, '');
}

async function rowsOf(ports: Ports, owner_id: string): Promise<string> {
  const { exported_at: _, rows, ...ownerData } = await exportOwner(ports, owner_id);
  const events = rows.security_events?.filter(({ kind }) => !UNSEEN.includes(String(kind)));
  return JSON.stringify({ ...ownerData, rows: { ...rows, security_events: events } }, null, 1);
}

/**
 * The rows of the export with all that the export leaves out of them, such as hashes. One prepared statement that returns
 * text takes a fifth of the CPU time of the export, which asks for each table.
 */
async function rowsIn(database: Client, owner_id: string): Promise<string> {
  const { rows } = await database.query<unknown[]>({
    name: 'trace',
    text: TRACE,
    values: [owner_id],
    rowMode: 'array',
  });
  return rows.flat().join('\n');
}

const UNSEEN: readonly string[] = ['admin_call', 'key_refused'];

const TABLES = Object.entries(KEPT).map(([name, from]) => {
  const seen = name === 'security_events' ? ` where kind not in ('${UNSEEN.join("', '")}')` : '';
  return `(select '${name}: ' || coalesce(json_agg(kept), '[]') from (select ${from}) kept${seen})`;
});

const TRACE = `select ${TABLES.join()}, (select count(*) from app.decisions where owner_id = $1::uuid)`;

/** Within the text: a function that picks the members of JSON.stringify takes several times as long. */
const USES_OF_KEYS =
  /"(?:last_used_at|last_used_network|second_start|second_used|minute_used|admitted)": ?(?:null|-?\d+|"[^"]*"),?/g;

/** The secrets that the text contains though only the owner may see them; `named` was in the request and is allowed. */
export function leaksIn(
  text: string,
  { owner, records, workflows }: Pick<Cast, 'owner' | 'records' | 'workflows'>,
  named = '',
): readonly string[] {
  const { open, quarantined } = records;
  const { draft, promised, hidden } = workflows;
  const unseen = [open, quarantined, draft.id, promised.id, hidden.id, hidden.hash];
  const secrets = [...namesOf(owner), ...unseen, PRIVATE_WORDS];
  return secrets.filter((secret) => secret !== named && text.includes(secret));
}

function namesOf({ owner_id, agent_id, account, keys }: Party): readonly string[] {
  return [owner_id, agent_id, account.owner_id, account.email, ...Object.values(keys).map((key) => key.key_prefix)];
}
