import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { quarantineDecision } from '../../../application/decisions/moderate-decision.ts';
import { verdictsOf } from '../../builders/proof-files.ts';
import { anAgentAt, strangerAt, type TestAgent } from '../../harness/callers.ts';
import { aPastCall, COHORTS_AT } from '../../harness/cohorts.ts';
import { KEPT_LOG_POLICY } from '../../harness/kept-logs.ts';
import { logAll } from '../../harness/logged.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const NO_WAIT = { LIMIT_COOLDOWN_SECONDS: '0' };

interface Stage {
  readonly service: TestService;
  readonly agent: TestAgent;
  /** Evaluated; all but the last are in the log, and one of them is quarantined. */
  readonly records: Readonly<Record<'shown' | 'quarantined' | 'fresh', string>>;
  readonly open: string;
}

async function openStage(storage: (typeof STORAGES)[number], env: NodeJS.ProcessEnv = {}): Promise<Stage> {
  const service = await openService(storage, { at: COHORTS_AT, env: { ...NO_WAIT, ...env } });
  const agent = await anAgentAt(service);
  const submitted = async (call: object): Promise<string> => (await agent.submit(call)).body.record_id;
  const [shown, quarantined] = [await submitted(aPastCall(9)), await submitted(aPastCall(8))];
  await service.settle();
  const open = await submitted(aPastCall(0, { horizon_value: 30 }));
  await logAll(service);
  await quarantineDecision(service.ports, quarantined, 'a stolen key', 'test');
  const fresh = await submitted(aPastCall(7));
  await service.settle();
  return { service, agent, records: { shown, quarantined, fresh }, open };
}

const proofOf = (record_id: string, query = '') => `/api/v1/public/decisions/${record_id}/proof${query}`;
const leafAt = (index: number | string) => `/api/v1/public/log/${index}`;

/** Status, headers and body without what each request has of its own. */
function plain({ status, text, headers, body }: request.Response, named: string) {
  const { date: _, 'x-request-id': __, 'x-ratelimit-remaining': ___, 'x-ratelimit-reset': ____, ...rest } = headers;
  const said = text.replace(body.error?.request_id, '').replaceAll(named, 'NAME');
  return { status, said, headers: { ...rest, 'content-length': undefined } };
}

describe.each(STORAGES)('what everybody sees of the log, on %s', (storage) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(storage);
  });
  afterAll(() => stage.service.close());

  const get = (path: string) => strangerAt(stage.service).get(path);
  const leavesOf = async (record_id: string) => {
    const leaves = await stage.service.ports.log.leavesOf(1, record_id);
    if (!leaves) throw new Error(`${record_id} has no leaf.`);
    return { index: leaves.index, outcome_index: leaves.outcome?.index ?? null };
  };

  test('a public record shows its leaves, and has proofs of both that the verifier accepts', async () => {
    const { shown } = stage.records;
    const { body } = await strangerAt(stage.service).read(shown);
    expect(body.log).toMatchObject(await leavesOf(shown));
    for (const [query, index] of [
      ['', body.log.index],
      ['?leaf=outcome', body.log.outcome_index],
    ]) {
      const { status, text, headers } = await get(proofOf(shown, query));
      expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
      expect(text).toContain(`\nindex ${index}\n`);
      const holding = { signature: 'holds', inclusion: 'holds', opening: 'holds' };
      expect(await verdictsOf(text, KEPT_LOG_POLICY)).toMatchObject(holding);
    }
  });

  test('the index of its leaf leads to the record', async () => {
    const { shown } = stage.records;
    const { index } = await leavesOf(shown);
    const { status, body, headers } = await get(leafAt(index));
    expect([status, body]).toEqual([200, { record_id: shown }]);
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=0, must-revalidate',
      'x-quota-resource': 'none',
    });
  });

  test('batches show the leaves, lists do not', async () => {
    const { agent, records } = stage;
    const { body } = await agent.batch([records.shown]);
    expect(body.items[0].decision.log).toMatchObject(await leavesOf(records.shown));
    for (const path of ['/api/v1/public/decisions', '/api/v1/agent/decisions']) {
      const { body: list } = await agent.get(path);
      expect(list.items.length).toBeGreaterThan(0);
      expect(list.items.filter((item: object) => 'log' in item)).toEqual([]);
    }
  });

  test('a proof may be cached for a minute, has an ETag, and HEAD has its headers', async () => {
    const path = proofOf(stage.records.shown);
    const { headers, text } = await get(path);
    expect(headers['cache-control']).toBe('public, max-age=60, must-revalidate');
    const again = await get(path).set('If-None-Match', headers.etag ?? '');
    expect([again.status, again.text]).toEqual([304, '']);
    const head = await request(stage.service.app).head(path);
    expect([head.status, head.headers.etag]).toEqual([200, headers.etag]);
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(text)));
    expect((await get(path).set('Accept', 'application/json')).text).toBe(text);
    expect((await request(stage.service.app).post(path)).status).toBe(405);
  });

  test('a proof is the same 404 for what is open, quarantined, not in the log yet, and unknown', async () => {
    const { records, open } = stage;
    const none = 'dec_20170605_00000000';
    for (const query of ['', '?leaf=outcome']) {
      const absent = plain(await get(proofOf(none, query)), none);
      expect(absent).toMatchObject({ status: 404, said: expect.stringContaining('NOT_FOUND') });
      for (const record_id of [open, records.quarantined, records.fresh]) {
        expect([record_id, plain(await get(proofOf(record_id, query)), record_id)]).toEqual([record_id, absent]);
      }
    }
  });

  test('an index is the same 404 for other leaves, for records that are not public, and beyond the log', async () => {
    const { records, open } = stage;
    const { outcome_index } = await leavesOf(records.shown);
    const beyond = 999_999;
    const absent = plain(await get(leafAt(beyond)), `leaf ${beyond}`);
    expect(absent.status).toBe(404);
    const hidden = [0, outcome_index, (await leavesOf(open)).index, (await leavesOf(records.quarantined)).index];
    for (const index of hidden)
      expect([index, plain(await get(leafAt(String(index))), `leaf ${index}`)]).toEqual([index, absent]);
  });

  test.each(['-1', '1.5', '01e', 'abc', '%20', '9007199254740992'])(
    'the index %s is refused by its name',
    async (index) => {
      const { status, body } = await get(leafAt(index));
      expect([index, status, body.error.details?.[0]?.path]).toEqual([index, 400, 'index']);
    },
  );

  test('credentials change nothing', async () => {
    const { agent, records, open } = stage;
    expect((await agent.get(proofOf(records.shown))).text).toBe((await get(proofOf(records.shown))).text);
    expect(plain(await agent.get(proofOf(open)), open).said).toBe(plain(await get(proofOf(open)), open).said);
  });

  test('the checkpoint and the tiles are files that mirrors may read', async () => {
    const checkpoint = await get('/log/1/checkpoint');
    expect(checkpoint.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'public, max-age=5',
      'access-control-allow-origin': '*',
    });
    const size = checkpoint.text.split('\n')[1];
    for (const path of [`tile/0/000.p/${size}`, `tile/entries/000.p/${size}`]) {
      const { status, headers } = await get(`/log/1/${path}`);
      expect([path, status]).toEqual([path, 200]);
      expect(headers).toMatchObject({
        'content-type': 'application/octet-stream',
        'cache-control': 'public, max-age=31536000, immutable',
      });
    }
    const packed = await get(`/log/1/tile/entries/000.p/${size}`).set('Accept-Encoding', 'gzip');
    expect(packed.headers['content-encoding']).toBe('gzip');
    for (const path of ['1/tile/0/000', `1/tile/0/000.p/${Number(size) + 1}`, '2/checkpoint', '0/checkpoint'])
      expect([path, (await get(`/log/${path}`)).status]).toEqual([path, 404]);
  });
});

describe.each(STORAGES)('with LOG_PUBLIC=off, on %s', (storage) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(storage, { LOG_PUBLIC: 'off' });
  });
  afterAll(() => stage.service.close());

  const get = (path: string) => strangerAt(stage.service).get(path);

  test('owners have receipts, and see their leaves', async () => {
    const { agent, records } = stage;
    for (const query of ['', '?leaf=outcome&opening=full']) {
      const { status, text } = await agent.get(`/api/v1/agent/decisions/${records.shown}/receipt${query}`);
      expect(status).toBe(200);
      expect(await verdictsOf(text, KEPT_LOG_POLICY)).toMatchObject({ signature: 'holds', inclusion: 'holds' });
    }
    expect((await agent.read(records.shown)).body.log).toMatchObject({ index: expect.any(Number) });
  });

  test('no file, proof or index is served to anybody else, in the words for what is not there', async () => {
    const { shown } = stage.records;
    const { index } = (await stage.service.ports.log.leavesOf(1, shown)) ?? {};
    const size = (await stage.service.ports.log.published(1))?.size;
    for (const path of ['checkpoint', `tile/0/000.p/${size}`, `tile/entries/000.p/${size}`, 'openings/000']) {
      const name = `/log/1/${path}`;
      expect(plain(await get(name), name)).toEqual(plain(await get('/log/x/y'), '/log/x/y'));
    }
    expect((await get('/log/policy')).text).toBe(KEPT_LOG_POLICY);
    const none = 'dec_20170605_00000000';
    expect(plain(await get(proofOf(shown)), shown)).toEqual(plain(await get(proofOf(none)), none));
    expect(plain(await get(leafAt(String(index))), `leaf ${index}`)).toEqual(plain(await get(leafAt(999)), 'leaf 999'));
  });

  test('others see no index in a public record', async () => {
    const { service, agent, records } = stage;
    const other = await anAgentAt(service);
    const views = [
      (await strangerAt(service).read(records.shown)).body,
      (await other.read(records.shown)).body,
      (await agent.batch([records.shown])).body.items[0].decision,
    ];
    expect(views.map(({ view, log }) => [view, log])).toEqual(views.map(() => ['public', null]));
  });
});
