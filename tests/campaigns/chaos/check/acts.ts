import { breach, type Journal, type Unanswered } from '../journal.ts';
import type { ChaosDatabase } from '../stage/database.ts';

/** What owners and operators did: workflows, keys, and what the audit log says of it. */
export async function checkActs(database: ChaosDatabase, journal: Journal): Promise<void> {
  await checkWorkflows(database, journal);
  await checkAudit(database, journal);
}

async function checkWorkflows(database: ChaosDatabase, journal: Journal): Promise<void> {
  const rows = await database.rows<{ name: string; right: boolean }>(PUBLICATIONS);
  const right = new Map(rows.map((row) => [row.name, row.right]));
  for (const [name, isRight] of right)
    if (!isRight) breach(journal, 'workflows', `${name} is not the hash of its content`);
  for (const { id, hash } of journal.published) {
    if (!right.has(`${id} ${hash}`)) breach(journal, 'workflows', `${hash} of ${id} was published and is not there`);
  }
  const versions = new Map(
    (await database.rows<{ id: string; version: number }>(VERSIONS)).map((row) => [row.id, row.version]),
  );
  for (const [name, those] of Map.groupBy(journal.versions, ({ id, version }) => `${id} version ${version}`)) {
    if (those.length > 1) breach(journal, 'workflows', `${name} was given to ${those.length} changes`);
  }
  for (const { id, version } of journal.versions) {
    const last = versions.get(id) ?? 0;
    if (version > last) breach(journal, 'workflows', `${id} had version ${version} and has ${last}`);
  }
}

const PUBLICATIONS = `
  select p.workflow_id || ' ' || p.hash as name,
    bool_and(coalesce(s.hash = encode(sha256(convert_to(s.content, 'UTF8')), 'hex'), false)) as right
  from app.workflow_publications p left join app.workflow_snapshots s using (hash) group by 1`;
const VERSIONS = 'select id, version from app.workflows';

async function checkAudit(database: ChaosDatabase, journal: Journal): Promise<void> {
  const rows = await database.rows<{ action: string; subject: string; n: number }>(AUDIT);
  const entries = new Map(rows.map(({ action, subject, n }) => [`${action} ${subject}`, n]));
  for (const [record_id, at] of journal.quarantined) {
    const n = entries.get(`quarantine ${record_id}`) ?? 0;
    if (n > 1 || (at !== null && n !== 1)) breach(journal, 'audit', `${n} entries of the quarantine of ${record_id}`);
  }
  for (const { from, to } of journal.rotations) {
    const n = entries.get(`rotate_key ${from}`) ?? 0;
    if (n !== 1) breach(journal, 'audit', `${n} entries of the rotation of ${from} to ${to}`);
  }
}

/** A repeated quarantine changes nothing and has an entry of its own. */
const AUDIT = `
  select action, subject, count(*)::int as n from app.audit_log
  where coalesce((detail ->> 'changed')::boolean, true) group by 1, 2`;

/** A request may go unanswered where a process of its node was killed meanwhile. */
export function checkUnanswered(journal: Journal): void {
  for (const each of journal.unanswered) {
    if (!isExcused(journal, each)) breach(journal, 'missing', inWords(journal, each));
  }
}

function isExcused({ faults }: Journal, { node, started, ended }: Unanswered): boolean {
  return faults.some((fault) => fault.node === node && fault.started <= ended && started <= fault.over + 500);
}

/** With the fault that came before it, which may have had a part in it. */
function inWords({ faults }: Journal, { words, node, started, ended }: Unanswered): string {
  const last = faults.findLastIndex((fault) => fault.started <= ended);
  const when = `${Math.round(ended - started)} ms after it was sent at ${new Date(started).toISOString()}`;
  return `${words}, by node ${node}, ${when}; the last fault was ${last + 1}, ${faults[last]?.kind}`;
}
