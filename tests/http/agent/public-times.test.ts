import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildAtlas } from '../../../application/atlas/build-atlas.ts';
import { MINUTE } from '../../../domain/time.ts';
import { anAgentAt, strangerAt, type TestAgent } from '../../harness/callers.ts';
import { aPastCall, COHORTS_AT, gradedCalls, wisdom } from '../../harness/cohorts.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

/** The receipt and the evaluation of every record, and how others see them. */
const AT = new Date(COHORTS_AT.getTime() + 20_500);
const [RECEIVED, EVALUATED] = ['2017-06-05T12:20:00.000Z', '2017-06-05T12:21:00.000Z'];

const COHORT = { market: 'crypto', symbol: 'BTC', include_retroactive: 'true' };

interface Row {
  readonly record_id: string;
  readonly evaluated_at: string;
}

describe.each(STORAGES)('times of records of others, on %s', (storage) => {
  let service: TestService;
  let producer: TestAgent;
  let reader: TestAgent;
  let first: string;
  let second: string;
  beforeAll(async () => {
    service = await openService(storage, {
      at: AT,
      env: {
        LIMIT_COOLDOWN_SECONDS: '0',
        WISDOM_MIN_PRODUCERS: '1',
        WISDOM_MIN_SAMPLES: '1',
      },
    });
    [producer, reader] = [await anAgentAt(service), await anAgentAt(service)];
    [first = '', second = ''] = await gradedCalls(service, [producer], [aPastCall(9), aPastCall(8)]);
    await service.settle();
    await buildAtlas(service.ports);
  });
  afterAll(() => service.close());

  test('the owner sees the exact evaluation', async () => {
    const views = [producer.read(first), producer.state(first)].map(async (sent) => (await sent).body.evaluation);
    expect((await Promise.all(views)).map(({ evaluated_at }) => evaluated_at)).toEqual(Array(2).fill(AT.toISOString()));
  });

  test('every view of others shows it to the minute, rounded up', async () => {
    const anybody = strangerAt(service);
    const details = [anybody.read(first), reader.read(first)].map(async (sent) => (await sent).body);
    const batch = (await producer.batch([first])).body.items.map(({ decision }: { decision: Row }) => decision);
    const cohorts = await Promise.all(
      [producer, reader].map(async (agent) => (await wisdom(agent, COHORT)).body.items),
    );
    const graphs = [
      (await anybody.get(`/api/v1/public/decisions/${first}/graph`)).body.nodes,
      (await reader.get(`/api/v1/agent/decisions/${first}/graph`)).body.nodes,
    ];
    const { body: seeds } = await anybody.get('/api/v1/public/atlas/seeds?include_retroactive=true');
    const records = seeds.items.map(({ record }: { record: Row }) => record);
    await service.arrange.advance(MINUTE);
    const { body: newest } = await anybody.get('/api/v1/public/decisions');
    expect(newest.items).toHaveLength(2);
    const rows: Row[] = [
      ...(await Promise.all(details)),
      ...batch,
      ...cohorts.flat(),
      ...graphs.flat(),
      ...records,
      ...newest.items,
    ];
    expect(rows.length).toBeGreaterThanOrEqual(10);
    expect(rows.map(({ evaluated_at }) => evaluated_at)).toEqual(rows.map(() => EVALUATED));
  });

  test('no time in a public view is more exact, but data_cutoff and what follows from it', async () => {
    const { read, state, get } = strangerAt(service);
    const replies = await Promise.all([
      read(first),
      state(first),
      get(`/api/v1/public/decisions/${first}/graph`),
      reader.read(first),
      reader.state(first),
    ]);
    for (const { text, headers } of replies) {
      expect(text).not.toContain('12:20:20');
      const times = text.match(/"20\d\d-[^"]*Z"/g) ?? [];
      expect(times.filter((time) => !time.endsWith(':00.000Z"'))).toEqual([]);
      expect(headers['last-modified']).toBeUndefined();
    }
    expect(replies[0]?.body.submission_time).toBe(RECEIVED);
  });

  test.each([
    ['2017-06-05T12:20:59.999Z', null],
    ['2017-06-05T12:21:00.000Z', 2],
    ['2017-06-05T12:21:59.999Z', 2],
    [AT.toISOString(), null],
  ])('as_of=%s compares with the rounded time', async (as_of, samples) => {
    for (const query of [COHORT, { ...COHORT, data_cutoff_since: '2017-01-01T00:00:00Z' }]) {
      const { body } = await wisdom(reader, { ...query, as_of });
      expect([body.query.as_of, body.overview.sample_count]).toEqual([as_of, samples]);
      const ids = body.items.map(({ record_id }: Row) => record_id);
      expect(ids).toEqual(samples === null ? [] : [second, first]);
    }
  });
});
