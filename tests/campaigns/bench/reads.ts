import { BATCH } from '../../../domain/limits.ts';
import type { NoteRatio } from './aims.ts';
import { SYMBOLS, symbolOf } from './calls.ts';
import { tableOf } from './measured.ts';
import { getRequest, keyLine, postRequest } from './requests.ts';
import { type Contender, type Extent, inRounds } from './rounds.ts';
import { load, type Measurable } from './scenarios.ts';
import type { Stage } from './stage.ts';

const DECISIONS = '/api/v1/agent/decisions';

/** Every kind of read, compared with the read of a record; as lines. */
export async function benchReads(stage: Stage, extent: Extent, note: NoteRatio): Promise<string> {
  const measured = await inRounds(readersOf(stage), extent);
  const cpu = (name: keyof ReturnType<typeof requestsOf>) => measured.get(name)?.cpu ?? Number.NaN;
  note('CPU of a cohort of a market of 10,000 / of one symbol', cpu('wisdom of a market') / cpu('wisdom of a symbol'));
  note('CPU of a cohort of one symbol / an own record', cpu('wisdom of a symbol') / cpu(OWN_RECORD));
  note('CPU of a batch of 32 / 32 single reads', cpu(WHOLE_BATCH) / (BATCH.records * cpu(OWN_RECORD)));
  return tableOf(measured, 'a record against it');
}

const OWN_RECORD = 'a record, for its owner';
const WHOLE_BATCH = `a batch of ${BATCH.records} records` as const;

/** Every kind of read as a contender, that of a record first. */
export function readersOf(stage: Measurable): readonly Contender[] {
  return Object.entries(requestsOf(stage)).map(([name, requests]) => ({
    name,
    measure: (seconds) => load(stage, stage.service, { seconds, expect: 200, plan: { kind: 'any', requests } }),
  }));
}

function requestsOf({ population: { agents, records } }: Measurable) {
  const lines = new Map(agents.map(({ agent_id, key }) => [agent_id, keyLine(key)]));
  const [anyLine = ''] = lines.values();
  const ofRecord = (path: (record_id: string) => string) =>
    records.map(({ record_id, agent_id }) => getRequest(path(record_id), lines.get(agent_id) ?? ''));
  const ids = records.map(({ record_id }) => record_id);
  const batches = ids
    .filter((_, n) => n % BATCH.records === 0)
    .map((_, n) => JSON.stringify({ record_ids: ids.slice(n * BATCH.records, (n + 1) * BATCH.records) }));
  return {
    [OWN_RECORD]: ofRecord((id) => `${DECISIONS}/${id}`),
    'the state of a record': ofRecord((id) => `${DECISIONS}/${id}/state`),
    'a record, for anybody': ids.map((id) => getRequest(`/api/v1/public/decisions/${id}`, '')),
    [WHOLE_BATCH]: batches.map((body) => postRequest(`${DECISIONS}/batch`, anyLine, body)),
    'the newest 20 records of an agent': [...lines.values()].map((line) => getRequest(`${DECISIONS}?limit=20`, line)),
    'wisdom of a symbol': Array.from({ length: SYMBOLS }, (_, n) =>
      getRequest(`/api/v1/agent/wisdom?market=crypto&symbol=${symbolOf(n)}`, anyLine),
    ),
    'wisdom of a market': [getRequest('/api/v1/agent/wisdom?market=crypto', anyLine)],
    'the page at /': [getRequest('/', '')],
  } satisfies Readonly<Record<string, readonly string[]>>;
}
