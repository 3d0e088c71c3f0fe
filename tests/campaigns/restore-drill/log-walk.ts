import { cpSync, mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { auditLog, isAudited } from '../../../clients/typescript/verify/audit.ts';
import { textOf } from '../../../clients/typescript/verify/verdict.ts';
import { noteOf, vkeyText } from '../../../domain/log/notes/note.ts';
import { onClient } from '../stage/client.ts';
import { makeLogKey } from '../stage/evidence-log.ts';
import type { Tally } from '../stage/tally.ts';
import { type DrilledAgent, request, submit } from './population.ts';
import { type LogSettings, runAdmin, type ServiceOnServer, type Settings, startServiceOn } from './running-service.ts';
import { OWNER, type ThrowawayServer } from './throwaway-server.ts';

/** Settings of a service on a machine that kept its note, while its database was lost. */
export type LoggedSettings = Settings & { readonly log: LogSettings };

/** The same with a copy of the note. */
export function noteCopied({ key, machine }: LogSettings, name: string): LogSettings {
  const copy = `${machine}-${name}`;
  cpSync(machine, copy, { recursive: true });
  return { key, machine: copy };
}

/** On a restored database that lacks leaves: nothing is signed, and both ways out of that work as docs/log-operation.md says. */
export async function walkLog(
  tally: Tally,
  server: ThrowawayServer,
  settings: LoggedSettings,
  agent: DrilledAgent,
): Promise<void> {
  console.log('The evidence log of the restored database');
  const ended = await onService(server, settings, (service) => checkRefused(tally, service, agent));
  const seen = /lea(f|ves) of .* (was|were) seen/;
  const checked = runAdmin(server, settings, 'check-evidence');
  tally.holds(
    'check-evidence names the missing leaves',
    checked.code === 1 && seen.test(checked.output),
    checked.output,
  );
  const { output } = runAdmin(server, settings, 'status');
  tally.holds('status shows how many leaves were seen, and how many are stored', seen.test(output), output);
  const copy = await copyOf(server);
  await checkResumed(tally, copy, { ...settings, log: noteCopied(settings.log, 'resumed') }, agent);
  await checkNext(tally, server, settings, agent, ended);
}

/** A database that lacks nothing goes on. */
export async function checkContinued(tally: Tally, server: ThrowawayServer, settings: LoggedSettings): Promise<void> {
  await onService(server, settings, async (service) => {
    tally.holds('the log of a database that lacks nothing goes on', await has(service, true), service.output());
  });
}

async function onService<T>(
  server: ThrowawayServer,
  settings: Settings,
  work: (service: ServiceOnServer) => Promise<T>,
): Promise<T> {
  const service = await startServiceOn(server, settings);
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}

/** Returns the checkpoint that is served, which is the last one of this log. */
async function checkRefused(tally: Tally, service: ServiceOnServer, { api_key }: DrilledAgent): Promise<string> {
  // On a busy machine /readyz may be degraded before the first run of the log.
  const isLogged = () => service.output().includes('The evidence log is not signed');
  for (const end = Date.now() + SIGNED; !isLogged() && Date.now() < end; ) await sleep(200);
  tally.holds('an error is logged', isLogged(), service.output());
  tally.holds('a restored log is not signed, and /readyz shows it', await has(service, 'degraded'), service.output());
  const { text } = await request(service.url, '/log/1/checkpoint');
  const record_id = await submit(service.url, api_key, WAITING, '');
  const receipt = await receiptOf(service, api_key, record_id, UNSIGNED);
  tally.holds('submissions are accepted and have no receipt', receipt === null, receipt);
  const { text: later } = await request(service.url, '/log/1/checkpoint');
  tally.holds('the last checkpoint stays served', text === later && text !== '', later);
  return text;
}

/** Submissions that are made while the log is not signed, and once it goes on; odd ones follow no workflow. */
const [WAITING, NEXT] = [1_003, 1_005];
/** Milliseconds in which a log that is signed would have had a leaf. */
const UNSIGNED = 10_000;
const SIGNED = 120_000;

async function checkResumed(
  tally: Tally,
  server: ThrowawayServer,
  settings: LoggedSettings,
  { api_key }: DrilledAgent,
): Promise<void> {
  const { code, output } = runAdmin(server, settings, 'log-resume');
  tally.holds('log-resume ends without a fault', code === 0, output);
  await onService(server, settings, async (service) => {
    const record_id = await submit(service.url, api_key, WAITING, '');
    const receipt = await receiptOf(service, api_key, record_id, SIGNED);
    tally.holds('after log-resume what waited gets its receipt', receipt !== null, service.output());
    tally.holds('/readyz shows that the log is signed', await has(service, true), service.output());
    await checkAudit(tally, service, settings, 1);
  });
}

async function checkNext(
  tally: Tally,
  server: ThrowawayServer,
  settings: LoggedSettings,
  { api_key }: DrilledAgent,
  ended: string,
): Promise<void> {
  const refused = runAdmin(server, settings, 'log-new');
  const isSaid = refused.code === 1 && refused.output.includes('openssl genpkey -algorithm ed25519');
  tally.holds('log-new with the key of the log is refused, and says what to do', isSaid, refused.output);
  const folder = `${settings.log.machine}-next`;
  mkdirSync(folder);
  const next = { ...settings, log: { ...settings.log, key: makeLogKey(folder) } };
  const { code, output } = runAdmin(server, next, 'log-new');
  const isSaidOfGone = code === 0 && output.includes('/log/2') && /Gone for good: \d+ (leaf|leaves)/.test(output);
  tally.holds('log-new with another key says how many leaves are gone', isSaidOfGone, output);
  await onService(server, next, async (service) => {
    const old = await receiptOf(service, api_key, await submit(service.url, api_key, WAITING, ''), SIGNED);
    tally.holds('what was submitted before log-new is a decision of log 2', isOf(old, 2), old);
    const fresh = await receiptOf(service, api_key, await submit(service.url, api_key, NEXT, ''), SIGNED);
    tally.holds('so is what is submitted after it', isOf(fresh, 2), fresh);
    tally.holds('/readyz shows that log 2 is signed', await has(service, true), service.output());
    const lines = await checkAudit(tally, service, next, 2);
    const isNamed = /continues +\d+ leaves of \S+\/log\/1 are gone from leaf \d+ on, as that says/.test(lines);
    tally.holds('the verifier shows that log 2 says which leaves are gone', isNamed, lines);
    await checkAudit(tally, service, settings, 1);
    tally.check('log 2 has every decision and every outcome once', await unlogged(server));
    const { text } = await request(service.url, '/log/1/checkpoint');
    tally.holds('the files of log 1 stay as they were', text === ended, text);
    const policy = (await request(service.url, '/log/policy')).text;
    const keys = [/^log \S+\/log\/1\+/m, /^log \S+\/log\/2\+/m];
    tally.holds(
      'the policy has the keys of both logs',
      keys.every((key) => key.test(policy)),
      policy,
    );
  });
}

/** Whether a receipt opens a decision, and its checkpoint is of the log with this number. */
function isOf(receipt: string | null, log: number): boolean {
  return typeOf(receipt) === 'decision' && new RegExp(`\n\n\\S+/log/${log}\n`).test(receipt ?? '');
}

/** The records that lack a leaf, once an outcome of the last moment had time for one: log 2 has those of log 1. */
async function unlogged(server: ThrowawayServer): Promise<readonly string[]> {
  let rows = await server.query('postgres', UNLOGGED);
  for (const end = Date.now() + SIGNED; rows.length > 0 && Date.now() < end; await sleep(200)) {
    rows = await server.query('postgres', UNLOGGED);
  }
  return rows.map((row) => JSON.stringify(row));
}

const UNLOGGED = `
  select r.record_id, d.index as decision, o.record_id is not null as is_graded, l.index as outcome
  from app.decisions r left join app.log_decisions d on d.record_id = r.record_id and d.log = 1
    left join app.decision_outcomes o on o.record_id = r.record_id
    left join app.log_outcomes l on l.record_id = r.record_id and l.log = 1
  where d.index is null or (o.record_id is not null and l.index is null)`;

/** Audits a log over HTTP, as anybody can; returns the lines. */
export async function checkAudit(
  tally: Tally,
  { url }: Pick<ServiceOnServer, 'url'>,
  { log: { key } }: LoggedSettings,
  log: number,
): Promise<string> {
  const served = async (path: string) => {
    const reply = await fetch(`${url}/log/${log}/${path}`);
    if (!reply.ok) throw new Error(`${path} was answered ${reply.status}.`);
    return reply.bytes();
  };
  const checkpoint = new TextDecoder().decode(await served('checkpoint'));
  const { origin, policy } = policyOf(key, checkpoint);
  const { lines } = await auditLog(served, policy, null, { now: Math.floor(Date.now() / 1_000) });
  const text = lines.map(textOf).join('\n');
  tally.holds(`the verifier audits ${origin}`, isAudited(lines), text);
  return text;
}

/** The origin of a checkpoint, and the policy that trusts this key for it. */
export function policyOf(key: LogSettings['key'], checkpoint: string) {
  const [origin = ''] = noteOf(checkpoint).text.split('\n');
  return { origin, policy: `log ${vkeyText(key.verifierKey(origin))}\nquorum none\n` };
}

/** Whether /readyz shows this state within a time. */
async function has({ url }: ServiceOnServer, state: unknown): Promise<boolean> {
  for (const end = Date.now() + SIGNED; Date.now() < end; await sleep(200)) {
    const { body } = await request(url, '/readyz');
    if (body?.checks?.evidence_log === state) return true;
  }
  return false;
}

async function receiptOf({ url }: ServiceOnServer, api_key: string, record_id: string, patience: number) {
  const headers = { 'x-api-key': api_key };
  for (const end = Date.now() + patience; Date.now() < end; await sleep(200)) {
    const { status, text } = await request(url, `/api/v1/agent/decisions/${record_id}/receipt`, { headers });
    if (status === 200) return text;
  }
  return null;
}

/** The type of the leaf that a proof opens. */
function typeOf(proof: string | null): unknown {
  const [, extra = ''] = /^extra (.+)$/m.exec(proof ?? '') ?? [];
  return extra === '' ? null : JSON.parse(Buffer.from(extra, 'base64').toString()).leaf.t;
}

const COPY = 'resumed';

/** A second database of the server, as the first one is now. */
async function copyOf(server: ThrowawayServer): Promise<ThrowawayServer> {
  await onClient(server.url('postgres', 'postgres'), async (client) => {
    await client.query(`create database ${COPY} template stancebook owner ${OWNER}`);
  });
  return { ...server, url: (role) => server.url(role, COPY) };
}
