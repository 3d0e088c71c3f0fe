import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { z } from 'zod';
import { ownerDetail } from '../../adapters/http/shapes/decisions/decision-views.ts';
import { buildAtlas } from '../../application/atlas/build-atlas.ts';
import { foldCohorts } from '../../application/cohorts/fold-cohorts.ts';
import { publishDataset } from '../../application/datasets/publish-dataset.ts';
import { DAY, HOUR } from '../../domain/time.ts';
import {
  ENDLESS,
  KINDS,
  numbersOf,
  type Plant,
  plant,
  STORED_TABLES,
  type StoredRows,
  storedRows,
  timesOf,
} from '../builders/unreadable-records.ts';
import { type OpenedDatabase, onPostgres } from '../contracts/decisions/adapters.ts';
import { anAgentAt, strangerAt, type TestAgent } from '../harness/callers.ts';
import { aPastCall, COHORTS_AT } from '../harness/cohorts.ts';
import { sequence } from '../harness/kept-logs.ts';
import { logAll } from '../harness/logged.ts';
import { openService, type TestService } from '../harness/service.ts';
import { anOwnerLoggedIn } from '../harness/sessions.ts';
import { post, type RpcReply, toolCall } from './mcp/stage.ts';

const ENV = {
  REAUTH_MINUTES: '1440',
  LIMIT_COOLDOWN_SECONDS: '0',
  WISDOM_MIN_PRODUCERS: '1',
  WISDOM_MIN_SAMPLES: '1',
  DATA_SNAPSHOTS: 'monthly',
  DATA_SNAPSHOTS_LICENCE: 'CC-BY-4.0',
  PUBLIC_COHORTS: 'on',
};

/** A decision with every number that a submission can have. */
const CALL = aPastCall(9, {
  key_factors: ['a text', { factor: 'with a number', weight: 0.5, metric: { name: 'RSI', value: 31.5 } }],
  reference_price: 2_500,
  price_targets: { entry: 2_400, targets: [{ price: 9_000, size_pct: 50 }], stop_loss: { price: 1, kind: 'hard' } },
  invalidation: [{ kind: 'drops_below', threshold: 2 }],
  execution_info: { executed: true, fill_price: 2_500, quantity: 1.5, fees: 0.25 },
  service_interaction: { consulted: true, wisdom_queries: 3 },
  confidence: 0.75,
});

/** Every number that the facts only an owner sees can have. */
const TOUCH = { kind: 'target', price: 9_000, time: '2017-05-28T00:00:00.000Z', fill_price: 9_001, ambiguous: false };
const OWNER_FACTS = {
  levels: {
    first_touch: TOUCH,
    time_to_target: 60,
    time_to_stop: 61,
    touches: [TOUCH],
    invalid_at_entry: [{ kind: 'stop', price: 1 }],
  },
  reference_price: {
    price: 2_500,
    bar: { start: TOUCH.time, end: TOUCH.time, low: 2_400, high: 2_600 },
    within_bar: true,
  },
  knowledge_overlap: null,
  left_out: [{ of: 'path', at: 'close', time: TOUCH.time, price: 4_900 }],
};
const MARKET = { instrument: 'stock:SPY:ARCA:spot:USD', move: 0.01 };

let opened: OpenedDatabase;
let service: TestService;
let cookie: string;
let agent: TestAgent;
let rows: StoredRows;
let places: readonly string[];
let sound: string;
const plants: Plant[] = [];

beforeAll(async () => {
  opened = await onPostgres(4);
  service = await openService('postgres', { at: COHORTS_AT, opened, env: ENV });
  const owner = await anOwnerLoggedIn(service);
  cookie = owner.cookie;
  agent = await anAgentAt(service, { mate: owner });
  const { body } = await agent.submit(CALL);
  await service.settle();
  const graded = await storedRows(opened.owner, body.record_id);
  const facts = graded.decision_outcomes.facts as object;
  rows = {
    ...graded,
    decision_outcomes: {
      ...graded.decision_outcomes,
      facts: { ...facts, omega: 0.25, market: MARKET },
      owner_facts: OWNER_FACTS,
    },
  };
  await opened.owner.query('alter table app.decisions disable trigger check_new_decision');
  places = await numbersOf(opened.owner, rows);
  sound = (await plant(opened.owner, rows, 'nothing', 'missing')).record_id;
  for (const place of places) for (const kind of KINDS) plants.push(await plant(opened.owner, rows, place, kind));
  for (const table of STORED_TABLES.slice(1)) plants.push(await plant(opened.owner, rows, table, 'missing'));
}, 300_000);
afterAll(() => service?.close());

const owned = (path: string) => request(service.app).get(path).set({ cookie });
const namedBy = ({ place, kind }: Plant) => `${place} ${kind}`;

/** Those whose replies are not what they should be, by what was planted. */
async function failing(check: (plant: Plant) => Promise<unknown>): Promise<readonly string[]> {
  const found: string[] = [];
  for (let from = 0; from < plants.length; from += 20) {
    const checked = plants.slice(from, from + 20).map(async (each) => {
      const wrong = await check(each);
      if (wrong) found.push(`${namedBy(each)}: ${String(wrong).slice(0, 200)}`);
    });
    await Promise.all(checked);
  }
  return found;
}
const refusal = ({ status, text }: request.Response) => (status === 200 ? null : `${status} ${text}`);

test('every number of the schema is planted', async () => {
  const schema = z.toJSONSchema(ownerDetail, { unrepresentable: 'any', io: 'output' });
  const shown = numbersOfSchema(schema as Schema, schema as Schema, '');
  const planted = new Set(places.map(shownPlace));
  // What is computed from others, is an integer column that has no such value, or is of the log.
  const others =
    /^(number|notes\[\]\.number|group\.of|group\.place|outcome\.move_z|outcome\.sources_after_cutoff|horizon_value|evaluation\.attempts|log\..*)$/;
  expect([...shown].filter((place) => !planted.has(place) && !others.test(place))).toEqual([]);
  expect(shown.size).toBeGreaterThan(50);
});

test('no time of a record can be infinity or -infinity: the database refuses it, or takes its own', async () => {
  const times = await timesOf(opened.owner);
  expect(times.length).toBeGreaterThan(10);
  const accepted: string[] = [];
  for (const place of times) {
    for (const kind of ENDLESS) if ((await plantedTime(place, kind)) !== '23514') accepted.push(`${place} ${kind}`);
  }
  // A trigger sets these two, whatever is sent.
  const set = ['decision_outcomes.evaluated_at', 'decisions.listed_at'];
  expect(accepted.toSorted()).toEqual(set.flatMap((place) => ENDLESS.map((kind) => `${place} ${kind}`)).toSorted());
});

/** The code of the refusal; what is accepted must not be stored. */
async function plantedTime(place: string, kind: (typeof ENDLESS)[number]): Promise<string> {
  const { owner } = opened;
  await owner.query('begin');
  try {
    await plant(owner, rows, place, kind);
    const [table, column] = place.split('.');
    const { rowCount } = await owner.query(`select from app.${table} where not isfinite(${column})`);
    expect([place, kind, rowCount]).toEqual([place, kind, 0]);
    return 'accepted';
  } catch (error) {
    const { code } = error as { readonly code?: string };
    if (code === undefined) throw error;
    return code;
  } finally {
    await owner.query('rollback');
  }
}

test('a sound copy is shown in full, with nothing about faults', async () => {
  const { body, status } = await agent.read(sound);
  expect([status, body.fault, body.outcome.z, body.outcome.levels]).toEqual([
    200,
    undefined,
    expect.any(Number),
    OWNER_FACTS.levels,
  ]);
  expect(body.outcome.bars.length).toBeGreaterThan(0);
});

describe.each([
  ['the detail', (id: string) => agent.read(id)],
  ["the owner's detail", (id: string) => owned(`/api/v1/owner/decisions/${id}`)],
  ['the public detail', (id: string) => strangerAt(service).read(id)],
  ['the state', (id: string) => agent.state(id)],
  ["the owner's state", (id: string) => owned(`/api/v1/owner/decisions/${id}/state`)],
  ['the public state', (id: string) => strangerAt(service).state(id)],
  ['the graph', (id: string) => agent.get(`/api/v1/agent/decisions/${id}/graph`)],
  ['the public graph', (id: string) => strangerAt(service).get(`/api/v1/public/decisions/${id}/graph`)],
])('%s', (_, read) => {
  test('of each such record is answered', async () => {
    expect(await failing(async ({ record_id }) => refusal(await read(record_id)))).toEqual([]);
  });
});

/** What nothing shows: `check-evidence` compares it. */
const UNSHOWN =
  /^(decision_documents\.(receipt|received|confidence|submission)|decision_outcomes\.created_regime|outcome_evidence\.document)/;
/** Members that a record need not have. */
const OPTIONAL =
  /(directional_return|mfe|fraction_in_favour|omega|time_to_target|time_to_stop|volume|decisions\.move)$|statement\./;

test('what is missing from the detail, the state and the lists is stated', async () => {
  const listed = new Map((await pagesOf('/api/v1/owner/decisions', owned)).map((item) => [item.record_id, item]));
  const unstated = await failing(async ({ record_id, place, kind }) => {
    if (UNSHOWN.test(place) || place === 'decisions.move') return null;
    if (place === 'decision_documents.statement.body.horizon_value') return null;
    if (kind !== 'infinity' && OPTIONAL.test(place)) return null;
    const views = [(await agent.read(record_id)).body, listed.get(record_id)];
    const parts = views.flatMap((view) => view?.fault?.parts ?? []);
    return parts.length > 0 ? null : JSON.stringify(views.map((view) => view?.fault ?? 'no fault'));
  });
  expect(unstated).toEqual([]);
});

test('others see no fault of what only the owner sees', async () => {
  const { record_id: _, log: __, ...whole } = (await strangerAt(service).read(sound)).body;
  const owners = plants.filter(({ place }) =>
    /owner_facts|evidence|statement\.body\.(?!key_factors)|decisions\.(raw|dir|mfe|mae)/.test(place),
  );
  expect(owners.length).toBeGreaterThan(80);
  for (const each of owners) {
    const { record_id: ___, log: ____, commitment, ...shown } = (await strangerAt(service).read(each.record_id)).body;
    expect([namedBy(each), { ...shown, commitment: whole.commitment }]).toEqual([namedBy(each), whole]);
  }
});

// biome-ignore lint/suspicious/noExplicitAny: each list has items of its own.
async function pagesOf(path: string, get: (path: string) => request.Test): Promise<readonly any[]> {
  const items: unknown[] = [];
  const name = path.endsWith('events') ? 'after' : 'cursor';
  for (let cursor = ''; ; ) {
    const mark = path.includes('?') ? '&' : '?';
    const reply = await get(`${path}${mark}limit=100${cursor && `&${name}=${encodeURIComponent(cursor)}`}`);
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${reply.text}`);
    items.push(...reply.body.items);
    cursor = reply.body.next_cursor;
    if (!cursor || reply.body.items.length === 0) return items;
  }
}

test('no batch and no list is lost', async () => {
  const ids = plants.map(({ record_id }) => record_id);
  for (let from = 0; from < ids.length; from += 32) {
    const reply = await agent.batch(ids.slice(from, from + 32));
    const { body } = reply;
    expect([reply.status, body.items.filter(({ status }: { status: string }) => status !== 'found')]).toEqual([
      200,
      [],
    ]);
  }
  const all = ids.length + 2;
  expect(await pagesOf('/api/v1/owner/decisions', owned)).toHaveLength(all);
  expect(await pagesOf('/api/v1/agent/decisions', agent.get)).toHaveLength(all);
  expect((await strangerAt(service).get('/api/v1/public/decisions?limit=50')).status).toBe(200);
});

test('no cohort, atlas and track record is lost', async () => {
  await foldCohorts(service.ports);
  const query = '/api/v1/agent/wisdom?market=crypto&include_retroactive=true';
  const { status, body } = await agent.get(query);
  expect([status, body.overview?.sample_count]).toEqual([200, plants.length + 2]);
  expect(await pagesOf(query, agent.get)).toHaveLength(plants.length + 2);
  expect((await strangerAt(service).get('/api/v1/public/cohorts?market=crypto&include_retroactive=true')).status).toBe(
    200,
  );
  expect(await buildAtlas(service.ports)).toBe(true);
  for (const path of [
    'network',
    'seeds?limit=50',
    'network?include_retroactive=true',
    'seeds?limit=50&include_retroactive=true',
  ])
    expect(refusal(await strangerAt(service).get(`/api/v1/public/atlas/${path}`))).toBeNull();
  for (const filter of [
    '',
    '?direction=bullish',
    '?direction=bullish&has_outcome=true',
    '?result_bucket=strong_correct',
  ]) {
    const record = await owned(`/api/v1/owner/agents/${agent.agent_id}/track-record${filter}`);
    expect(refusal(record)).toBeNull();
  }
  expect(refusal(await owned('/api/v1/owner/agents'))).toBeNull();
  expect(refusal(await owned('/api/v1/owner/dashboard'))).toBeNull();
});

test('events, the log, receipts and tools go on', async () => {
  expect((await pagesOf('/api/v1/agent/events', agent.get)).length).toBeGreaterThan(plants.length);
  const { record_id } = (await agent.submit(aPastCall(11))).body;
  await service.settle();
  await logAll(service);
  for (let more = 1; more > 0; ) more = await sequence(service.ports);
  const proof = (id: string, leaf: string) =>
    agent.get(`/api/v1/agent/decisions/${id}/receipt?leaf=${leaf}&opening=full`);
  for (const leaf of ['decision', 'outcome']) {
    expect(refusal(await proof(record_id, leaf))).toBeNull();
    expect(refusal(await proof(sound, leaf))).toBeNull();
    const wrong = await failing(async ({ record_id: id }) => {
      const { status, body } = await proof(id, leaf);
      if (status === 200 || body.error?.code === 'NOT_LOGGED_YET' || body.error?.code === 'RECORD_UNREADABLE')
        return null;
      return `${status} ${JSON.stringify(body)}`;
    });
    expect(wrong).toEqual([]);
  }
  const [one] = plants.filter(({ place }) => place === 'decision_outcomes');
  const called = await post(
    service.app,
    { 'x-api-key': agent.api_key },
    toolCall('get_decision', JSON.stringify({ record_id: one?.record_id })),
  );
  const { result } = JSON.parse(called.text.slice(called.text.indexOf('{'))) as RpcReply;
  expect(result?.structuredContent).toMatchObject({ outcome: null, fault: { parts: ['outcome'] } });
});

test.each(['jsonl', 'zip', 'csv', 'parquet'])('an export as %s is whole', async (format) => {
  await service.arrange.advance(HOUR);
  const { status, body } = await owned(`/api/v1/owner/export?format=${format}`)
    .buffer(true)
    .parse((res, done) => {
      const pieces: Buffer[] = [];
      res.on('data', (piece) => pieces.push(piece));
      res.on('end', () => done(null, Buffer.concat(pieces)));
      res.on('error', (error) => done(error, null));
    });
  expect(status).toBe(200);
  const all = plants.length + 3;
  if (format === 'jsonl') {
    const lines = body
      .toString()
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line));
    expect(lines.at(-1).counts.decision).toBe(all);
    const [gone] = plants.filter(({ place }) => place === 'decision_outcomes');
    const about = lines.flatMap(({ decision }: { decision?: { record_id: string } }) =>
      decision?.record_id === gone?.record_id ? decision : [],
    );
    expect(about).toMatchObject([{ facts: null, fault: { parts: ['outcome'] } }]);
  }
  if (format === 'csv') expect(body.toString().split('\r\n"dec_')).toHaveLength(all + 1);
  if (format === 'parquet') expect(body.subarray(-4).toString()).toBe('PAR1');
  if (format === 'zip') expect(body.includes('counts.json')).toBe(true);
});

test('operators find each in the log of the process, once', async () => {
  const lines = service.log.filter((line) => line.includes('cannot be read in full'));
  const [one] = plants.filter(({ place }) => place === 'decision_outcomes');
  const about = lines.filter((line) => line.includes(one?.record_id ?? 'no record'));
  expect(about).toEqual([expect.stringMatching(/"reason":"outcome"/)]);
  // Those with a part that somebody reads, and that may not be missing.
  expect(lines.length).toBeGreaterThan(150);
});

// Last: no session lasts as long.
test('the snapshot of the next month is made', async () => {
  await service.arrange.advance(31 * DAY);
  expect(await publishDataset(service.ports)).toBe(true);
});

/** The place in a detail of what is stored at a place. */
function shownPlace(place: string): string {
  return place
    .replace(/\.\d+(?=\.|$)/g, '[]')
    .replace(/^decision_outcomes\.(facts|owner_facts)/, 'outcome')
    .replace(/^evidence_bars\.content\.(\w+).*/, 'outcome.bars[].$1')
    .replace(/^decisions\.created_regime/, 'created_regime_values')
    .replace(/^decision_documents\.statement\.body\./, '');
}

interface Schema {
  readonly type?: string;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

function numbersOfSchema(root: Schema, named: Schema, place: string): Set<string> {
  const definition = named.$ref?.replace('#/$defs/', '');
  const schema = definition === undefined ? named : (root.$defs?.[definition] ?? named);
  const { type, properties = {}, items, anyOf = [], oneOf = [] } = schema;
  const own = type === 'number' || type === 'integer' ? [place] : [];
  return new Set([
    ...own,
    ...Object.entries(properties).flatMap(([name, each]) => [
      ...numbersOfSchema(root, each, place === '' ? name : `${place}.${name}`),
    ]),
    ...(items ? numbersOfSchema(root, items, `${place}[]`) : []),
    ...[...anyOf, ...oneOf].flatMap((each) => [...numbersOfSchema(root, each, place)]),
  ]);
}
