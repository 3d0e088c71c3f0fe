// Valid calls of every operation, in an order in which each finds what it needs.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { draftExample } from '../../../adapters/http/shapes/workflows/workflow-draft.ts';
import { freePort } from '../../../infrastructure/embedded-postgres/supervisor.ts';
import { codeAt } from '../../harness/one-time-code.ts';
import { SoftAuthenticator } from '../../harness/soft-authenticator.ts';
import type { Call, Send } from './send.ts';

/** The accounts and records that the calls leave behind; other calls use them. */
export interface Cast {
  readonly agent: Readonly<Record<string, string>>;
  readonly owner: Readonly<Record<string, string>>;
  readonly record_id: string;
  readonly agent_id: string;
  readonly key_prefix: string;
  readonly id: string;
  readonly hash: string;
}

export const PORT = await freePort();
/** PUBLIC_URL of the service: passkeys are bound to its host. */
export const ORIGIN = `http://localhost:${PORT}`;
const PASSWORD = 'four plain words, spaced';
const CALL = {
  market: 'stock',
  symbol: 'MSFT',
  venue: 'NASDAQ',
  asset_class: 'spot',
  quote_currency: 'USD',
  direction: 'bullish',
  horizon_kind: 'trading_days',
  horizon_value: 5,
  data_cutoff: '2003-02-13T14:00:00Z',
  key_factors: ['Stock split announced', { factor: 'Below its average', id: 'a', weight: 0.5 }],
  tags: ['called'],
};
const NEVER = 'dec_20170605_00000000';
const INSTRUMENT = { market: 'crypto', symbol: 'BTC', venue: 'COINBASE', asset_class: 'spot', quote_currency: 'USD' };

/** Runs a command of the operator. */
type RunCommand = (...words: readonly string[]) => Promise<unknown>;

/** Calls every operation. */
export async function callEveryOperation(send: Send, runCommand: RunCommand): Promise<Cast> {
  const email = `${randomUUID()}@example.com`;
  await useAccount(send);
  await useFactors(send, runCommand);
  await usePasskeys(send);
  const { body: account } = await send('POST /api/v1/public/auth/quick-setup', { body: { email, password: PASSWORD } });
  await runCommand('grant-admin', email);
  const agent = { 'x-api-key': textOf(account, 'api_key') };
  const owner = await sessionOf(send, email);
  const record_id = await useDecisions(send, agent);
  const keys = await useKeys(send, owner);
  await useWebhooks(send, owner);
  const workflow = await useWorkflows(send, owner, agent);
  const cast = { agent, owner, record_id, agent_id: textOf(account, 'agent_id'), ...keys, ...workflow };
  await useBacktests(send, cast);
  await readOwn(send, cast);
  await readPublic(send, cast);
  await administer(send, cast);
  return cast;
}

/** Opens an account, changes its password and ends its sessions: each ends the session of its own request or others. */
async function useAccount(send: Send): Promise<void> {
  const email = `${randomUUID()}@example.com`;
  await send('POST /api/v1/public/auth/register', { body: { email, password: PASSWORD } });
  await logIn(send, email);
  const headers = await sessionOf(send, email);
  const path = '/api/v1/owner/auth/sessions';
  const { body } = await send(`GET ${path}`, { headers });
  const { items } = body as { readonly items: readonly { readonly session_id: string; readonly current: boolean }[] };
  const session_id = items.find(({ current }) => !current)?.session_id ?? '';
  await send(`DELETE ${path}/{session_id}`, { headers, params: { session_id } });
  await send(`DELETE ${path}`, { headers });
  const token = 'x'.repeat(43);
  await send('POST /api/v1/owner/auth/email/confirmation', { headers });
  await send('POST /api/v1/public/auth/email/confirm', { body: { token } });
  await send('POST /api/v1/public/auth/password-reset', { body: { email } });
  await send('POST /api/v1/public/auth/password-reset/confirm', { body: { token, new_password: PASSWORD } });
  await send('GET /api/v1/owner/export', { headers });
  await send('GET /api/v1/owner/record-proof', { headers, query: { agent_id: `agt_${'0'.repeat(12)}` } });
  for (const method of ['POST', 'GET', 'DELETE', 'DELETE']) await send(`${method} /api/v1/owner/erasure`, { headers });
  await send('POST /api/v1/owner/auth/reauthenticate', { headers, body: { password: PASSWORD } });
  const passwords = { current_password: PASSWORD, new_password: PASSWORD };
  await send('PUT /api/v1/owner/password', { headers, body: { ...passwords, revoke_keys: true } });
  await send('PUT /api/v1/owner/password', { headers, body: passwords });
}

/** Registers a passkey, logs in with it, renames and removes it. */
async function usePasskeys(send: Send): Promise<void> {
  const account = { email: `${randomUUID()}@example.com`, password: PASSWORD };
  await send('POST /api/v1/public/auth/register', { body: account });
  const path = '/api/v1/owner/auth/factors/passkeys';
  const here = { origin: ORIGIN, rpId: new URL(ORIGIN).hostname };
  const browser = { 'sec-fetch-site': 'same-origin' };
  const session = { ...browser, cookie: await logIn(send, account.email) };
  const begun = await send(`POST ${path}/options`, { headers: session });
  const authenticator = new SoftAuthenticator();
  const passkey = authenticator.create(begun.body as Parameters<SoftAuthenticator['create']>[0], here);
  const headers = { ...browser, cookie: `${session.cookie}; ${cookieOf(begun)}` };
  const { body } = await send(`POST ${path}`, { headers, body: { name: 'Laptop', passkey } });
  const { passkey_id } = (body as { readonly passkey: { readonly passkey_id: string } }).passkey;
  const challenge = await send('POST /api/v1/public/auth/passkey/options', { headers: browser });
  const answer = authenticator.get(challenge.body as { readonly challenge: string }, here);
  const login = await send('POST /api/v1/public/auth/passkey', {
    headers: { ...browser, cookie: cookieOf(challenge) },
    body: { passkey: answer },
  });
  const owner = { headers: { ...browser, cookie: cookieOf(login) }, params: { passkey_id } };
  await send(`PATCH ${path}/{passkey_id}`, { ...owner, body: { name: 'Phone' } });
  await send(`DELETE ${path}/{passkey_id}`, owner);
}

/** Enrols an authenticator app, logs in with its codes, and removes it. */
async function useFactors(send: Send, runCommand: RunCommand): Promise<void> {
  const account = { email: `${randomUUID()}@example.com`, password: PASSWORD };
  await send('POST /api/v1/public/auth/register', { body: account });
  const path = '/api/v1/owner/auth/factors';
  const headers = await sessionOf(send, account.email);
  const { body: begun } = await send(`POST ${path}/totp`, { headers });
  const totp = codeAt(textOf(begun, 'secret'), new Date());
  const confirmed = await send(`POST ${path}/totp/confirm`, { headers, body: { totp } });
  const enrolled = { ...headers, cookie: cookieOf(confirmed) };
  await send(`GET ${path}`, { headers: enrolled });
  const { body } = await send(`POST ${path}/recovery-codes`, { headers: enrolled });
  const [recovery_code = ''] = (body as { readonly recovery_codes: readonly string[] }).recovery_codes;
  const login = await send('POST /api/v1/public/auth/login', { body: { ...account, recovery_code } });
  const proven = { ...headers, cookie: cookieOf(login) };
  await runCommand('reset-factors', account.email, '--seen', 'known_number');
  await send(`DELETE ${path}/reset`, { headers: proven });
  await send(`DELETE ${path}/totp`, { headers: proven });
}

async function sessionOf(send: Send, email: string): Promise<Cast['owner']> {
  return { cookie: await logIn(send, email), 'sec-fetch-site': 'same-origin' };
}

/** Ends the session of the cast, so this call comes last. */
export async function endSession(send: Send, { owner }: Pick<Cast, 'owner'>): Promise<void> {
  await send('POST /api/v1/owner/auth/logout', { headers: owner });
}

async function logIn(send: Send, email: string): Promise<string> {
  return cookieOf(await send('POST /api/v1/public/auth/login', { body: { email, password: PASSWORD } }));
}

function cookieOf({ headers }: { readonly headers: Headers }): string {
  const [cookie = ''] = headers.get('set-cookie')?.split(';') ?? [];
  return cookie;
}

async function useDecisions(send: Send, headers: Cast['agent']): Promise<string> {
  const path = '/api/v1/agent/decisions';
  await send(`POST ${path}`, { headers, body: CALL, query: { validate_only: 'true' } });
  const keyed = { ...headers, 'idempotency-key': randomUUID() };
  const { body } = await send(`POST ${path}`, { headers: keyed, body: CALL });
  await send(`POST ${path}`, { headers: keyed, body: CALL });
  const byRecord = { headers, params: { record_id: textOf(body, 'record_id') } };
  for (let reads = 0; reads < 60; reads += 1) {
    const { body: state } = await send(`GET ${path}/{record_id}/state`, byRecord);
    if (textOf(state, 'state') === 'closed') break;
    await sleep(1_000);
  }
  const query = { leaf: 'outcome', opening: 'full' };
  await awaitReceipt(send, `GET ${path}/{record_id}/receipt`, { ...byRecord, query });
  const note = { ...byRecord, body: { text: 'Ignored the CPI date' } };
  for (const _ of [201, 200]) await send(`POST ${path}/{record_id}/notes`, note);
  await send(`GET ${path}/{record_id}`, byRecord);
  await send(`GET ${path}/{record_id}/graph`, { ...byRecord, query: { depth: '2', direction: 'both' } });
  await send(`GET ${path}`, { headers, query: { limit: '1', market: 'stock' } });
  await send(`POST ${path}/batch`, { headers, body: { record_ids: [byRecord.params.record_id, NEVER, 'nonsense'] } });
  const { horizon_kind, horizon_value: _, ...shared } = CALL;
  const group = {
    ...shared,
    direction: 'neutral',
    horizons: [5, 10].map((horizon_value) => ({ horizon_kind, horizon_value })),
  };
  const groups = '/api/v1/agent/decision-groups';
  await send(`POST ${groups}`, { headers, body: group, query: { validate_only: 'true' } });
  await send(`POST ${groups}`, { headers, body: group });
  await send('GET /api/v1/agent/instruments', { headers, query: { query: 'MSFT', limit: '2' } });
  const recalled = { market: 'stock', symbol: 'MSFT', direction: 'bearish', tokens: '400' };
  await send('GET /api/v1/agent/recall', { headers, query: recalled });
  await send('GET /api/v1/agent/events', { headers, query: { limit: '2' } });
  const plan = { query: { market: 'stock', include_retroactive: true }, sentence: 'It rises.' };
  const { body: stated } = await send('POST /api/v1/agent/plans', { headers, body: plan });
  await send('POST /api/v1/agent/plans', { headers, body: plan });
  await send('GET /api/v1/agent/wisdom', { headers, query: { market: 'stock', include_retroactive: 'true' } });
  const byPlan = { headers, params: { plan_id: textOf(stated, 'plan_id') } };
  await send('GET /api/v1/agent/plans', { headers, query: { limit: '1' } });
  await send('GET /api/v1/agent/plans/{plan_id}', byPlan);
  await awaitReceipt(send, 'GET /api/v1/agent/plans/{plan_id}/receipt', { ...byPlan, query: { opening: 'full' } });
  return byRecord.params.record_id;
}

/** Returns when the evidence log has the leaf, or after a minute. */
async function awaitReceipt(send: Send, operation: string, call: Call): Promise<void> {
  for (let reads = 0; reads < 60; reads += 1) {
    const { status } = await send(operation, call);
    if (status === 200) return;
    await sleep(1_000);
  }
}

async function useKeys(send: Send, headers: Cast['owner']): Promise<Pick<Cast, 'key_prefix'>> {
  const path = '/api/v1/owner/auth/api-keys';
  const { body: made } = await send(`POST ${path}`, { headers, body: { agent_name: 'Second', label: 'called' } });
  const byKey = (key: unknown) => ({ headers, params: { key_prefix: textOf(key, 'key_prefix') } });
  await send(`PATCH ${path}/{key_prefix}`, { ...byKey(made), body: { permission_mode: 'read_only' } });
  const { body: rotated } = await send(`POST ${path}/{key_prefix}/rotate`, byKey(made));
  await send(`GET ${path}`, { headers });
  const { body: spare } = await send(`POST ${path}`, { headers, body: { label: 'spare' } });
  await send(`DELETE ${path}/{key_prefix}`, byKey(spare));
  const byAgent = { headers, params: { agent_id: textOf(spare, 'agent_id') } };
  const agent = '/api/v1/owner/agents/{agent_id}';
  for (const act of ['archive', 'restore']) await send(`POST ${agent}/${act}`, byAgent);
  await send(`DELETE ${agent}`, byAgent);
  return { key_prefix: textOf(rotated, 'key_prefix') };
}

async function useWebhooks(send: Send, headers: Cast['owner']): Promise<void> {
  const path = '/api/v1/owner/webhooks';
  const { body: made } = await send(`POST ${path}`, { headers, body: { url: 'https://example.com/webhooks' } });
  const webhook_id = textOf(made, 'webhook_id');
  const byId = { headers, params: { webhook_id } };
  await send(`GET ${path}`, { headers });
  await send(`GET ${path}/{webhook_id}`, byId);
  await send(`PATCH ${path}/{webhook_id}`, { ...byId, body: { enabled: false, event_types: ['circuit.changed'] } });
  await send(`POST ${path}/{webhook_id}/rotate-secret`, byId);
  const { body: test } = await send(`POST ${path}/{webhook_id}/test`, byId);
  await send(`GET ${path}/{webhook_id}/deliveries`, { ...byId, query: { status: 'pending', limit: '2' } });
  const params = { webhook_id, delivery_id: textOf(test, 'delivery_id') };
  await send(`POST ${path}/{webhook_id}/deliveries/{delivery_id}/resend`, { headers, params });
  await send(`POST ${path}/{webhook_id}/resend-failed`, { ...byId, body: { since: '2026-01-29T00:00:00Z' } });
  await send(`DELETE ${path}/{webhook_id}`, byId);
}

async function useWorkflows(
  send: Send,
  headers: Cast['owner'],
  agent: Cast['agent'],
): Promise<Pick<Cast, 'id' | 'hash'>> {
  const path = '/api/v1/owner/workflows';
  const { body: made } = await send(`POST ${path}`, { headers, body: { ...draftExample, visibility: 'public' } });
  const byId = { headers, params: { id: textOf(made, 'id') } };
  await send(`PUT ${path}/{id}`, { ...byId, body: { expected_version: 1, tags: ['changed'] } });
  const { body: snapshot } = await send(`POST ${path}/{id}/snapshots`, byId);
  for (const part of ['', '/snapshots', '/usage']) await send(`GET ${path}/{id}${part}`, byId);
  const { text } = await send(`GET ${path}/{id}/yaml`, byId);
  await send(`POST ${path}/import`, { headers: { ...headers, 'content-type': 'application/yaml' }, body: text });
  const { body: fork } = await send(`POST ${path}/{id}/fork`, byId);
  await send(`DELETE ${path}/{id}`, { headers, params: { id: textOf(fork, 'id') } });
  await send(`GET ${path}`, { headers, query: { search: 'idea', per_page: '1' } });
  await send('GET /api/v1/public/workflows', { headers: agent, query: { sort: 'newest' } });
  const hash = textOf(snapshot, 'hash');
  for (const part of ['', '/yaml', '/export']) {
    await send(`GET /api/v1/public/workflows/snapshots/{hash}${part}`, { params: { hash } });
  }
  return { id: byId.params.id, hash };
}

async function useBacktests(send: Send, { agent: headers, owner, agent_id }: Cast): Promise<void> {
  const path = '/api/v1/agent/backtests/{set}';
  const bySet = { headers, params: { set: 'called' } };
  const { tags: _, ...call } = CALL;
  const about = { source: 'called', horizon_rule: '5 trading days, for all' };
  const rows = [
    { external_id: 'a', ...call },
    { external_id: 'b', ...call, data_cutoff: '2099-01-02T14:00:00Z' },
  ];
  for (const __ of ['accepted', 'repeated']) await send(`POST ${path}`, { ...bySet, body: { about, rows } });
  for (let reads = 0; reads < 60; reads += 1) {
    const { body } = await send(`GET ${path}`, bySet);
    if ((body as { readonly ungraded_yet: number }).ungraded_yet === 0) break;
    await sleep(1_000);
  }
  const note = { external_id: 'a', text: 'Ignored the CPI date', as_of: '2003-03-14T14:30:00Z' };
  for (const __ of [201, 200]) await send(`POST ${path}/notes`, { ...bySet, body: note });
  const query = { market: 'stock', symbol: 'MSFT', set: 'called' };
  await send('GET /api/v1/agent/recall', { headers, query });
  await send('GET /api/v1/owner/backtests', { headers: owner });
  const byOwner = { headers: owner, params: { agent_id, set: 'called' } };
  await send('GET /api/v1/owner/agents/{agent_id}/backtests/{set}/export', byOwner);
  await send('DELETE /api/v1/owner/agents/{agent_id}/backtests/{set}', byOwner);
}

async function readOwn(send: Send, { owner: headers, record_id, agent_id }: Cast): Promise<void> {
  const path = '/api/v1/owner';
  const byRecord = { headers, params: { record_id } };
  await send(`GET ${path}/agents`, { headers });
  await send(`GET ${path}/agents/{agent_id}/track-record`, { headers, params: { agent_id } });
  await send(`GET ${path}/dashboard`, { headers });
  await send(`GET ${path}/outcomes`, { headers, query: { by: 'month' } });
  await send(`GET ${path}/security-events`, { headers, query: { kind: 'login', limit: '2' } });
  await send(`GET ${path}/events`, { headers, query: { limit: '2' } });
  const digest = (await send(`GET ${path}/events/digest`, { headers })).body as { readonly read_mark: string };
  await send(`PUT ${path}/events/read-mark`, { headers, body: { read_mark: digest.read_mark } });
  await send(`GET ${path}/decisions`, { headers, query: { lifecycle_state: 'evaluated' } });
  await send(`GET ${path}/decisions/{record_id}`, byRecord);
  await send(`GET ${path}/decisions/{record_id}/state`, byRecord);
  const byNote = { ...byRecord, params: { ...byRecord.params, number: '1' } };
  await send(`DELETE ${path}/decisions/{record_id}/notes/{number}`, byNote);
  await send(`POST ${path}/decisions/{record_id}/revoke`, { ...byRecord, body: { reason: 'called' } });
  await send(`GET ${path}/decisions/{record_id}`, { ...byRecord, query: { include_archived: 'true' } });
  const versions = { terms_version: '1.0', privacy_version: '1.0', source: 'called' };
  await send(`POST ${path}/legal-acceptance`, { headers, body: versions });
  await send(`GET ${path}/legal-status`, { headers });
  await send(`PUT ${path}/preferences`, { headers, body: { display_name: 'Called', notify: { email: true } } });
}

async function readPublic(send: Send, { agent, record_id }: Cast): Promise<void> {
  const path = '/api/v1/public';
  await send(`GET ${path}/decisions`, {});
  for (const part of ['', '/graph', '/state', '/proof']) {
    await send(`GET ${path}/decisions/{record_id}${part}`, { params: { record_id } });
  }
  const { body: shown } = await send(`GET ${path}/decisions/{record_id}`, { params: { record_id } });
  const { log } = shown as { readonly log: { readonly index: number } | null };
  await send(`GET ${path}/log/{index}`, { params: { index: String(log?.index) } });
  await send(`GET ${path}/auth/status`, { headers: agent, query: { include: 'quota' } });
  await send(`GET ${path}/atlas/network`, {});
  await send(`GET ${path}/atlas/seeds`, { query: { limit: '3' } });
  await send(`GET ${path}/cohorts`, { query: { market: 'stock', period: '2003-02' } });
  await send(`GET ${path}/securities/{market}/{symbol}`, { params: { market: 'crypto', symbol: 'XBT' } });
  await send(`GET ${path}/securities/names`, {});
  await send(`GET ${path}/stablecoin`, {});
  await send('GET /api/v1/nodes', {});
  await send('GET /api/v1/nodes/{id}', { params: { id: 'decision.submit' } });
  await send(`GET ${path}/auth/idp`, {});
  await send(`GET ${path}/auth/idp/callback`, { query: { code: 'a', state: 'b' } });
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  await send(`POST ${path}/auth/idp/backchannel-logout`, { headers: form, body: 'logout_token=a.b.c' });
  await send(`POST ${path}/auth/idp/device`, {});
  await send(`POST ${path}/auth/idp/device/poll`, { body: { device_code: 'x'.repeat(43) } });
}

async function administer(send: Send, { owner: headers, record_id }: Cast): Promise<void> {
  const path = '/api/v1/admin';
  const byCoin = { headers, params: { coin: 'USDC' } };
  await send(`GET ${path}/status`, { headers });
  await send(`GET ${path}/minutes`, { headers });
  await send(`POST ${path}/sources/probe`, { headers });
  await send(`POST ${path}/backups`, { headers });
  await send(`GET ${path}/stablecoin`, { headers });
  await send(`POST ${path}/stablecoin/{coin}/trip`, { ...byCoin, body: { reason: 'called' } });
  await send(`GET ${path}/stablecoin/{coin}/history`, { ...byCoin, query: { limit: '2' } });
  await send(`GET ${path}/security-events`, { headers, query: { result: 'failure', limit: '2' } });
  const resolution = { justification: 'sound', evidence_urls: ['https://example.com/report'] };
  await send(`POST ${path}/stablecoin/{coin}/resolve`, { ...byCoin, body: resolution });
  const refresh = `${path}/instruments/{market}/{symbol}/{venue}/{asset_class}/{quote_currency}/refresh`;
  await send(`POST ${refresh}`, { headers, params: INSTRUMENT });
  const quarantine = { headers, params: { record_id }, body: { reason: 'called' } };
  await send(`POST ${path}/decisions/{record_id}/quarantine`, quarantine);
  await send(`GET ${path}/quarantined-decisions`, { headers, query: { limit: '2' } });
  await send(`POST ${path}/decisions/{record_id}/release`, quarantine);
  await send(`GET ${path}/instruments`, { headers, query: { limit: '2' } });
  await send(`GET ${path}/stablecoin/{coin}/observations`, { ...byCoin, query: { hours: '1' } });
  await send(`GET ${path}/audit-log`, { headers, query: { action: 'quarantine', limit: '2' } });
  await controlAccount(send, headers);
}

/** Suspends an account that nothing else uses, and resumes it. */
async function controlAccount(send: Send, headers: Cast['owner']): Promise<void> {
  const path = '/api/v1/admin/accounts';
  const { body } = await send(`GET ${path}`, { headers, query: { role: 'owner', limit: '1' } });
  const { items } = body as { readonly items: readonly { readonly owner_id: string }[] };
  const byOwner = { headers, params: { owner_id: items[0]?.owner_id ?? '' } };
  await send(`GET ${path}/{owner_id}`, byOwner);
  await send(`PUT ${path}/{owner_id}/tier`, { ...byOwner, body: { tier: 'free' } });
  await send(`POST ${path}/{owner_id}/suspend`, { ...byOwner, body: { reason: 'called' } });
  await send(`POST ${path}/{owner_id}/resume`, byOwner);
}

function textOf(body: unknown, member: string): string {
  const value = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[member] : undefined;
  return typeof value === 'string' ? value : '';
}
