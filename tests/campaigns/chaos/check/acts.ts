import { breach, type Journal, type Unanswered } from '../journal.ts';
import type { ChaosDatabase } from '../stage/database.ts';

/** Checks the acts of owners and operators: workflows, keys, and their entries in the audit log. */
export async function checkActs(database: ChaosDatabase, journal: Journal): Promise<void> {
  await checkWorkflows(database, journal);
  await checkAudit(database, journal);
}

async function checkWorkflows(database: ChaosDatabase, journal: Journal): Promise<void> {
  const rows = await database.rows<{ name: string; isRight: boolean }>(PUBLICATIONS);
  const publications = new Map(rows.map((row) => [row.name, row.isRight]));
  for (const [name, isRight] of publications)
    if (!isRight) breach(journal, 'workflows', `${name} is not the hash of its content`);
  for (const { id, hash } of journal.published) {
    if (!publications.has(`${id} ${hash}`))
      breach(journal, 'workflows', `${hash} of ${id} was published and is not stored`);
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
    bool_and(coalesce(s.hash = encode(sha256(convert_to(s.content, 'UTF8')), 'hex'), false)) as "isRight"
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

/** Without repeated quarantines, which change nothing and have entries of their own. */
const AUDIT = `
  select action, subject, count(*)::int as n from app.audit_log
  where coalesce((detail ->> 'changed')::boolean, true) group by 1, 2`;

/** A request may be unanswered when a process of its node was killed meanwhile. */
export function checkUnanswered(journal: Journal): void {
  for (const each of journal.unanswered) {
    if (!isExplained(journal, each)) breach(journal, 'missing', inWords(journal, each));
  }
}

function isExplained({ faults }: Journal, { node, started, ended }: Unanswered): boolean {
  return faults.some((fault) => fault.node === node && fault.started <= ended && started <= fault.over + 500);
}

/** With the last fault before it, which may be its cause. */
function inWords({ faults }: Journal, { words, node, started, ended }: Unanswered): string {
  const last = faults.findLastIndex((fault) => fault.started <= ended);
  const when = `${Math.round(ended - started)} ms after it was sent at ${new Date(started).toISOString()}`;
  return `${words}, by node ${node}, ${when}; the last fault was ${last + 1}, ${faults[last]?.kind}`;
}
