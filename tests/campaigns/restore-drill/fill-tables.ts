import { setTimeout as sleep } from 'node:timers/promises';
import { DAY, HOUR, SECOND } from '../../../domain/time.ts';
import { tokensOf } from '../../harness/identity/tokens.ts';
import { codeAt } from '../../harness/one-time-code.ts';
import { SoftAuthenticator } from '../../harness/soft-authenticator.ts';
import {
  afterCooldown,
  expected,
  logIn,
  PASSWORD,
  type Population,
  populate,
  publish,
  request,
  signUp,
  submit,
} from './population.ts';
import { runAdmin, type Settings } from './running-service.ts';
import { OWNER, type ThrowawayServer } from './throwaway-server.ts';
import type { World } from './world.ts';

/** What later releases need to use what the tables hold. All secrets are of a database that only tests have. */
export interface Filled {
  readonly population: Population;
  readonly owner: {
    readonly email: string;
    readonly password: string;
    readonly api_key: string;
    readonly totp: string;
  };
  readonly webhook: { readonly webhook_id: string; readonly secret: string };
  readonly plan: { readonly plan_id: string; readonly stated_at: string };
  readonly receipts: readonly { readonly record_id: string; readonly proof: string }[];
  readonly erased: { readonly email: string; readonly api_key: string; readonly records: readonly string[] };
}

/** The service on an empty database whose clock can be moved, and what the service reaches. */
export interface Stage {
  readonly server: ThrowawayServer;
  readonly settings: Settings;
  readonly world: World;
  readonly url: string;
  /** The clock of the service. */
  readonly now: () => Date;
  readonly advance: (millis: number) => Promise<void>;
}

/** The query of the plan, as it is asked. */
export const PLANNED = { market: 'stock', symbol: 'MSFT', direction: 'bullish', include_retroactive: true } as const;
const SENTENCE = 'Bullish decisions come out better than all of them.';

/**
 * Leaves a row in every table that the service fills, by what its users do in the last month and in this one.
 * `leaveWaiting` fills those of what waits for the next sweep, for some seconds: dump the database at once.
 */
export async function fillTables(
  stage: Stage,
  records: number,
): Promise<{
  readonly filled: Filled;
  readonly leaveWaiting: () => Promise<void>;
}> {
  const erased = await eraseOwner(stage);
  const owner = await makeOwner(stage);
  await stage.advance(Date.now() - stage.now().getTime());
  const population = await populate(stage.url, 'release', records);
  const admin = await makeAdmin(stage);
  const webhook = await makeWebhook(stage, owner);
  const made = await submitRelated(stage, owner);
  const plan = await statePlan(stage, owner.api_key, SENTENCE);
  const totp = await enrol(stage, owner);
  await signInElsewhere(stage);
  await runJob(stage, 'refresh-symbols', 'select from app.symbols');
  await runJob(stage, 'fold-cohorts', 'select from app.cohort_cells');
  await runJob(stage, 'publish-dataset', 'select from app.dataset_parts where month = to_char(app.now(), $$YYYY-MM$$)');
  await has(stage, 'select from app.log_plans');
  await has(stage, 'select from app.log_datasets');
  const receipts = await receiptsOf(stage, owner.api_key, made);
  const { email, api_key } = owner;
  const filled = { population, owner: { email, password: PASSWORD, api_key, totp }, webhook, plan, receipts, erased };
  return { filled, leaveWaiting: () => leaveWaiting(stage, owner, admin, made) };
}

type Account = Awaited<ReturnType<typeof signUp>>;

const asPage = (cookie: string) => ({ cookie, 'sec-fetch-site': 'same-origin' });

const post = (stage: Stage, path: string, headers: Readonly<Record<string, string>>, body: object = {}) =>
  request(stage.url, `/api/v1${path}`, { headers, body: JSON.stringify(body) });

/** An owner with records and a plan in the evidence log, who is erased when the days of grace are over. */
async function eraseOwner(stage: Stage): Promise<Filled['erased']> {
  const { email, api_key, cookie } = await signUp(stage.url, 'erased');
  const hash = await publish(stage.url, cookie, { visibility: 'private' });
  const records = [await submit(stage.url, api_key, 0, hash), await submit(stage.url, api_key, 1, '')];
  await statePlan(stage, api_key, SENTENCE);
  await receiptsOf(stage, api_key, records);
  await expected(202, post(stage, '/owner/erasure', asPage(cookie)));
  return { email, api_key, records };
}

/** An owner whose decision was graded while the erased one waited, which gives credit. */
async function makeOwner(stage: Stage): Promise<Account> {
  const owner = await signUp(stage.url, 'filled');
  const graded = await submitBitcoin(stage, owner.api_key, stage.now());
  await stage.advance(8 * DAY);
  await runJob(stage, 'evaluate-due', 'select from app.credit_ledger');
  const note = { text: 'Ignored the CPI date' };
  await expected(201, post(stage, `/agent/decisions/${graded}/notes`, { 'x-api-key': owner.api_key }, note));
  await runJob(stage, 'erase-owners', 'select from app.erasures where ended_at is not null');
  const cookie = await logIn(stage.url, owner.email);
  const versions = { terms_version: '1.0', privacy_version: '1.0', source: 'a test' };
  await expected(200, post(stage, '/owner/legal-acceptance', asPage(cookie), versions));
  return owner;
}

async function submitBitcoin(
  stage: Stage,
  api_key: string,
  at: Date,
  related: readonly string[] = [],
): Promise<string> {
  const body = {
    ...{ market: 'crypto', symbol: 'BTC', venue: 'BINANCE', asset_class: 'spot', quote_currency: 'USDT' },
    ...{ direction: 'bullish', horizon_kind: 'holding_seconds', horizon_value: HOUR / SECOND },
    ...{ data_cutoff: at.toISOString(), key_factors: ['Momentum'] },
    ...(related.length > 0 && { related_records: related.map((record_id) => ({ record_id, relation: 'extends' })) }),
  };
  const send = () => post(stage, '/agent/decisions', { 'x-api-key': api_key }, body);
  return (await expected(201, afterCooldown(send))).body.record_id;
}

/** Records that point to each other: one that waits for its end, and one that is graded. */
async function submitRelated(stage: Stage, { api_key }: Account): Promise<readonly string[]> {
  const graded = await submitBitcoin(stage, api_key, new Date(stage.now().getTime() - 2 * DAY));
  await has(stage, `select from app.decision_outcomes where record_id = '${graded}'`);
  return [graded, await submitBitcoin(stage, api_key, stage.now(), [graded])];
}

/** Returns the cookie of an operator. */
async function makeAdmin(stage: Stage): Promise<string> {
  const { email } = await signUp(stage.url, 'operator');
  const { code, output } = runAdmin(stage.server, stage.settings, 'grant-admin', email);
  if (code !== 0) throw new Error(`grant-admin: ${output}`);
  return logIn(stage.url, email);
}

async function makeWebhook(stage: Stage, { email }: Account): Promise<Filled['webhook']> {
  const headers = asPage(await logIn(stage.url, email));
  const body = { url: `http://127.0.0.1:${stage.world.receiver.port}/` };
  const { webhook_id, secret } = (await expected(201, post(stage, '/owner/webhooks', headers, body))).body;
  await expected(202, post(stage, `/owner/webhooks/${webhook_id}/test`, headers));
  await has(stage, `select from app.webhook_deliveries where status = 'delivered'`);
  return { webhook_id, secret };
}

/** States a plan, and asks its question. */
async function statePlan(stage: Stage, api_key: string, sentence: string): Promise<Filled['plan']> {
  const headers = { 'x-api-key': api_key };
  const { body } = await expected(201, post(stage, '/agent/plans', headers, { query: PLANNED, sentence }));
  const query = new URLSearchParams({ ...PLANNED, include_retroactive: 'true' });
  const asked = await expected(200, request(stage.url, `/api/v1/agent/wisdom?${query}`, { headers }));
  if (asked.body.plan?.stated_at === undefined) throw new Error(`The question is not of the plan: ${asked.text}`);
  return { plan_id: body.plan_id, stated_at: asked.body.plan.stated_at };
}

/** Gives the owner an authenticator app, recovery codes and a passkey; returns the secret of the app. */
async function enrol(stage: Stage, { email }: Account): Promise<string> {
  const factors = '/owner/auth/factors';
  const first = asPage(await logIn(stage.url, email));
  const { secret } = (await expected(201, post(stage, `${factors}/totp`, first))).body;
  const code = { totp: codeAt(secret, stage.now()) };
  const confirmed = await expected(200, post(stage, `${factors}/totp/confirm`, first, code));
  const headers = asPage(cookieIn(confirmed.headers));
  const begun = await expected(200, post(stage, `${factors}/passkeys/options`, headers));
  const { host, hostname } = new URL(stage.world.publicUrl);
  const passkey = new SoftAuthenticator().create(begun.body, { origin: `http://${host}`, rpId: hostname });
  const both = asPage(`${headers.cookie}; ${cookieIn(begun.headers)}`);
  await expected(201, post(stage, `${factors}/passkeys`, both, { name: 'Laptop', passkey }));
  return secret;
}

function cookieIn(headers: Headers): string {
  return headers
    .getSetCookie()
    .map((line) => line.replace(/;.*/, ''))
    .join('; ');
}

/** Logins by an identity provider: one that ended, and those that have begun. */
async function signInElsewhere(stage: Stage): Promise<void> {
  const { access_token } = await tokensOf(stage.world.provider, 'ada');
  const headers = { authorization: `Bearer ${access_token}` };
  await expected(200, request(stage.url, '/api/v1/owner/dashboard', { headers }));
  await expected(200, post(stage, '/public/auth/idp/device', {}));
  await fetch(`${stage.url}/api/v1/public/auth/idp`, { redirect: 'manual' });
}

/** What operators do: a quarantine, a circuit that trips, an instrument that is verified again and does not answer. */
async function operate(stage: Stage, cookie: string, [record = '']: readonly string[]): Promise<void> {
  const headers = asPage(cookie);
  await expected(204, post(stage, `/admin/decisions/${record}/quarantine`, headers, { reason: 'a test' }));
  await expected(200, post(stage, '/admin/stablecoin/USDC/trip', headers, { reason: 'a test' }));
  await expected(202, post(stage, '/admin/instruments/crypto/BTC/BYBIT/spot/USDT/refresh', headers));
}

/** What waits for a link, a browser, the evidence log or a sweep when the database is dumped. */
async function leaveWaiting(
  stage: Stage,
  { email, api_key }: Account,
  admin: string,
  made: readonly string[],
): Promise<void> {
  await expected(202, post(stage, '/public/auth/password-reset', {}, { email }));
  await expected(200, post(stage, '/public/auth/passkey/options', {}));
  const last = await submitBitcoin(stage, api_key, new Date(stage.now().getTime() - 3 * DAY));
  await has(stage, `select from app.cohort_tail where record_id = '${last}'`);
  await operate(stage, admin, made);
  await statePlan(stage, api_key, `${SENTENCE} Still.`);
}

async function receiptsOf(stage: Stage, api_key: string, records: readonly string[]): Promise<Filled['receipts']> {
  const headers = { 'x-api-key': api_key };
  const receipts = [];
  for (const record_id of records) {
    await has(stage, `select from app.log_decisions where record_id = '${record_id}'`);
    receipts.push({ record_id, proof: await witnessed(stage, record_id, headers) });
  }
  return receipts;
}

/** The receipt, once a checkpoint that has the record is signed and cosigned. */
async function witnessed(stage: Stage, record_id: string, headers: Readonly<Record<string, string>>): Promise<string> {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await sleep(500)) {
    const { status, text } = await request(stage.url, `/api/v1/agent/decisions/${record_id}/receipt`, { headers });
    if (status === 200) return text;
  }
  throw new Error(`${record_id} has no receipt.`);
}

const PATIENCE = 150 * SECOND;

/** Wakes a job, and waits for what it does. */
async function runJob(stage: Stage, job: string, done: string): Promise<void> {
  await stage.server.query(OWNER, `insert into pgboss.job (name) values ('${job}')`);
  await has(stage, done);
}

/** Waits until a query of the database finds a row. */
async function has({ server }: Stage, query: string): Promise<void> {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await sleep(300)) {
    if ((await server.query(OWNER, `select exists (${query}) as found`))[0]?.found === true) return;
  }
  throw new Error(`No row came of: ${query}`);
}
