import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { endpointsOf } from '../../../adapters/http/routes/endpoints.ts';
import { statePlan } from '../../../application/plans/plans.ts';
import type { Ports } from '../../../application/ports.ts';
import { DAY } from '../../../domain/time.ts';
import { ABOUT } from '../../builders/backtests.ts';
import { aSubmission, hindsight } from '../../builders/decisions.ts';
import { anAgentAt, strangerAt, type TestAgent } from '../../harness/callers.ts';
import { aPastCall } from '../../harness/cohorts.ts';
import { logAll, opened } from '../../harness/logged.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const AT = new Date('2017-06-05T12:20:00.000Z');
const WISDOM = '/api/v1/agent/wisdom';
const QUERIES: Readonly<Record<string, string>> = { [WISDOM]: '?market=crypto&include_retroactive=true&limit=1' };

describe.each(STORAGES)('the agent and the owner of a record are hidden from others, on %s', (storage) => {
  let service: TestService;
  let producer: TestAgent;
  let stranger: TestAgent;
  let evaluated: string;
  let other: string;
  let open: string;
  let plan: string;
  beforeAll(async () => {
    service = await openService(storage, {
      at: AT,
      env: { LIMIT_COOLDOWN_SECONDS: '0', WISDOM_MIN_PRODUCERS: '1', WISDOM_MIN_SAMPLES: '1' },
    });
    producer = await anAgentAt(service);
    stranger = await anAgentAt(service);
    const decision = hindsight(new Date(AT.getTime() - 9 * DAY), {
      horizon_kind: 'trading_days',
      horizon_value: 2,
      summary: 'canary-summary',
      tags: ['canary-tag'],
      inputs: [{ kind: 'prompt', name: 'canary-input', sha256: 'ca'.repeat(32) }],
      model: { id: 'canary-model' },
      confidence: 0.123456789,
      execution_info: { executed: true, note: 'canary-execution' },
      service_interaction: { consulted: true, note: 'canary-interaction' },
      price_targets: { targets: [{ price: 98_765.4321 }] },
      reference_price: 12_345.6789,
      invalidation: [{ kind: 'drops_below', threshold: 1.23456789 }],
      key_factors: [{ factor: 'seen', source: { name: 'canary-source', url: 'https://canary.example.com/' } }],
    });
    const past = { ...decision, meta: { note: 'canary-meta' } };
    evaluated = (await producer.submit(past)).body.record_id;
    other = (await producer.submit({ ...past, direction: 'bearish' })).body.record_id;
    await service.settle();
    await producer.note(evaluated, 'canary-note');
    const row = { ...aPastCall(30), external_id: 'canary-row', summary: 'canary-summary' };
    const sent = await request(service.app)
      .post('/api/v1/agent/backtests/first')
      .set('x-api-key', producer.api_key)
      .send({ about: ABOUT, rows: [row] });
    expect(sent.body).toMatchObject({ accepted: 1 });
    open = (await producer.submit(aSubmission(AT, { direction: 'bearish' }))).body.record_id;
    const { owner_id, agent_id } = producer;
    const stated = {
      owner_id,
      agent_id,
      query: { market: 'crypto' },
      sentence: 'canary-sentence',
      network: 'a network',
    } as const;
    plan = (await statePlan(service.ports, stated)).plan.plan_id;
    await logAll(service);
  });
  afterAll(() => service.close());

  /** The values that only the producer knows. */
  const secretsOf = async () => {
    const { body: mine } = await producer.read(evaluated);
    expect(mine.lifecycle_state).toBe('evaluated');
    return [
      ...[producer.owner_id, producer.agent_id, producer.email, producer.key_prefix, producer.api_key],
      ...[mine.commitment_opening.salt, 'canary', '0.123456789', '98765.4321', '12345.6789', '1.23456789'],
    ];
  };

  test('no reply, header or error contains them', async () => {
    const secrets = await secretsOf();
    const nobody = strangerAt(service);
    const related = (record_id: string) => ({
      ...aSubmission(AT, { symbol: 'ETH' }),
      related_records: [{ record_id, relation: 'supersedes' }],
    });
    const replies = await Promise.all([
      ...[evaluated, open].flatMap((id) => [stranger.read(id), stranger.state(id), nobody.read(id), nobody.state(id)]),
      stranger.batch([evaluated, open]),
      producer.batch([evaluated]),
      ...[evaluated, open].flatMap((id) => [stranger.submit(related(id)), stranger.preview(related(id))]),
      request(service.app)
        .post('/api/v1/public/auth/register')
        .send({ email: producer.email, password: 'four plain words, spaced' }),
      nobody.get('/openapi.json'),
      nobody.get('/metrics'),
      nobody.get(`/api/v1/agent/decisions/${evaluated}`),
    ]);
    expect(replies.map(({ status }) => status)).toContain(200);
    const sentText = replies.map(({ text, headers }) => text + JSON.stringify(headers)).join('\n');
    expect(sentText).toContain('seen');
    for (const secret of secrets) expect([secret, sentText.includes(secret)]).toEqual([secret, false]);
  });

  /** Every GET endpoint outside the owner and admin areas. */
  const readable = endpointsOf({} as Ports).filter(
    ({ method, path }) => method === 'GET' && /^\/api\/v1\/(agent|public|nodes)/.test(path),
  );

  test.each(readable.map(({ path }) => path))(
    'GET %s contains them neither in the body, nor in the headers, nor in the cursor',
    async (path) => {
      const secrets = await secretsOf();
      const values: Readonly<Record<string, readonly string[]>> = {
        record_id: [evaluated, open],
        hash: ['0'.repeat(64)],
        id: [producer.agent_id],
        plan_id: [plan],
        set: ['first'],
        index: ['0', '1', '2', '3', '4', '5'],
        market: ['stock', 'crypto'],
        symbol: ['MSFT', 'XBT'],
      };
      const urls = [...path.matchAll(/\{(\w+)\}/g)].reduce(
        (found, [parameter, name = '']) =>
          found.flatMap((url) => (values[name] ?? []).map((value) => url.replace(parameter, value))),
        [path],
      );
      expect(urls).not.toEqual([]);
      for (const url of urls.map((each) => each + (QUERIES[path] ?? ''))) {
        for (const { text, headers, body } of [await stranger.get(url), await strangerAt(service).get(url)]) {
          const cursor = Buffer.from(String(body?.next_cursor ?? ''), 'base64url').toString('latin1');
          const sentText = `${text}${opened(text)}${JSON.stringify(headers)}${cursor}`.replaceAll(url, '');
          for (const secret of secrets) expect([secret, sentText.includes(secret)]).toEqual([secret, false]);
        }
      }
    },
  );

  test('control: a cohort shows the record and has a cursor', async () => {
    const { body } = await stranger.get(`${WISDOM}${QUERIES[WISDOM]}`);
    expect([body.overview.sample_count, body.items.length, typeof body.next_cursor]).toEqual([2, 1, 'string']);
    expect([evaluated, other]).toContain(body.items[0].record_id);
  });

  test('404 is the same for a record that is not public and for one that does not exist', async () => {
    const none = 'dec_20170605_00000000';
    const nobody = strangerAt(service);
    for (const look of [stranger.read, stranger.state, nobody.read, nobody.state]) {
      const [hidden, absent] = [await look(open), await look(none)];
      const plain = ({ text }: { text: string }, id: string) =>
        text.replaceAll(id, 'ID').replace(/"request_id":"[^"]+"/, '');
      expect([hidden.status, plain(hidden, open)]).toEqual([404, plain(absent, none)]);
      const names = ({ headers }: { headers: object }) => Object.keys(headers).toSorted();
      expect(names(hidden)).toEqual(names(absent));
    }
  });
});
