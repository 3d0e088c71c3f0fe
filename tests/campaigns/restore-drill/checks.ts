import type { Tally } from '../stage/tally.ts';
import { type Answers, answersOf, differencesOf } from './answers.ts';
import { callNumber, type Population, request, submit } from './population.ts';
import { runAdmin, type ServiceOnServer, type Settings, startServiceOn } from './running-service.ts';
import { OWNER, SERVICE, type ThrowawayServer } from './throwaway-server.ts';

/** A population, and how the service answered about it. */
export interface Before {
  readonly population: Population;
  readonly answers: Answers;
}

/** Checks everything that must hold of a restored database, with the service on it. */
export async function checkRestored(
  tally: Tally,
  server: ThrowawayServer,
  settings: Settings,
  { population, answers }: Before,
): Promise<void> {
  // Without the note of this machine, as on another one.
  const { log: _, ...elsewhere } = settings;
  const evidence = runAdmin(server, elsewhere, 'check-evidence');
  tally.holds('the evidence matches its seals, and cohorts match the records', evidence.code === 0, evidence.output);
  const recomputed = runAdmin(server, settings, 'recompute', '--all');
  tally.holds('every outcome is the same when it is computed again', recomputed.code === 0, recomputed.output);
  await checkProtection(tally, server);
  const service = await startServiceOn(server, settings);
  try {
    tally.check(
      `all ${answers.size} requests are answered as before`,
      differencesOf(answers, await answersOf(service.url, population)),
    );
    await checkReplays(tally, service, population);
  } finally {
    await service.stop();
  }
}

/** Grants and triggers are restored: neither the service nor the owner of the schema can change evidence. */
async function checkProtection(tally: Tally, server: ThrowawayServer): Promise<void> {
  const changes = [
    'update app.decision_documents set statement = statement',
    'delete from app.decision_outcomes',
    'truncate app.outcome_evidence cascade',
    'delete from app.workflow_snapshots',
    'update app.audit_log set actor = actor',
  ];
  for (const role of [SERVICE, OWNER]) {
    const codes = await Promise.all(
      changes.map((sql) =>
        server.query(role, sql).then(
          () => 'done',
          (error: { readonly code?: string }) => error.code,
        ),
      ),
    );
    const areRefused = codes.every((code) => code === '42501');
    tally.holds(`${role} cannot change evidence`, areRefused, codes.join(', '));
  }
}

async function checkReplays(tally: Tally, { url }: ServiceOnServer, { agents, hashes }: Population): Promise<void> {
  const [agent] = agents;
  if (!agent) throw new Error('The population has no agents.');
  const hash = hashes[0] ?? '';
  const replayed = await Promise.all(agent.records.map((_, n) => submit(url, agent.api_key, n, hash)));
  const areSame = replayed.every((id, n) => id === agent.records[n]);
  tally.holds('an acknowledged submission is replayed, not stored twice', areSame);
  const fresh = await submit(url, agent.api_key, agent.records.length, hash);
  tally.holds('a new submission is accepted', !agent.records.includes(fresh));
  const headers = { 'x-api-key': agent.api_key, 'idempotency-key': 'call-0' };
  const other = await request(url, '/api/v1/agent/decisions', { headers, body: callNumber(1, hash) });
  tally.holds('a used idempotency key is refused with another body', other.status === 422);
}

/** check-evidence must find a row that a superuser changed past the service. */
export async function checkTampered(tally: Tally, server: ThrowawayServer, settings: Settings): Promise<void> {
  await server.query('postgres', TAMPER);
  const { code, output } = runAdmin(server, settings, 'check-evidence');
  const [row] = await server.query(
    'postgres',
    `select record_id from app.decision_documents order by record_id limit 1`,
  );
  const isNamed = output.includes(`${row?.record_id}: the statement does not match its commitment`);
  tally.holds('a statement that was changed past the service is found', code === 1 && isNamed, output);
}

const TAMPER = `
  begin;
  alter table app.decision_documents disable trigger user;
  alter table app.decision_documents drop constraint decision_documents_check;
  update app.decision_documents set statement = replace(statement, 'MSFT', 'AAPL')
    where record_id = (select min(record_id) from app.decision_documents);
  alter table app.decision_documents enable always trigger evidence, enable always trigger evidence_whole;
  commit;`;
