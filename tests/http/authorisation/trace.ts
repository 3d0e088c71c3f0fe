import { exportOwner, exportRecords } from '../../../application/accounts/operators/export-owner.ts';
import { listCircuits } from '../../../application/circuits/change-circuit.ts';
import type { Cast } from './cast.ts';
import { PRIVATE_WORDS } from './owned-records.ts';
import type { Party } from './party.ts';

/**
 * Everything that is stored about the owner, as text: account, records, sessions, keys, pools and the audit log; and the
 * circuits, which are everybody's. The events of refused calls of the admin area and of refused keys are left out, and so is what each request of
 * a key changes: a refused request uses its key, too.
 */
export async function traceOf({ service: { ports }, owner }: Cast, of: string): Promise<string> {
  const { owner_id } = of === 'password' ? owner.account : owner;
  const found: unknown[] = [await listCircuits(ports)];
  const { exported_at: _, rows, ...ownerData } = await exportOwner(ports, owner_id);
  const events = rows.security_events?.filter(({ kind }) => kind !== 'admin_call' && kind !== 'key_refused');
  found.push({ ...ownerData, rows: { ...rows, security_events: events } });
  for await (const records of exportRecords(ports, owner_id)) found.push(records);
  return JSON.stringify(found, null, 1).replaceAll(USES_OF_KEYS, '');
}

/** Lines of the text: a function that picks the members of JSON.stringify takes several times as long. */
const USES_OF_KEYS = /^ *"(?:last_used_at|last_used_network|second_start|second_used|minute_used|admitted)": .*\n/gm;

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
