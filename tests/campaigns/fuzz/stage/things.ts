import { setTimeout as sleep } from 'node:timers/promises';
import { DAY } from '../../../../domain/time.ts';
import { SYMBOLS } from '../../stage/prices.ts';
import type { Document } from '../document.ts';
import type { Send } from '../send.ts';
import type { Caller, Headers } from './callers.ts';
import type { Person } from './people.ts';

/** Values that requests can use, by the name of their field. Replies add more. */
export type Things = Map<string, string[]>;

export const PASSWORD = 'four plain words, spaced';
export const EMAIL = 'fuzz@example.com';
export const OTHER_PASSWORD = 'five other words, spaced alike';
const GRADED_WITHIN = 120_000;

/** Names of sets of back-tests that all agents have. */
const SETS = ['first', 'second', 'third', 'fourth'];

/** Creates records in every state, published and unpublished workflows, keys, and an account with a password. */
export async function thingsOf(
  send: Send,
  document: Document,
  callers: readonly Caller[],
  people: readonly Person[],
): Promise<Things> {
  const as = (name: string) => callers.find((caller) => caller.name === name)?.headers() ?? {};
  const request = sender(send);
  const records = await addRecords(request, [as('read_write key'), as("another owner's key"), as('key of an admin')]);
  const [first = '', second = '', third = ''] = records;
  await request('POST', `/api/v1/owner/decisions/${first}/revoke`, as('session'), {});
  await awaitGrade(request, first, as('read_write key'));
  await request('POST', `/api/v1/agent/decisions/${first}/notes`, as('read_write key'), { text: 'A note' });
  // A record cannot be quarantined while it is evaluated.
  await awaitGrade(request, second, as("another owner's key"));
  await request('POST', `/api/v1/admin/decisions/${second}/quarantine`, as('admin session'), { reason: 'A test' });
  const open = await request('POST', '/api/v1/agent/decisions', as('read_write key'), decision(9, 0));
  const workflow = document.operations.find(({ id }) => id === 'createWorkflow')?.body?.example as object;
  const made = [
    await request('POST', '/api/v1/owner/workflows', as('session'), { ...workflow, visibility: 'public' }),
    await request('POST', '/api/v1/owner/workflows', as("another owner's session"), workflow),
    await request('POST', '/api/v1/owner/workflows', as('session'), { name: 'Not ready' }),
  ].map(({ id }) => String(id));
  const hashes = [
    await request('POST', `/api/v1/owner/workflows/${made[0]}/snapshots`, as('session')),
    await request('POST', `/api/v1/owner/workflows/${made[1]}/snapshots`, as("another owner's session")),
  ].map(({ hash }) => String(hash));
  const plan = document.operations.find(({ id }) => id === 'statePlan')?.body?.example as object;
  const { plan_id } = await request('POST', '/api/v1/agent/plans', as('read_write key'), plan);
  const sent = document.operations.find(({ id }) => id === 'sendBacktestRows')?.body?.example as { about: object };
  // There are prices for its window, so that it can be noted.
  const rows = { about: sent.about, rows: [{ external_id: 'trade-17', ...decision(0, 60) }] };
  for (const key of ['read_write key', "another owner's key", 'key of an admin']) {
    for (const set of SETS) await request('POST', `/api/v1/agent/backtests/${set}`, as(key), rows);
  }
  await request('POST', '/api/v1/public/auth/register', {}, { email: EMAIL, password: PASSWORD });
  await awaitGrade(request, third, as('key of an admin'));
  const index = await awaitLeaf(request, third, as('key of an admin'));
  const { read_mark } = await request('GET', '/api/v1/owner/events/digest', as('session'));
  const nodes = (await request('GET', '/api/v1/nodes', {})).items as { node_id: string }[] | undefined;
  return new Map<string, string[]>([
    ['record_id', [...records, String(open.record_id), 'dec_20200101_deadbeef']],
    ['plan_id', [String(plan_id), '0198c0de-0000-7000-8000-000000000000']],
    ['index', [String(index), String(index), '0', '999999']],
    ['number', ['1', '1', '2', '20']],
    ['workflow', [...made, '0198c0de-0000-7000-8000-000000000000']],
    ['node_id', nodes?.map(({ node_id }) => node_id) ?? ['input.idea']],
    ['hash', [...hashes, '0'.repeat(64)]],
    ['workflow_ref', [...hashes.map((hash) => `wf:${hash}`), `wf:${'0'.repeat(64)}`]],
    ['agent_id', [...people.map(({ agent_id }) => agent_id), 'agt_000000000000']],
    ['spare_agent', [...people.flatMap(({ spareAgents }) => spareAgents), 'agt_000000000000']],
    ['key_prefix', [...people.flatMap(({ spareKeys }) => spareKeys), 'sbk_00000000']],
    ['set', [...SETS, 'never-sent']],
    ['external_id', ['trade-17', 'trade-17', 'never-sent']],
    ['account_password', [PASSWORD]],
    ['account_session', []],
    ['session_id', []],
    ['spare_session', people.flatMap(({ spareSessions }) => spareSessions)],
    ['symbol', [...SYMBOLS, 'MSFT', 'BTC', 'BRK.B']],
    ['venue', ['BINANCE', 'BINANCE', 'NASDAQ', 'NYSE']],
    ['market', ['crypto', 'crypto', 'stock']],
    ['asset_class', ['spot', 'spot', 'perp']],
    ['quote_currency', ['USDT', 'USDT', 'USD', 'USDC']],
    ['email', [EMAIL, 'nobody@example.com']],
    ['password', [PASSWORD, OTHER_PASSWORD]],
    ['current_password', [PASSWORD, OTHER_PASSWORD]],
    ['new_password', [PASSWORD, OTHER_PASSWORD]],
    ['cursor', []],
    ['read_mark', [String(read_mark)]],
    ['device_code', []],
    ['idempotency-key', KEYS],
    ['idempotency_key', KEYS],
    ['node', ['instrument:CHA', 'perspective:technical']],
    ['timezone', ['Europe/Berlin', 'UTC']],
    ['terms_version', ['1.0']],
    ['privacy_version', ['1.0']],
  ]);
}

const KEYS = ['one', '"one"', 'two', 'three'];

/** Submits a retroactive decision of each agent and symbol. */
async function addRecords(request: Request, agents: readonly Headers[]): Promise<string[]> {
  const records: string[] = [];
  for (const [n] of SYMBOLS.entries()) {
    for (const headers of agents) {
      const { record_id } = await request('POST', '/api/v1/agent/decisions', headers, decision(n, 30 - records.length));
      records.push(String(record_id));
    }
  }
  return records;
}

function decision(n: number, daysAgo: number) {
  return {
    market: 'crypto',
    symbol: SYMBOLS[n % SYMBOLS.length],
    venue: 'BINANCE',
    asset_class: 'spot',
    quote_currency: 'USDT',
    direction: (['bullish', 'bearish', 'neutral'] as const)[n % 3],
    horizon_kind: 'trading_days',
    horizon_value: 2,
    data_cutoff: new Date(Date.now() - daysAgo * DAY).toISOString(),
    perspective_type: 'technical',
    key_factors: ['A reason'],
  };
}

type Request = (
  method: string,
  path: string,
  headers: Headers,
  body?: unknown,
) => Promise<Readonly<Record<string, unknown>>>;

/** Returns a function that sends a request and throws when it is refused. */
function sender(send: Send): Request {
  return async (method, path, headers, body) => {
    const json = body === undefined ? null : Buffer.from(JSON.stringify(body));
    const typed = json === null ? headers : { ...headers, 'content-type': 'application/json' };
    const { status, body: text } = await send({ method, path, headers: typed, body: json });
    if (status >= 400) throw new Error(`The setup of the stage failed: ${method} ${path} answers ${status} ${text}`);
    return text.length === 0 ? {} : JSON.parse(text.toString());
  };
}

async function awaitGrade(request: Request, record_id: string, headers: Headers): Promise<void> {
  const deadline = Date.now() + GRADED_WITHIN;
  while (Date.now() < deadline) {
    const { state } = await request('GET', `/api/v1/agent/decisions/${record_id}/state`, headers);
    if (state === 'closed' || state === 'unavailable') return;
    await sleep(500);
  }
  throw new Error('The setup of the stage failed: a record was not graded in time.');
}

/** The index of the leaf of a record whose grade is in the evidence log. */
async function awaitLeaf(request: Request, record_id: string, headers: Headers): Promise<number> {
  const deadline = Date.now() + GRADED_WITHIN;
  while (Date.now() < deadline) {
    const { log } = await request('GET', `/api/v1/agent/decisions/${record_id}`, headers);
    const { index, outcome_index } = (log ?? {}) as { readonly index?: number; readonly outcome_index?: number | null };
    if (index !== undefined && typeof outcome_index === 'number') return index;
    await sleep(500);
  }
  throw new Error('The setup of the stage failed: the evidence log did not get a grade in time.');
}
