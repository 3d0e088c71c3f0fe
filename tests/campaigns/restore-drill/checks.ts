import { ask, callNumber, type Population, submit } from './population.ts';
import { admin, type ServiceOnServer, type Settings, startServiceOn } from './running-service.ts';
import { OWNER, SERVICE, type ThrowawayServer } from './throwaway-server.ts';
import { differencesOf, type Told, toldOf } from './told.ts';

/** Notes whether something held, and says so. */
export type Note = (held: boolean, what: string, why?: string) => void;

/** Everything that must hold of a database that was restored, with the service on it. */
export async function checkRestored(
  note: Note,
  server: ThrowawayServer,
  settings: Settings,
  { population, told }: { readonly population: Population; readonly told: Told },
): Promise<void> {
  const evidence = admin(server, settings, 'check-evidence');
  note(
    evidence.code === 0,
    'the evidence is what it was sealed as, and cohorts count what the records say',
    evidence.told,
  );
  const again = admin(server, settings, 'recompute', '--all');
  note(again.code === 0, 'every outcome comes out the same when it is computed again', again.told);
  await checkProtection(note, server);
  const service = await startServiceOn(server, settings);
  try {
    const differing = differencesOf(told, await toldOf(service.url, population));
    note(differing.length === 0, `all ${told.size} questions are answered as before`, differing.slice(0, 5).join('\n'));
    await checkReplays(note, service, population);
  } finally {
    await service.stop();
  }
}

/** Grants and triggers came along: neither the service nor the owner of the schema can change evidence. */
async function checkProtection(note: Note, server: ThrowawayServer): Promise<void> {
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
    note(
      codes.every((code) => code === '42501'),
      `${role} cannot change evidence`,
      codes.join(', '),
    );
  }
}

async function checkReplays(note: Note, { url }: ServiceOnServer, { agents, hashes }: Population): Promise<void> {
  const [agent] = agents;
  if (!agent) throw new Error('There is an agent.');
  const hash = hashes[0] ?? '';
  const replayed = await Promise.all(agent.records.map((_, n) => submit(url, agent.api_key, n, hash)));
  note(
    replayed.every((id, n) => id === agent.records[n]),
    'a submission that was acknowledged is replayed, not taken twice',
  );
  const fresh = await submit(url, agent.api_key, agent.records.length, hash);
  note(!agent.records.includes(fresh), 'a new submission is taken');
  const headers = { 'x-api-key': agent.api_key, 'idempotency-key': 'call-0' };
  const other = await ask(url, '/api/v1/agent/decisions', { headers, body: callNumber(1, hash) });
  note(other.status === 422, 'a key that was used is refused with another body');
}

/** The check itself must see a row that was changed behind the service, by a superuser. */
export async function checkTampered(note: Note, server: ThrowawayServer, settings: Settings): Promise<void> {
  await server.query('postgres', TAMPER);
  const { code, told } = admin(server, settings, 'check-evidence');
  const [row] = await server.query(
    'postgres',
    `select record_id from app.decision_documents order by record_id limit 1`,
  );
  const named = told.includes(`${row?.record_id}: the statement does not match its commitment`);
  note(code === 1 && named, 'a statement that was changed behind the service is found', told);
}

const TAMPER = `
  begin;
  alter table app.decision_documents disable trigger user;
  alter table app.decision_documents drop constraint decision_documents_check;
  update app.decision_documents set statement = replace(statement, 'MSFT', 'AAPL')
    where record_id = (select min(record_id) from app.decision_documents);
  alter table app.decision_documents enable always trigger evidence, enable always trigger evidence_whole;
  commit;`;
