import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openJobQueue } from '../../../adapters/jobs/job-queue.ts';
import { onClient } from '../stage/client.ts';
import { allLogged, until } from './awaited.ts';
import { contentOfBackup, dumpOf, linesWith } from './dumped.ts';
import { checkProofs, seenBefore } from './erased-proofs.ts';
import { checkAudit } from './log-walk.ts';
import { askForErasure, CANARY, ownerToErase, startLoad } from './owner-to-erase.ts';
import { type DrilledAgent, request } from './population.ts';
import { runAdmin, startServiceOn } from './running-service.ts';
import { makeServer, SERVICE, serverFolder, type ThrowawayServer } from './throwaway-server.ts';
import type { Drill } from './walks.ts';

/** Owners who submit while another one is erased. */
const OTHERS = 3;

/** An owner with many records is erased while others submit: what is gone, what still verifies, and what backups hold. */
export async function walkErasure(drill: Drill): Promise<void> {
  const { run, place, tally, adopt, erased: records } = drill;
  console.log(`An owner with ${records} records is erased while ${OTHERS} others submit`);
  const server = adopt(await makeServer(run, join(place, 'erasing')));
  const dumps = serverFolder(place, 'dumps');
  const settings = { ...drill, log: { key: drill.log.key, machine: join(drill.folder, 'erasing') } };
  const service = await startServiceOn(server, settings);
  const { url } = service;
  try {
    const load = await startLoad(url, OTHERS);
    const erased = await ownerToErase(url, records);
    await until(server, readyOf(records));
    const early = backUp(drill, server, 'before-erasure');
    const written = linesWith(CANARY, dumpOf(run, server, dumps, 'before')).length;
    tally.holds('a dump from before has the text of every record', written >= records, written);
    const seen = await seenBefore(url, erased);
    await erase(drill, server, url, erased);
    const others = await load.stop();
    await allGraded(server);
    await allLogged(server);
    console.log(`  meanwhile the others submitted ${others.length} decisions`);
    tally.check('a dump of the whole database has nothing of it', shown(dumpOf(run, server, dumps, 'after')));
    const late = backUp(drill, server, 'after-erasure');
    tally.check('a new backup has nothing of it', shown(contentOfBackup(run, late, dumps)));
    const evidence = runAdmin(server, settings, 'check-evidence');
    tally.holds('check-evidence finds no fault', evidence.code === 0, evidence.output);
    await checkProofs(tally, url, settings.log.key, erased, seen);
    await checkAudit(tally, service, settings, 1);
    await checkMissing(drill, server, erased, others);
    await checkErasedAgain(drill, early, erased, dumps);
  } finally {
    await service.stop();
    server.stop();
  }
}

/** All records of the owner are logged, and some of their grades. */
function readyOf(records: number): string {
  return `select count(l.record_id) = ${records} and bool_or(g.record_id is not null) as yes
    from app.owners o join app.decisions d using (owner_id) left join app.log_decisions l using (record_id)
    left join app.log_outcomes g using (record_id) where o.email like '${CANARY}%'`;
}

/** The owner asks over HTTP; the week is moved into the past, and the service is woken as by the next minute. */
async function erase({ tally }: Drill, server: ThrowawayServer, url: string, erased: DrilledAgent): Promise<void> {
  await askForErasure(url, erased);
  const refused = await request(url, '/api/v1/public/auth/status', { headers: { 'x-api-key': erased.api_key } });
  tally.holds('its key is refused at once', refused.status === 401, refused.text);
  const [owner] = await server.query('postgres', `select owner_id from app.owners where erases_at is not null`);
  await server.query('postgres', `update app.owners set erases_at = app.now() where owner_id = '${owner?.owner_id}'`);
  const begin = performance.now();
  await wake(server);
  await until(server, `select ended_at is not null as yes from app.erasures where owner_id = '${owner?.owner_id}'`);
  const [row] = await server.query('postgres', 'select records from app.erasures');
  const took = ((performance.now() - begin) / 1_000).toFixed(1);
  tally.holds('every record is erased', Number(row?.records) === erased.records.length, row);
  console.log(`  erased within ${took} s`);
}

async function wake(server: ThrowawayServer): Promise<void> {
  await onClient(server.url(SERVICE), async (client) => {
    const sql = {
      rows: async (text: string, values: readonly unknown[]) => (await client.query(text, [...values])).rows,
    };
    const jobs = await openJobQueue({ sql, log: console });
    await jobs.queue.enqueue('erase-owners');
    await jobs.close();
  });
}

/** Grading goes on without the owner; decisions of now stay open. */
async function allGraded(server: ThrowawayServer): Promise<void> {
  await until(
    server,
    `select not exists (select from app.decisions where submission_time > data_cutoff + interval '1 year'
      and lifecycle_state <> 'evaluated') as yes`,
  );
}

function backUp(drill: Drill, server: ThrowawayServer, name: string): string {
  const folder = join(drill.folder, name);
  mkdirSync(folder);
  const file = join(folder, `${name}.dump`);
  const { code, output } = runAdmin(server, drill, 'backup', file);
  if (code !== 0) throw new Error(output);
  return file;
}

function shown(dump: string): readonly string[] {
  return linesWith(CANARY, dump).map((line) => line.slice(0, 200));
}

/** A salt that somebody removed past the service is missing: nobody was erased. */
async function checkMissing(
  drill: Drill,
  server: ThrowawayServer,
  erased: DrilledAgent,
  [record_id = '']: readonly string[],
): Promise<void> {
  await server.query('postgres', `${REMOVE_SALT} where record_id = '${record_id}'`);
  const { code, output } = runAdmin(server, drill, 'check-evidence');
  const fault = `${record_id}: the salt of its commitment is missing, and its owner was not erased`;
  drill.tally.holds('a salt that is removed by hand is missing', code === 1 && output.includes(fault), output);
  const named = erased.records.filter((id) => output.includes(id));
  drill.tally.check('and no record of the erased owner is', named);
}

const REMOVE_SALT = `
  alter table app.decision_documents disable trigger user;
  update app.decision_documents set salt = null`;

/** A restored backup has the text again, until the operator erases the owner again. */
async function checkErasedAgain(drill: Drill, backup: string, { email }: DrilledAgent, dumps: string): Promise<void> {
  const { run, place, tally, adopt } = drill;
  const server = adopt(await makeServer(run, join(place, 'erased-again')));
  const restored = runAdmin(server, drill, 'restore', backup);
  tally.holds('a backup from before is restored', restored.code === 0, restored.output);
  const back = linesWith(CANARY, dumpOf(run, server, dumps, 'restored')).length;
  tally.holds('it has the text again', back > 0, back);
  const { code, output } = runAdmin(server, drill, 'delete-owner', email, '--yes');
  tally.holds('delete-owner erases the owner again', code === 0, output);
  tally.check('a dump has nothing of it', shown(dumpOf(run, server, dumps, 'erased-again')));
  server.stop();
}
