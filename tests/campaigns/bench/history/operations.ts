import { BATCH } from '../../../../domain/limits.ts';
import type { Caller } from '../../stage/callers.ts';
import { symbolOf } from '../calls.ts';
import { INSTRUMENTS } from '../due-decisions.ts';
import { getRequest, keyLine, postRequest, type RequestPlan } from '../requests.ts';

/** What is read of a history: agents, the first of the owner with a tenth of everything, and some graded records. */
export interface HistorySample {
  readonly callers: readonly Caller[];
  readonly records: readonly { readonly record_id: string; readonly agent_id: string }[];
}

export type Requests = Readonly<Record<string, readonly string[]>>;

/** The submission of history: its first call has this number. */
export function submission(callers: readonly Caller[], first: number): RequestPlan {
  const credentials = callers.map(({ key }) => keyLine(key));
  return { kind: 'submit', path: DECISIONS, credentials, keyed: true, at: new Date().toISOString(), first };
}

/** The reads whose time must not grow with the history. */
export function reads({ callers, records }: HistorySample): Requests {
  const keys = new Map(callers.map(({ agent_id, key }) => [agent_id, keyLine(key)]));
  const [anyKey = ''] = keys.values();
  const ids = records.map(({ record_id }) => record_id);
  const batches = ids
    .filter((_, n) => n % BATCH.records === 0)
    .map((_, n) => JSON.stringify({ record_ids: ids.slice(n * BATCH.records, (n + 1) * BATCH.records) }));
  const sessions = callers
    .slice(0, 1)
    .map(({ session }) => `Cookie: sid=${session}\r\nSec-Fetch-Site: same-origin\r\n`);
  const [session = ''] = sessions;
  return {
    'a record, for its owner': records.map(({ record_id, agent_id }) =>
      getRequest(`${DECISIONS}/${record_id}`, keys.get(agent_id) ?? ''),
    ),
    'a record, for anybody': ids.map((id) => getRequest(`/api/v1/public/decisions/${id}`, '')),
    [`a batch of ${BATCH.records} records`]: batches.map((body) => postRequest(`${DECISIONS}/batch`, anyKey, body)),
    'the newest 20 of an agent': [...keys.values()].map((key) => getRequest(`${DECISIONS}?limit=20`, key)),
    'wisdom of a symbol': Array.from({ length: INSTRUMENTS }, (_, n) =>
      getRequest(`/api/v1/agent/wisdom?market=crypto&symbol=${symbolOf(n)}`, anyKey),
    ),
    'wisdom of a market': [getRequest('/api/v1/agent/wisdom?market=crypto', anyKey)],
    'the dashboard': [getRequest('/api/v1/owner/dashboard', session)],
    'the agents of an owner': [getRequest('/api/v1/owner/agents', session)],
    'the newest 20 of an owner': [getRequest('/api/v1/owner/decisions?limit=20', session)],
    'a track record': callers
      .slice(0, 20)
      .map(({ agent_id }) => getRequest(`/api/v1/owner/agents/${agent_id}/track-record`, session)),
    'workflows, most used': [getRequest('/api/v1/public/workflows?sort=most_used', anyKey)],
  };
}

const DECISIONS = '/api/v1/agent/decisions';

/** The shapes of cohorts that read nothing but rows of decisions and cells. */
export function cohortReads(key: string): Requests {
  const shapes = {
    'market alone': '',
    'one symbol': '&symbol=C7',
    'venue alone': '&venue=BINANCE',
    'horizon kind and value': '&horizon_kind=holding_seconds&horizon_value=86400',
    direction: '&direction=bearish',
    'rare class': '&analysis_class=trade_plan',
    '90-day window': '&data_cutoff_since=2024-05-13T07:31:00Z&data_cutoff_until=2024-08-11T07:31:00Z',
    as_of: '&as_of=2025-02-20T09:15:00Z',
  };
  return Object.fromEntries(
    Object.entries(shapes).map(([name, query]) => [
      name,
      [getRequest(`/api/v1/agent/wisdom?market=crypto${query}`, keyLine(key))],
    ]),
  );
}
