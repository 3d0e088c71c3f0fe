import { randomUUID } from 'node:crypto';
import { sealTotp } from '../../../application/accounts/factors/totp-secret.ts';
import { addAgent } from '../../../application/accounts/keys/add-agent.ts';
import { issueKey } from '../../../application/accounts/keys/issue-key.ts';
import { acceptLegal } from '../../../application/accounts/settings.ts';
import { makeLink } from '../../../application/accounts/sign-in/password-reset.ts';
import { hashOfSession } from '../../../application/accounts/sign-in/session-hash.ts';
import { statePlan } from '../../../application/plans/plans.ts';
import { eventOf } from '../../../domain/accounts/security-event.ts';
import type { LinkPurpose } from '../../../domain/accounts/sign-in/one-time-link.ts';
import { sessionName } from '../../../domain/accounts/sign-in/session.ts';
import { MINUTE } from '../../../domain/time.ts';
import { A_SOURCE, anOwner } from '../../builders/accounts.ts';
import { aWebhook } from '../../builders/webhooks.ts';
import { aReadyDraft } from '../../builders/workflows.ts';
import { sequence } from '../../harness/kept-logs.ts';
import { codeAt } from '../../harness/one-time-code.ts';
import { aPasswordOwner, PASSWORD } from '../../harness/sessions.ts';
import type { Cast } from './cast.ts';
import { byBearer } from './credentials.ts';
import { anOpenCall, openRecord } from './owned-records.ts';
import { aWorkflow } from './owned-workflows.ts';
import { ownPasskey, passkeyAssertion, passkeyAttestation } from './passkey-flows.ts';
import { callback, devicePoll, deviceStart, logoutAtProvider } from './provider-flows.ts';
import type { Row } from './rows.ts';
import type { Asked } from './wire.ts';

/** A valid request, without the credentials of a caller. */
export interface Prepared extends Asked {
  /** The id in the request, which belongs to the owner, and one that never existed. */
  readonly names?: { readonly id: string; readonly ghost: string };
  /** What a caller who is served needs first, and what is undone after the reply. */
  arrange?(): Promise<void>;
  tidy?(): Promise<void>;
  /** Whether a reply is in the form that only the owner gets. */
  isOwn?(body: unknown): boolean;
}

/** The request of a row; a new one each time where success uses it up. */
export async function requestOf(cast: Cast, { operation, method, path, of }: Row): Promise<Prepared> {
  const parts = REQUESTS[operation];
  if (!parts) throw new Error(`There is no request of ${operation}.`);
  const made = await parts(cast, of);
  const id = made.names?.id ?? '';
  const filled = path.replace(
    /\{(record_id|agent_id|plan_id|key_prefix|session_id|webhook_id|passkey_id|id|hash)\}/,
    id,
  );
  return { method, path: `/api/v1${filled}${made.query ?? ''}`, ...made };
}

type Parts = Partial<Prepared> & { readonly query?: string };

const GHOST_RECORD = 'dec_20170605_00000000';
const GHOST_AGENT = 'agt_000000000000';
const GHOST_KEY = 'sbk_00000000';
const GHOST_SESSION = '0'.repeat(24);
const GHOST_WORKFLOW = '00000000-0000-7000-8000-000000000000';
const GHOST_HASH = '0'.repeat(64);
/** Keys with this label are revoked before the next is issued, because the tier limits their number. Also of an agent. */
const SPARE = 'spare';
const MANY = 1_000;
const USDC = '/api/v1/admin/stablecoin/USDC';
const VERSIONS = { terms_version: '1.0', privacy_version: '1.0' };

/** About a new account each time, which is none of the cast. */
function accountOfNobody(path: string, body?: object) {
  return async ({ service }: Cast): Promise<Parts> => {
    const owner = anOwner();
    await service.ports.owners.add(owner);
    return { path: `/api/v1/admin/accounts/${owner.owner_id}${path}`, ...(body && { body }) };
  };
}

const REQUESTS: Readonly<Record<string, (cast: Cast, of: string) => Parts | Promise<Parts>>> = {
  'POST /admin/decisions/{record_id}/quarantine': async (cast, of) => ({
    ...(await record(cast, of)),
    body: { reason: 'a stolen key' },
  }),
  'POST /admin/instruments/{market}/{symbol}/{venue}/{asset_class}/{quote_currency}/refresh': () => ({
    path: '/api/v1/admin/instruments/crypto/BTC/COINBASE/spot/USD/refresh',
  }),
  'GET /admin/security-events': () => ({ path: `/api/v1/admin/security-events?owner_id=${GHOST_WORKFLOW}` }),
  'GET /admin/stablecoin': () => ({}),
  'GET /admin/status': () => ({}),
  'GET /admin/accounts': () => ({ path: `/api/v1/admin/accounts?find=${GHOST_WORKFLOW}` }),
  'GET /admin/accounts/{owner_id}': accountOfNobody(''),
  'POST /admin/accounts/{owner_id}/suspend': accountOfNobody('/suspend', { reason: 'a stolen key' }),
  'POST /admin/accounts/{owner_id}/resume': accountOfNobody('/resume'),
  'PUT /admin/accounts/{owner_id}/tier': accountOfNobody('/tier', { tier: 'free' }),
  'GET /admin/audit-log': () => ({ path: `/api/v1/admin/audit-log?subject=${GHOST_WORKFLOW}` }),
  'GET /admin/quarantined-decisions': () => ({
    path: `/api/v1/admin/quarantined-decisions?owner_id=${GHOST_WORKFLOW}`,
  }),
  'POST /admin/decisions/{record_id}/release': async (cast, of) => ({
    ...(await record(cast, of)),
    body: { reason: 'it was not stolen' },
  }),
  'GET /admin/instruments': () => ({ path: '/api/v1/admin/instruments?symbol=NONE' }),
  'GET /admin/stablecoin/{coin}/observations': () => ({ path: `${USDC}/observations` }),
  'GET /public/decisions': () => ({}),
  'GET /public/stablecoin': () => ({}),
  'GET /admin/stablecoin/{coin}/history': () => ({ path: `${USDC}/history` }),
  'POST /admin/stablecoin/{coin}/resolve': async ({ service: { arrange } }) => {
    await arrange.circuit('USDC', 'warming');
    const body = { justification: 'It holds.', evidence_urls: ['https://example.com/report'] };
    return { path: `${USDC}/resolve`, body };
  },
  'POST /admin/stablecoin/{coin}/trip': () => ({ path: `${USDC}/trip`, body: { reason: 'It does not hold.' } }),
  'POST /agent/decisions': ({ records }, of) => ({
    body: anOpenCall(of === 'on-open' ? { related_records: [{ record_id: records.open, relation: 'extends' }] } : {}),
    ...(of === 'on-open' && { names: { id: records.open, ghost: GHOST_RECORD } }),
  }),
  'GET /agent/decisions': () => ({}),
  'POST /agent/decisions/batch': ({ records }) => ({
    body: { record_ids: [records.open] },
    names: { id: records.open, ghost: GHOST_RECORD },
    isOwn: (body) => textOf(body).includes('not_public'),
  }),
  'GET /agent/decisions/{record_id}': record,
  'GET /agent/decisions/{record_id}/graph': record,
  'GET /agent/decisions/{record_id}/receipt': async (cast, of) => ({
    ...(await record(cast, of)),
    query: '?opening=full',
  }),
  'GET /agent/decisions/{record_id}/state': record,
  'GET /agent/instruments': () => ({ query: '?query=BTC' }),
  'POST /agent/plans': newPlan,
  'GET /agent/plans': async (cast) => {
    const { id } = await plan(cast);
    return { isOwn: (body) => textOf(body).includes(id) };
  },
  'GET /agent/plans/{plan_id}': async (cast) => ({ names: await plan(cast) }),
  'GET /agent/plans/{plan_id}/receipt': async (cast) => ({ names: await plan(cast), query: '?opening=full' }),
  'GET /agent/events': events,
  'GET /agent/wisdom': () => ({ query: '?market=crypto' }),
  'GET /owner/agents': () => ({}),
  'GET /owner/agents/{agent_id}/track-record': agent,
  'POST /owner/agents/{agent_id}/archive': spareAgent,
  'POST /owner/agents/{agent_id}/restore': spareAgent,
  'DELETE /owner/agents/{agent_id}': spareAgent,
  'GET /owner/auth/api-keys': () => ({}),
  'POST /owner/auth/api-keys': (cast, of) =>
    of === 'agent'
      ? { ...agent(cast), body: { agent_id: cast.owner.agent_id, label: SPARE } }
      : { body: { label: SPARE } },
  'DELETE /owner/auth/api-keys/{key_prefix}': key,
  'PATCH /owner/auth/api-keys/{key_prefix}': async (cast, of) => ({
    ...(await key(cast, of)),
    body: { permission_mode: 'read_only' },
  }),
  'POST /owner/auth/api-keys/{key_prefix}/rotate': key,
  'POST /owner/auth/logout': () => ({}),
  'POST /owner/auth/reauthenticate': () => ({ body: { password: PASSWORD } }),
  'GET /owner/auth/factors': async (cast) => {
    await confirmedApp(cast);
    return { isOwn: (body) => /"totp":\{/.test(textOf(body)) };
  },
  'POST /owner/auth/factors/passkeys/options': () => ({}),
  'POST /owner/auth/factors/passkeys': passkeyAttestation,
  'PATCH /owner/auth/factors/passkeys/{passkey_id}': async (cast) => ({
    ...(await ownPasskey(cast)),
    body: { name: randomUUID() },
  }),
  'DELETE /owner/auth/factors/passkeys/{passkey_id}': ownPasskey,
  'POST /owner/auth/factors/totp': () => ({}),
  'POST /owner/auth/factors/totp/confirm': async (cast) => ({ body: { totp: await beginApp(cast) } }),
  'DELETE /owner/auth/factors/totp': async (cast) => {
    await confirmedApp(cast);
    return {};
  },
  'DELETE /owner/auth/factors/reset': async ({ service, owner: { owner_id } }) => {
    const request = { owner_id, evidence: 'known_number', actor: 'a test' } as const;
    await service.ports.factors.requestReset(request, MINUTE);
    return {};
  },
  'POST /owner/auth/factors/recovery-codes': async (cast) => {
    await confirmedApp(cast);
    return {};
  },
  'POST /owner/auth/email/confirmation': async ({ service: { ports }, owner, other, admin }) => {
    // A confirmed address gets no mail, so that no limit of mails ends the row.
    for (const { account } of [owner, other, admin]) await ports.owners.confirmEmail(account.owner_id);
    return {};
  },
  'GET /owner/auth/sessions': async (cast) => {
    const { names } = await session(cast);
    return { isOwn: (body) => textOf(body).includes(names?.id ?? '') };
  },
  'DELETE /owner/auth/sessions': () => ({}),
  'DELETE /owner/auth/sessions/{session_id}': session,
  'GET /owner/dashboard': () => ({ isOwn: (body) => /"quarantined":[1-9]/.test(textOf(body)) }),
  'GET /owner/security-events': async ({ service: { ports }, owner: { owner_id } }) => {
    const event = eventOf('reauthentication', 'failure', owner_id, A_SOURCE);
    await ports.securityEvents.append({ ...event, subject: owner_id });
    return {
      path: '/api/v1/owner/security-events?kind=reauthentication',
      isOwn: (body) => textOf(body).includes(owner_id),
    };
  },
  'GET /owner/events': events,
  'GET /owner/webhooks': async (cast) => {
    const { names } = await webhook(cast);
    return { isOwn: (body) => textOf(body).includes(names.id) };
  },
  'POST /owner/webhooks': async (cast) => {
    await webhook(cast);
    return { body: { url: WEBHOOK_URL } };
  },
  'GET /owner/webhooks/{webhook_id}': webhook,
  'PATCH /owner/webhooks/{webhook_id}': async (cast) => ({
    ...(await webhook(cast)),
    body: { description: randomUUID() },
  }),
  'DELETE /owner/webhooks/{webhook_id}': webhook,
  'POST /owner/webhooks/{webhook_id}/rotate-secret': webhook,
  'POST /owner/webhooks/{webhook_id}/test': webhook,
  'POST /owner/webhooks/{webhook_id}/resend-failed': async (cast) => ({
    ...(await webhook(cast)),
    body: { since: '2000-01-01T00:00:00Z' },
  }),
  'GET /owner/webhooks/{webhook_id}/deliveries': webhook,
  'POST /owner/webhooks/{webhook_id}/deliveries/{delivery_id}/resend': async (cast) => {
    const { names, path } = await delivery(cast);
    return { names, path };
  },
  'GET /owner/export': ({ owner: { owner_id } }) => ({ isOwn: (body) => textOf(body).includes(owner_id) }),
  'GET /owner/erasure': ({ service: { ports }, owner: { owner_id } }) => ({
    arrange: async () => void (await ports.erasures.schedule(owner_id)),
    tidy: async () => void (await ports.erasures.takeBack(owner_id)),
    isOwn: (body) => textOf(body).includes('"requested_at":"'),
  }),
  'POST /owner/erasure': (cast) => ({
    tidy: () => ofEach(cast, ({ owner_id }) => cast.service.ports.erasures.takeBack(owner_id)),
  }),
  'DELETE /owner/erasure': (cast) => ({
    arrange: () => ofEach(cast, ({ owner_id }) => cast.service.ports.erasures.schedule(owner_id)),
    tidy: () => ofEach(cast, ({ owner_id }) => cast.service.ports.erasures.takeBack(owner_id)),
  }),
  'GET /owner/decisions': () => ({}),
  'GET /owner/decisions/{record_id}': record,
  'POST /owner/decisions/{record_id}/revoke': async (cast, of) => ({ ...(await record(cast, of)), body: {} }),
  'GET /owner/decisions/{record_id}/state': record,
  'POST /owner/legal-acceptance': () => ({ body: { ...VERSIONS, source: 'any caller' } }),
  'GET /owner/legal-status': async ({ service: { ports }, owner }) => {
    const source = randomUUID();
    await acceptLegal(ports, { owner_id: owner.owner_id, network: 'a network' }, { ...VERSIONS, source });
    return { isOwn: (body) => textOf(body).includes(source) };
  },
  'PUT /owner/password': () => ({ body: { current_password: PASSWORD, new_password: PASSWORD } }),
  'PUT /owner/preferences': () => ({ body: { display_name: randomUUID() } }),
  'GET /owner/workflows': () => ({}),
  'POST /owner/workflows': () => ({ body: aReadyDraft({ name: randomUUID() }) }),
  'POST /owner/workflows/import': async (cast) => ({
    headers: { 'content-type': 'application/yaml' },
    body: await yamlOf(cast),
  }),
  'GET /owner/workflows/{id}': workflow,
  'PUT /owner/workflows/{id}': async (cast, of) => {
    const named = await workflow(cast, of);
    const { version } = (await cast.service.ports.workflows.find(named.names?.id ?? '')) ?? {};
    return { ...named, body: { expected_version: version, tags: [randomUUID()] } };
  },
  'DELETE /owner/workflows/{id}': workflow,
  'POST /owner/workflows/{id}/fork': workflow,
  'GET /owner/workflows/{id}/snapshots': workflow,
  'POST /owner/workflows/{id}/snapshots': workflow,
  'GET /owner/workflows/{id}/usage': workflow,
  'GET /owner/workflows/{id}/yaml': workflow,
  'GET /public/atlas/network': () => ({}),
  'GET /public/atlas/seeds': () => ({}),
  'GET /public/cohorts': () => ({ query: '?market=crypto' }),
  'GET /public/auth/idp': () => ({}),
  'GET /public/auth/idp/callback': callback,
  'POST /public/auth/idp/backchannel-logout': logoutAtProvider,
  'POST /public/auth/idp/device': deviceStart,
  'POST /public/auth/idp/device/poll': devicePoll,
  'POST /public/auth/login': ({ other }) => ({ body: { email: other.account.email, password: PASSWORD } }),
  'POST /public/auth/passkey': passkeyAssertion,
  'POST /public/auth/passkey/options': () => ({}),
  'POST /public/auth/password-reset': () => ({ body: { email: `${randomUUID()}@example.com` } }),
  'POST /public/auth/password-reset/confirm': async (cast) => ({
    body: { token: await linkTo(cast, 'reset'), new_password: `${PASSWORD}, again` },
  }),
  'POST /public/auth/email/confirm': async (cast) => ({ body: { token: await linkTo(cast, 'confirm') } }),
  'POST /public/auth/quick-setup': registration,
  'POST /public/auth/register': registration,
  'GET /public/auth/status': () => ({}),
  'GET /public/decisions/{record_id}': record,
  'GET /public/decisions/{record_id}/graph': record,
  'GET /public/decisions/{record_id}/proof': record,
  'GET /public/decisions/{record_id}/state': record,
  'GET /public/log/{index}': leaf,
  'GET /public/workflows': () => ({}),
  'GET /public/workflows/snapshots/{hash}': snapshot,
  'GET /public/workflows/snapshots/{hash}/export': snapshot,
  'GET /public/workflows/snapshots/{hash}/yaml': snapshot,
  'GET /nodes': () => ({}),
  'GET /nodes/{id}': () => ({ path: '/api/v1/nodes/decision.submit' }),
};

async function record(cast: Cast, of: string): Promise<Parts> {
  const { records, owner } = cast;
  const id = of === 'fresh' ? await openRecord(cast, owner) : records[of as keyof typeof records];
  return { names: { id, ghost: GHOST_RECORD }, isOwn: (body) => textOf(body).includes('"view":"owner"') };
}

/** Events are read once older transactions are over. */
async function events({ records, service: { arrange } }: Cast): Promise<Parts> {
  await arrange.settle();
  return { query: '?limit=100', isOwn: (body) => textOf(body).includes(records.quarantined) };
}

/** Begins an authenticator app of the owner, and of nobody else; returns the code that confirms it. */
async function beginApp({ service: { ports }, owner: { owner_id }, other, admin }: Cast): Promise<string> {
  for (const party of [other, admin]) await ports.factors.removeTotp(party.owner_id);
  const secret = ports.oneTimeCodes.newSecret();
  await ports.factors.beginTotp(owner_id, sealTotp(ports.settings.sessionSecret, owner_id, secret));
  return codeAt(secret, await ports.clock.now());
}

async function confirmedApp({ service: { ports }, owner: { owner_id } }: Cast): Promise<void> {
  const sealed = sealTotp(ports.settings.sessionSecret, owner_id, ports.oneTimeCodes.newSecret());
  await ports.factors.beginTotp(owner_id, sealed);
  await ports.factors.confirmTotp(owner_id, sealed, 1, MINUTE);
}

/** A link of a new account. */
async function linkTo({ service }: Cast, purpose: LinkPurpose): Promise<string> {
  const owner = await service.ports.owners.find((await aPasswordOwner(service)).owner_id);
  const link = owner && (await makeLink(service.ports, owner, purpose, true));
  if (!link) throw new Error('A new account has no link.');
  return link.token;
}

/** The same sentence again is the same plan. */
function newPlan(): Parts {
  const body = { query: { market: 'stock' }, sentence: 'It is refused.' };
  return {
    body,
    async arrange() {
      body.sentence = randomUUID();
    },
  };
}

/** A plan of the owner that the log has; the same one each time. */
async function plan({ service: { ports, arrange }, owner: { owner_id, agent_id } }: Cast) {
  const stated = {
    owner_id,
    agent_id,
    query: { market: 'stock' },
    sentence: 'The owner states it.',
    network: 'a network',
  } as const;
  const { plan: own, existed } = await statePlan(ports, stated);
  if (!existed) {
    await arrange.advance(2 * MINUTE);
    await sequence(ports);
  }
  return { id: own.plan_id, ghost: GHOST_WORKFLOW };
}

const WEBHOOK_URL = 'https://example.com/webhooks';

/** The one webhook of the owner; a new one, where success has used it up. */
async function webhook({ service: { ports }, owner: { owner_id } }: Cast) {
  const [first, ...further] = await ports.webhooks.list(owner_id);
  for (const { webhook_id } of further) await ports.webhooks.remove(owner_id, webhook_id);
  const { webhook_id } = first ?? aWebhook({ owner_id, url: WEBHOOK_URL });
  if (!first) await ports.webhooks.add(aWebhook({ owner_id, webhook_id, url: WEBHOOK_URL }), MANY);
  return { names: { id: webhook_id, ghost: GHOST_WORKFLOW } };
}

async function delivery(cast: Cast) {
  const { owner, service } = cast;
  const { id: webhook_id } = (await webhook(cast)).names;
  const { delivery_id = '' } = (await service.ports.deliveries.addTest(owner.owner_id, webhook_id, randomUUID())) ?? {};
  const path = `/api/v1/owner/webhooks/${webhook_id}/deliveries/${delivery_id}/resend`;
  return { names: { id: delivery_id, ghost: GHOST_WORKFLOW }, path };
}

/** A record by the index of its leaf. */
async function leaf({ records, service: { ports } }: Cast, of: string): Promise<Parts> {
  const leaves = await ports.log.leavesOf(1, records[of as keyof typeof records]);
  if (!leaves) throw new Error(`The log has no leaf of the ${of} record.`);
  return { path: `/api/v1/public/log/${leaves.index}` };
}

async function workflow(cast: Cast, of: string): Promise<Parts> {
  const { workflows, owner } = cast;
  const { id } = of === 'fresh' ? await aWorkflow(cast, owner) : workflows[of as keyof typeof workflows];
  return { names: { id, ghost: GHOST_WORKFLOW } };
}

/** A workflow as the owner exports it. */
async function yamlOf({ wire, owner, workflows }: Cast): Promise<string> {
  const path = `/api/v1/owner/workflows/${workflows.shown.id}/yaml`;
  return (await wire.send({ method: 'GET', path }, byBearer(owner.bearer))).text;
}

function snapshot({ workflows: { shown, hidden } }: Cast, of: string): Parts {
  return { names: { id: (of === 'shown' ? shown : hidden).hash, ghost: GHOST_HASH } };
}

function agent({ owner }: Cast): Parts {
  return { names: { id: owner.agent_id, ghost: GHOST_AGENT } };
}

/** An agent without records that is in use, or archived. */
async function spareAgent({ service: { ports }, owner: { owner_id } }: Cast, of: string): Promise<Parts> {
  const page = { archived: true, after: null, limit: 100 };
  const spare = (await ports.ownerOverview.agents(owner_id, 0, page)).find(({ name }) => name === SPARE);
  const { agent_id } = spare ?? (await addAgent(ports, { owner_id, tier: 'pro' }, SPARE, await ports.clock.now()));
  if (of === 'spare-agent') await ports.agents.restore(owner_id, agent_id, MANY);
  else if (!spare?.archived_at) await ports.agents.archive(owner_id, agent_id);
  return { names: { id: agent_id, ghost: GHOST_AGENT } };
}

async function key({ service: { ports }, owner }: Cast, of: string): Promise<Parts> {
  const { owner_id, agent_id } = owner;
  if (of === 'unbound-key') return { names: { id: owner.keys.unbound.key_prefix, ghost: GHOST_KEY } };
  const spare = (await ports.apiKeys.list(owner_id)).filter(({ label }) => label === SPARE);
  for (const { key_prefix } of spare) await ports.apiKeys.revoke(owner_id, key_prefix);
  const terms = { agent_id, permission_mode: 'read_write', label: SPARE, created_at: await ports.clock.now() } as const;
  const { key_prefix } = await issueKey(ports, { owner_id, tier: 'pro' }, terms, A_SOURCE);
  return { names: { id: key_prefix, ghost: GHOST_KEY } };
}

async function session({ owner }: Cast): Promise<Parts> {
  const session_hash = hashOfSession(await owner.session());
  return { names: { id: sessionName({ session_hash }), ghost: GHOST_SESSION } };
}

function registration(): Parts {
  return { body: { email: `${randomUUID()}@example.com`, password: PASSWORD } };
}

function textOf(body: unknown): string {
  return JSON.stringify(body);
}

async function ofEach({ owner, other, admin }: Cast, work: (party: Cast['owner']) => Promise<unknown>): Promise<void> {
  for (const party of [owner, other, admin]) await work(party);
}
