import { randomUUID } from 'node:crypto';
import { sealTotp } from '../../../application/accounts/factors/totp-secret.ts';
import { addAgent } from '../../../application/accounts/keys/add-agent.ts';
import { issueKey } from '../../../application/accounts/keys/issue-key.ts';
import { makeLink } from '../../../application/accounts/sign-in/password-reset.ts';
import { hashOfSession } from '../../../application/accounts/sign-in/proof-of-credential.ts';
import { statePlan } from '../../../application/plans/plans.ts';
import type { LinkPurpose } from '../../../domain/accounts/sign-in/one-time-link.ts';
import { sessionName } from '../../../domain/accounts/sign-in/session.ts';
import { MINUTE } from '../../../domain/time.ts';
import { A_SOURCE, anOwner } from '../../builders/accounts.ts';
import { ABOUT, aGrade, aRow } from '../../builders/backtests.ts';
import { aWebhook } from '../../builders/webhooks.ts';
import { sequence } from '../../harness/kept-logs.ts';
import { codeAt } from '../../harness/one-time-code.ts';
import { aPasswordOwner, PASSWORD } from '../../harness/sessions.ts';
import type { Cast } from './cast.ts';
import { byBearer } from './credentials.ts';
import { openRecord } from './owned-records.ts';
import { aWorkflow } from './owned-workflows.ts';
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

/** What a request has beyond its method and path, whose one parameter is replaced by `names.id`. */
export type Parts = Partial<Prepared> & { readonly query?: string };

export const GHOST_RECORD = 'dec_20170605_00000000';
const GHOST_AGENT = 'agt_000000000000';
const GHOST_KEY = 'sbk_00000000';
const GHOST_SESSION = '0'.repeat(24);
export const GHOST_WORKFLOW = '00000000-0000-7000-8000-000000000000';
const GHOST_HASH = '0'.repeat(64);
/** Keys with this label are revoked before the next is issued, because the tier limits their number. Also of an agent. */
export const SPARE = 'spare';
const MANY = 1_000;
export const VERSIONS = { terms_version: '1.0', privacy_version: '1.0' };

/** About a new account each time, which is none of the cast. */
export function accountOfNobody(path: string, body?: object) {
  return async ({ service }: Cast): Promise<Parts> => {
    const owner = anOwner();
    await service.ports.owners.add(owner);
    return { path: `/api/v1/admin/accounts/${owner.owner_id}${path}`, ...(body && { body }) };
  };
}

export async function record(cast: Cast, of: string): Promise<Parts> {
  const { records, owner } = cast;
  const id = of === 'fresh' ? await openRecord(cast, owner) : records[of as keyof typeof records];
  return { names: { id, ghost: GHOST_RECORD }, isOwn: (body) => textOf(body).includes('"view":"owner"') };
}

/** The same text again is the same note. */
export async function newNote(cast: Cast, of: string): Promise<Parts> {
  const { names } = await record(cast, of);
  const body = { text: 'It is refused.' };
  return {
    ...(names && { names }),
    body,
    async arrange() {
      body.text = randomUUID();
    },
  };
}

/** The first note on a record of the owner, which `ownedRecords` wrote. */
export async function writtenNote(cast: Cast, of: string): Promise<Parts> {
  const { names } = await record(cast, of);
  return { ...(names && { names, path: `/api/v1/owner/decisions/${names.id}/notes/1` }) };
}

/** Events are read once older transactions are over. */
export async function events({ records, service: { arrange } }: Cast): Promise<Parts> {
  await arrange.settle();
  return { query: '?limit=100', isOwn: (body) => textOf(body).includes(records.quarantined) };
}

/** Begins an authenticator app of the owner, and of nobody else; returns the code that confirms it. */
export async function beginApp({ service: { ports }, owner: { owner_id }, other, admin }: Cast): Promise<string> {
  for (const party of [other, admin]) await ports.factors.removeTotp(party.owner_id);
  const secret = ports.oneTimeCodes.newSecret();
  await ports.factors.beginTotp(owner_id, sealTotp(ports.settings.sessionSecret, owner_id, secret));
  return codeAt(secret, await ports.clock.now());
}

export async function confirmedApp({ service: { ports }, owner: { owner_id } }: Cast): Promise<void> {
  const sealed = sealTotp(ports.settings.sessionSecret, owner_id, ports.oneTimeCodes.newSecret());
  await ports.factors.beginTotp(owner_id, sealed);
  await ports.factors.confirmTotp(owner_id, sealed, 1, MINUTE);
}

/** A link of a new account. */
export async function linkTo({ service }: Cast, purpose: LinkPurpose): Promise<string> {
  const owner = await service.ports.owners.find((await aPasswordOwner(service)).owner_id);
  const link = owner && (await makeLink(service.ports, owner, purpose, true));
  if (!link) throw new Error('A new account has no link.');
  return link.token;
}

/** The same sentence again is the same plan. */
export function newPlan(): Parts {
  const body = { query: { market: 'stock' }, sentence: 'It is refused.' };
  return {
    body,
    async arrange() {
      body.sentence = randomUUID();
    },
  };
}

/** A plan of the owner that the log has; the same one each time. */
export async function plan({ service: { ports, arrange }, owner: { owner_id, agent_id } }: Cast) {
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

export const WEBHOOK_URL = 'https://example.com/webhooks';

/** The one webhook of the owner; a new one, where success has used it up. */
export async function webhook({ service: { ports }, owner: { owner_id } }: Cast) {
  const [first, ...further] = await ports.webhooks.list(owner_id);
  for (const { webhook_id } of further) await ports.webhooks.remove(owner_id, webhook_id);
  const { webhook_id } = first ?? aWebhook({ owner_id, url: WEBHOOK_URL });
  if (!first) await ports.webhooks.add(aWebhook({ owner_id, webhook_id, url: WEBHOOK_URL }), MANY);
  return { names: { id: webhook_id, ghost: GHOST_WORKFLOW } };
}

export async function delivery(cast: Cast) {
  const { owner, service } = cast;
  const { id: webhook_id } = (await webhook(cast)).names;
  const { delivery_id = '' } = (await service.ports.deliveries.addTest(owner.owner_id, webhook_id, randomUUID())) ?? {};
  const path = `/api/v1/owner/webhooks/${webhook_id}/deliveries/${delivery_id}/resend`;
  return { names: { id: delivery_id, ghost: GHOST_WORKFLOW }, path };
}

/** A record by the index of its leaf. */
export async function leaf({ records, service: { ports } }: Cast, of: string): Promise<Parts> {
  const leaves = await ports.log.leavesOf(1, records[of as keyof typeof records]);
  if (!leaves) throw new Error(`The log has no leaf of the ${of} record.`);
  return { path: `/api/v1/public/log/${leaves.index}` };
}

export async function workflow(cast: Cast, of: string): Promise<Parts> {
  const { workflows, owner } = cast;
  const { id } = of === 'fresh' ? await aWorkflow(cast, owner) : workflows[of as keyof typeof workflows];
  return { names: { id, ghost: GHOST_WORKFLOW } };
}

/** A workflow as the owner exports it. */
export async function yamlOf({ wire, owner, workflows }: Cast): Promise<string> {
  const path = `/api/v1/owner/workflows/${workflows.shown.id}/yaml`;
  return (await wire.send({ method: 'GET', path }, byBearer(owner.bearer))).text;
}

export function snapshot({ workflows: { shown, hidden } }: Cast, of: string): Parts {
  return { names: { id: (of === 'shown' ? shown : hidden).hash, ghost: GHOST_HASH } };
}

export function agent({ owner }: Cast): Parts {
  return { names: { id: owner.agent_id, ghost: GHOST_AGENT } };
}

/** A set of the owner's agent, which is there. */
export function backtest(cast: Cast): Parts {
  const { owner_id: _, agent_id } = cast.owner;
  return {
    path: `/api/v1/agent/backtests/owned?agent_id=${agent_id}`,
    names: { id: agent_id, ghost: GHOST_AGENT },
    arrange: () => addBacktest(cast),
    isOwn: (body) => textOf(body).includes('"accepted"') || textOf(body).includes('"owned"'),
  };
}

/** A note on a graded row of it. */
export function backtestNote(cast: Cast): Parts {
  const { names } = backtest(cast);
  const body = { external_id: 'b', text: 'It is refused.', as_of: '2017-05-04T00:00:00Z' };
  return {
    ...(names && { names }),
    path: `/api/v1/agent/backtests/owned/notes?agent_id=${cast.owner.agent_id}`,
    body,
    async arrange() {
      body.text = randomUUID();
      await addBacktest(cast);
      const { backtests, clock } = cast.service.ports;
      const now = await clock.now();
      const until = new Date(now.getTime() + 1);
      for (let due = await backtests.claim(now, until, 10); due; due = await backtests.claim(now, until, 10)) {
        const result = aGrade(new Date('2017-05-03T00:00:00Z'));
        const ends = due.rows.map(({ decision, token }) => ({
          record_id: decision.record_id,
          token,
          result,
          retry_at: null,
        }));
        await backtests.end(due, ends);
      }
    },
  };
}

/** The same where its owner names it. */
export async function ownBacktest(cast: Cast, after = ''): Promise<Parts> {
  await addBacktest(cast);
  return {
    path: `/api/v1/owner/agents/${cast.owner.agent_id}/backtests/owned${after}`,
    names: { id: cast.owner.agent_id, ghost: GHOST_AGENT },
    arrange: () => addBacktest(cast),
  };
}

async function addBacktest({ service: { ports }, owner: { owner_id, agent_id } }: Cast): Promise<void> {
  const now = await ports.clock.now();
  const rows = [aRow('b', new Date('2017-05-01T00:00:00Z'))];
  await ports.transaction(({ backtests }) =>
    backtests.receive({ owner_id, agent_id, name: 'owned', about: ABOUT, rows }, now),
  );
}

/** An agent without records that is in use, or archived. */
export async function spareAgent({ service: { ports }, owner: { owner_id } }: Cast, of: string): Promise<Parts> {
  const page = { archived: true, after: null, limit: 100 };
  const spare = (await ports.ownerOverview.agents(owner_id, 0, page)).find(({ name }) => name === SPARE);
  const { agent_id } = spare ?? (await addAgent(ports, { owner_id, tier: 'pro' }, SPARE, await ports.clock.now()));
  if (of === 'spare-agent') await ports.agents.restore(owner_id, agent_id, MANY);
  else if (!spare?.archived_at) await ports.agents.archive(owner_id, agent_id);
  return { names: { id: agent_id, ghost: GHOST_AGENT } };
}

export async function key({ service: { ports }, owner }: Cast, of: string): Promise<Parts> {
  const { owner_id, agent_id } = owner;
  if (of === 'unbound-key') return { names: { id: owner.keys.unbound.key_prefix, ghost: GHOST_KEY } };
  const spare = (await ports.apiKeys.list(owner_id)).filter(({ label }) => label === SPARE);
  for (const { key_prefix } of spare) await ports.apiKeys.revoke(owner_id, key_prefix);
  const terms = { agent_id, permission_mode: 'read_write', label: SPARE, created_at: await ports.clock.now() } as const;
  const { key_prefix } = await issueKey(ports, { owner_id, tier: 'pro' }, terms, A_SOURCE);
  return { names: { id: key_prefix, ghost: GHOST_KEY } };
}

export async function session({ owner }: Cast): Promise<Parts> {
  const session_hash = hashOfSession(await owner.session());
  return { names: { id: sessionName({ session_hash }), ghost: GHOST_SESSION } };
}

export function registration(): Parts {
  return { body: { email: `${randomUUID()}@example.com`, password: PASSWORD } };
}

export function textOf(body: unknown): string {
  return JSON.stringify(body);
}

export async function ofEach(
  { owner, other, admin }: Cast,
  work: (party: Cast['owner']) => Promise<unknown>,
): Promise<void> {
  for (const party of [owner, other, admin]) await work(party);
}
