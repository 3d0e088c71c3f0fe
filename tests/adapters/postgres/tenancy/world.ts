import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { PostgresStorage } from '../../../../adapters/postgres/storage.ts';
import { sha256 } from '../../../../application/sha256.ts';
import type { ApiKey } from '../../../../domain/accounts/keys/api-key.ts';
import type { Owner } from '../../../../domain/accounts/owner.ts';
import type { Session } from '../../../../domain/accounts/sign-in/session.ts';
import type { SetName } from '../../../../domain/backtests/backtest.ts';
import type { Submission } from '../../../../domain/decisions/submission/submission.ts';
import { SECURITY_EVENTS, SESSION } from '../../../../domain/limits.ts';
import type { OpenedPlan, Plan } from '../../../../domain/log/plan.ts';
import { DAY, MINUTE, type Millis } from '../../../../domain/time.ts';
import {
  aDeviceSignIn,
  aKeyOf,
  anAgentOf,
  anIdentityOf,
  anOwner,
  aPasskeyOf,
  aSessionOf,
} from '../../../builders/accounts.ts';
import { ABOUT, aRow } from '../../../builders/backtests.ts';
import { type AgentCaller, aDraft, anAgent, aSubmission, hindsight, receiptOf } from '../../../builders/decisions.ts';
import { aLink, aMail } from '../../../builders/mail.ts';
import { aPlan } from '../../../builders/plans.ts';
import { aWorkflowOf, someSnapshot } from '../../../builders/stored-workflows.ts';
import { aWebhook } from '../../../builders/webhooks.ts';
import { anAcceptance } from '../../../contracts/accounts/profile-store.ts';
import { aLoginOf } from '../../../contracts/accounts/security-event-store.ts';
import type { Bench } from '../../../contracts/decisions/bench.ts';
import { evaluateAll } from '../../../contracts/decisions/evaluated.ts';

/** An owner with something of each kind. */
export interface Party {
  readonly owner: Owner;
  readonly agent: AgentCaller;
  /** It has no records. */
  readonly archivedAgent: string;
  readonly key: ApiKey;
  readonly session: Session;
  readonly passkey: string;
  readonly workflow: string;
  readonly webhook: string;
  /** Its question was asked. */
  /** Of back-tests; those of both owners have one name. */
  readonly set: SetName;
  readonly plan: Plan & { readonly opened: OpenedPlan };
  /** Of a test of the webhook, and not sent yet. */
  readonly delivery: string;
  /** The hashes of its snapshots: one of each visibility. */
  readonly hash: string;
  readonly publicHash: string;
  readonly records: Records;
}

/** Records by what became of them. */
export interface Records {
  readonly graded: string;
  readonly archived: string;
  readonly quarantined: string;
  /** Graded. It supersedes the first and refers to it, refers to the quarantined one, and uses the public workflow of the other owner. */
  readonly citing: string;
  readonly open: string;
}

export interface World {
  readonly storage: PostgresStorage;
  readonly me: Party;
  readonly other: Party;
  readonly now: Date;
}

/** A record whose state both have read. */
export const CHECKED = 'dec_20260101_00000000';
export const NETWORK = 'a network of the other';

/** Two owners. The second has so much that to forget whose it is exceeds the limits of the first. */
export async function aWorld(storage: PostgresStorage, url: string, advance: (millis: Millis) => Promise<void>) {
  const start = await storage.clock.now();
  const evaluate = () => evaluateAll({ storage: () => storage, now: () => storage.clock.now() } as unknown as Bench);
  const accounts = [await anAccount(storage, 'me', start), await anAccount(storage, 'other', start)] as const;
  const first = [];
  for (const account of accounts) first.push(await firstRecords(storage, account, start));
  await evaluate();
  // Others see a link to a record that was public before.
  await advance(MINUTE);
  const now = await storage.clock.now();
  const [ofMe, ofOther] = accounts;
  const citing = [
    await citingRecord(storage, ofMe, first[0], ofOther.publicHash, now),
    await citingRecord(storage, ofOther, first[1], ofMe.publicHash, now),
  ];
  await submit(storage, await anAgent(storage), hindsight(now, { workflow_ref: `wf:${ofMe.publicHash}` }), now);
  await submit(storage, ofOther.agent, hindsight(now, { symbol: 'DOGE' }), now);
  await evaluate();
  const parties: Party[] = [];
  for (const [n, account] of accounts.entries()) {
    const { owner, agent } = account;
    const records = { ...(first[n] as FirstRecords), citing: citing[n] ?? '' };
    const open = await submit(storage, agent, aSubmission(now, { symbol: 'ETH' }), now);
    const noted = { owner_id: owner.owner_id, agent_id: agent.agent_id, record_id: records.graded };
    await storage.notes.add({ ...noted, text: `of ${owner.email}` }, 20);
    await storage.ownerRecords.archive(owner.owner_id, records.archived, 'of a test');
    await storage.transaction(async ({ moderation, audit }) => {
      await moderation.quarantine(records.quarantined, 'of a test', now);
      await audit.append({ actor: 'a test', action: 'quarantine', subject: records.quarantined, detail: {} });
    });
    await storage.ownerOverview.agents(owner.owner_id, DAY, { archived: false, after: null, limit: 100 });
    parties.push({ ...account, records: { ...records, open } });
  }
  const [me, other] = parties;
  if (!me || !other) throw new Error('There are two parties.');
  await storage.owners.confirmEmail(me.owner.owner_id);
  await spend(storage, other.key.key_hash);
  await storage.securityEvents.append(aLoginOf(other.owner.owner_id, { network: NETWORK }));
  await fill(url, me, other);
  return { storage, me, other, now } satisfies World;
}

/** The sealed secret of an owner's authenticator app. */
export function totpOf(owner_id: string): Uint8Array {
  return Buffer.from(`the app of ${owner_id}`);
}

/** The hash of an owner's recovery code. */
export function recoveryCodeOf(owner_id: string): Uint8Array {
  return sha256(`the code of ${owner_id}`);
}

async function anAccount(storage: PostgresStorage, name: string, now: Date) {
  const owner = anOwner({ email: `${name}@example.com`, password_hash: `the hash of ${name}` });
  const { owner_id } = owner;
  await storage.owners.add(owner);
  const { agent_id } = await addAgent(storage, owner);
  const { agent_id: archivedAgent } = await addAgent(storage, owner);
  await storage.agents.archive(owner_id, archivedAgent);
  const key = aKeyOf(owner, { agent_id });
  await storage.apiKeys.add(key, 100);
  const session = aSessionOf(owner, { created_at: now });
  await storage.sessions.add(session);
  await storage.factors.beginTotp(owner_id, totpOf(owner_id));
  await storage.factors.confirmTotp(owner_id, totpOf(owner_id), 1, MINUTE);
  const passkey = aPasskeyOf(owner, { name: `of ${name}` });
  await storage.passkeys.add(passkey);
  await storage.factors.setRecoveryCodes(owner_id, [recoveryCodeOf(owner_id)]);
  await storage.profiles.accept(owner_id, anAcceptance({ source: name }));
  await storage.profiles.setPreferences(owner_id, { display_name: name });
  await storage.events.setReadMark(owner_id, { place: name, at: new Date(0) });
  const workflow = aWorkflowOf(owner, { name: `of ${name}`, visibility: 'public' });
  await storage.workflows.add(workflow, 100);
  const [hidden, shown] = ['private', 'public'].map((visibility) =>
    someSnapshot({ name: `${visibility}, by ${name}` }),
  );
  if (!hidden || !shown) throw new Error('There are two snapshots.');
  await storage.workflowSnapshots.publish({ id: workflow.id, owner_id, visibility: 'private' }, hidden);
  await storage.workflowSnapshots.publish({ id: workflow.id, owner_id, visibility: 'public' }, shown);
  const webhook = aWebhook({ owner_id, description: `of ${name}` });
  await storage.webhooks.add(webhook, 100);
  const test = await storage.deliveries.addTest(owner_id, webhook.webhook_id, randomUUID());
  await storage.links.put(aLink({ owner_id }), DAY);
  await storage.mails.add(aMail({ owner_id }), []);
  const { key_prefix, permission_mode } = key;
  for (const subject of [key_prefix, owner_id]) {
    await storage.audit.append({ actor: 'a test', action: 'tried', subject, detail: {} });
  }
  await spend(storage, key.key_hash);
  const agent: AgentCaller = { credential: 'api_key', owner_id, agent_id, key_prefix, permission_mode, tier: 'free' };
  return {
    owner,
    agent,
    archivedAgent,
    key,
    session,
    passkey: passkey.passkey_id,
    workflow: workflow.id,
    webhook: webhook.webhook_id,
    plan: await aStatedPlan(storage, agent),
    set: await aSet(storage, agent),
    delivery: test?.delivery_id ?? '',
    hash: hidden.hash,
    publicHash: shown.hash,
  };
}

async function aSet(storage: PostgresStorage, { owner_id, agent_id }: AgentCaller): Promise<SetName> {
  const set = { owner_id, agent_id, name: 'one' };
  const at = new Date('2026-01-05T12:00:00Z');
  await storage.transaction(({ backtests }) =>
    backtests.receive({ ...set, about: ABOUT, rows: [aRow('a', new Date('2025-06-02T08:00:00Z'))] }, at),
  );
  return set;
}

async function aStatedPlan({ plans, transaction }: PostgresStorage, { owner_id, agent_id }: AgentCaller) {
  const [own, stated_at] = [{ owner_id, agent_id }, new Date('2026-01-05T12:00:00Z')];
  const plan = aPlan({ ...own, stated_at });
  await transaction((stores) => stores.plans.add(plan));
  await plans.ask(owner_id, plan.opened.question);
  return plan;
}

async function addAgent(storage: PostgresStorage, owner: Owner) {
  const agent = anAgentOf(owner);
  await storage.owners.addAgent(agent, 100);
  return agent;
}

type FirstRecords = Omit<Records, 'citing' | 'open'>;
type Author = Pick<Party, 'agent' | 'hash'>;

async function firstRecords(storage: PostgresStorage, { agent, hash }: Author, now: Date): Promise<FirstRecords> {
  const add = (changes: Partial<Submission>) => submit(storage, agent, hindsight(now, changes), now);
  const graded = await add({ symbol: 'BTC', workflow_ref: `wf:${hash}` });
  return { graded, archived: await add({ symbol: 'SOL' }), quarantined: await add({ symbol: 'XRP' }) };
}

function citingRecord(
  storage: PostgresStorage,
  { agent }: Author,
  { graded = '', quarantined = '' }: Partial<FirstRecords> = {},
  theirs: string,
  now: Date,
): Promise<string> {
  const related_records = [
    { record_id: graded, relation: 'supersedes' },
    { record_id: graded, relation: 'references' },
    { record_id: quarantined, relation: 'references' },
  ] as const;
  return submit(storage, agent, hindsight(now, { symbol: 'ADA', workflow_ref: `wf:${theirs}`, related_records }), now);
}

async function submit(
  storage: PostgresStorage,
  agent: AgentCaller,
  submission: Submission,
  now: Date,
): Promise<string> {
  const draft = aDraft(agent, now, submission, { idempotencyKey: submission.symbol });
  return receiptOf(await storage.intake.submit(draft)).record_id;
}

/** Takes a unit of each pool. */
async function spend(storage: PostgresStorage, key_hash: Uint8Array): Promise<void> {
  for (const pool of ['query', 'read', 'check'] as const) {
    await storage.admission.admit({
      proof: { credential: 'api_key', key_hash },
      callerLimits: { per_second: 100, per_minute: 100 },
      address: 'address 192.0.2.1',
      addressPerMinute: 100,
      from: null,
      spend: { pool, record_id: pool === 'check' ? CHECKED : null, base: 10, units: 1 },
    });
  }
}

/**
 * What the ports do not write: identities of both, credit, device sign-ins, hours and bars as older versions stored them; and
 * sessions and security events of the second owner up to the limits of one.
 */
async function fill(url: string, me: Party, other: Party): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const values = ({ owner, records }: Party) => [owner.owner_id, records.graded];
  try {
    for (const party of [me, other]) {
      const { issuer, subject } = anIdentityOf(party.owner);
      await client.query('insert into app.identities values ($1, $2, $3, app.now())', [
        ...[issuer, subject, party.owner.owner_id],
      ]);
      await client.query(`insert into app.credit_ledger values ($2, $1, '2026-03-02', 1)`, values(party));
      await client.query(`insert into app.submit_hours values ($1, '2026-03-02T11:00:00Z', 1)`, [party.agent.agent_id]);
      const { code_hash } = aDeviceSignIn(new Date());
      await client.query(DEVICE_SIGN_IN, [party.owner.owner_id, code_hash]);
    }
    await client.query('alter table app.decision_outcomes disable trigger user');
    await client.query(`update app.decision_outcomes set bars = '[]' where record_id = $1`, [other.records.graded]);
    await client.query(SESSIONS, [other.owner.owner_id, SESSION.perOwner - 1]);
    await client.query(EVENTS, [other.owner.owner_id, SECURITY_EVENTS.ofOwner]);
  } finally {
    await client.end();
  }
}

const DEVICE_SIGN_IN = `
  insert into app.device_sign_ins (code_hash, sealed_code, status, owner_id, poll_every, next_poll_at, created_at, expires_at)
  values ($2, '\\x00', 'consumed', $1, 5, app.now(), app.now(), app.now() + interval '10 minutes')`;

const SESSIONS = `
  insert into app.sessions (session_hash, owner_id, created_at, last_seen_at, authenticated_at)
  select sha256(n::text::bytea), $1, app.now(), app.now() - interval '1 minute', app.now() from generate_series(1, $2) n`;

const EVENTS = `
  insert into app.security_events (counted_from, at, last_at, count, kind, result, owner_id, client, network)
  select app.now(), app.now(), app.now(), 1, 'login', 'success', $1, 'curl', n::text from generate_series(1, $2) n`;
