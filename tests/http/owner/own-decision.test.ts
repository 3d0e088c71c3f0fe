import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { DAY } from '../../../domain/time.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { race } from '../../contracts/adapters.ts';
import { strangerAt, type TestAgent } from '../../harness/callers.ts';
import { anOwnerWithAgent, type TestOwner } from '../../harness/owners.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

/** A Monday in the session of New York, and the Saturday after it, within the packaged prices of MSFT. */
const MONDAY = new Date('2014-01-06T15:00:00.000Z');
const SATURDAY = new Date('2014-01-11T00:00:00.000Z');

const msft = (at: Date) =>
  aSubmission(at, {
    market: 'stock',
    symbol: 'msft',
    venue: 'NASDAQ',
    horizon_kind: 'trading_days',
    horizon_value: 3,
    summary: 'only for its owner',
  });

const ENV = { LIMIT_COOLDOWN_SECONDS: '0', WISDOM_MIN_PRODUCERS: '1', WISDOM_MIN_SAMPLES: '1' };

describe.each(STORAGES)('one record of one’s own, on %s', (storage) => {
  let service: TestService;
  let owner: TestOwner;
  let stranger: TestOwner;
  const at = (record_id: string, rest = '') => `/decisions/${record_id}${rest}`;
  beforeAll(async () => {
    service = await openService(storage, { at: MONDAY, env: ENV });
    owner = await anOwnerWithAgent(service);
    stranger = await anOwnerWithAgent(service);
  });
  afterAll(() => service.close());

  let weeks = 0;
  /** A record of the next week's Monday, because the clock only moves forward. */
  async function submitted(): Promise<string> {
    weeks += 1;
    const at = new Date(MONDAY.getTime() + weeks * 7 * DAY);
    await service.arrange.freeze(at);
    for (const each of [owner, stranger]) await each.logInAgain();
    return (await owner.agent.submit(msft(at))).body.record_id;
  }
  const saturday = () => new Date(SATURDAY.getTime() + weeks * 7 * DAY);
  async function settleOnSaturday(): Promise<void> {
    await service.settle();
    await service.arrange.freeze(saturday());
    await service.settle();
    for (const each of [owner, stranger]) await each.logInAgain();
  }
  async function evaluated(): Promise<string> {
    const record_id = await submitted();
    await settleOnSaturday();
    return record_id;
  }

  test('the owner reads everything of it, raw bars and counters too, as the agent does', async () => {
    const record_id = await evaluated();
    const [{ body: detail }, { body: state }] = [
      await owner.get(at(record_id)),
      await owner.get(at(record_id, '/state')),
    ];
    expect(detail).toEqual((await owner.agent.read(record_id)).body);
    expect(state).toEqual((await owner.agent.state(record_id)).body);
    expect(detail).toMatchObject({ view: 'owner', agent_id: owner.agent.agent_id, summary: 'only for its owner' });
    expect(detail.outcome.bars).toHaveLength(3);
    const evaluation = { attempts: 0, next_check_at: null, last_error: null, evaluated_at: saturday().toISOString() };
    expect(detail.evaluation).toEqual(evaluation);
    expect(state).toMatchObject({ state: 'closed', evaluation, outcome: { result_bucket: detail.result_bucket } });
  });

  test('an open record has no outcome yet and shows the time of the next check', async () => {
    const record_id = await submitted();
    await service.settle();
    const { body } = await owner.get(at(record_id));
    expect(body).toMatchObject({ lifecycle_state: 'verified', outcome: null, result_bucket: null });
    expect((await owner.get(at(record_id, '/state'))).body).toMatchObject({
      state: 'tracking',
      next_check_at: body.expected_evaluation_at,
    });
  });

  test('404 for a record of another owner, evaluated or not, the same as for an unknown one', async () => {
    const [closed, open] = [await evaluated(), await submitted()];
    const ids = [closed, open, 'dec_20140106_00000000'];
    const plain = (text: string, id: string) => text.replaceAll(id, 'ID').replace(/"request_id":"[^"]+"/, '');
    const replies = await Promise.all(
      ids.flatMap((id) =>
        [stranger.get(at(id)), stranger.get(at(id, '/state')), stranger.revoke(id)].map(async (pending) => {
          const { status, text } = await pending;
          return [status, plain(text, id)];
        }),
      ),
    );
    expect(new Set(replies.map(([status]) => status))).toEqual(new Set([404]));
    expect(new Set(replies.map(([, text]) => text)).size).toBe(1);
    expect((await owner.agent.read(ids[0] ?? '')).body.archived_at).toBeNull();
  });

  test('400 for a malformed record id, 401 without a credential, 403 for an agent', async () => {
    for (const id of ['dec_1', 'dec_20140602_ABCDEF01', 'x'.repeat(300), '%00']) {
      const replies = [await owner.get(at(id)), await owner.get(at(id, '/state')), await owner.revoke(id)];
      expect([id, ...replies.map(({ status }) => status)]).toEqual([id, 400, 400, 400]);
    }
    const path = `/api/v1/owner${at('dec_20140106_00000000')}`;
    expect((await strangerAt(service).get(path)).status).toBe(401);
    expect((await owner.agent.get(path)).status).toBe(403);
    expect((await owner.get(at('dec_20140106_00000000', '?include_archived=yes'))).status).toBe(400);
  });

  describe('revoked', () => {
    test('204; without include_archived it is gone from the list and the detail; both states are as before', async () => {
      const record_id = await evaluated();
      const { body: before } = await owner.get(at(record_id));
      const { body: state } = await owner.get(at(record_id, '/state'));
      const reply = await owner.revoke(record_id, { reason: ' a mistake ' });
      expect([reply.status, reply.text]).toEqual([204, '']);
      const hidden = await owner.get(at(record_id));
      expect([hidden.status, hidden.body.error.suggestion]).toEqual([404, 'Send include_archived=true.']);
      const { body: shown } = await owner.get(at(record_id, '?include_archived=true'));
      const marks = { archived_at: saturday().toISOString(), archive_reason: 'a mistake' };
      expect(shown).toEqual({ ...before, ...marks });
      expect((await owner.get(at(record_id, '/state'))).body).toEqual(state);
      expect((await owner.agent.state(record_id)).body).toEqual(state);
      expect((await owner.agent.read(record_id)).body).toEqual(shown);
      const ids = async (query: string) =>
        (await owner.get(`/decisions${query}`)).body.items.map((item: { record_id: string }) => item.record_id);
      expect(await ids('')).not.toContain(record_id);
      expect(await ids('?include_archived=true')).toContain(record_id);
    });

    test('neither the replies to others nor the cohort change', async () => {
      const record_id = await evaluated();
      const looks = publicLooks(service, stranger.agent, record_id);
      const before = await seen(looks);
      expect(before.map(([status]) => status)).toEqual([200, 200, 200, 200, 200]);
      const cohort = () => service.ports.cohorts.summarise({ market: 'stock', include_retroactive: true }, 1);
      const { moment: _, edition: ___, ...counted } = await cohort();
      expect(counted.result.samples).toBeGreaterThan(0);
      expect((await owner.revoke(record_id)).status).toBe(204);
      expect(await seen(looks)).toEqual(before);
      const { moment: __, edition: ____, ...countedAfter } = await cohort();
      expect(countedAfter).toEqual(counted);
      const page = { sort: 'data_cutoff_desc', limit: 100, after: null, moment: (await cohort()).moment } as const;
      const rows = await service.ports.cohorts.page({ market: 'stock', include_retroactive: true }, page);
      expect(rows.map((row) => row.record_id)).toContain(record_id);
    });

    test('204 again, and the first time and reason stay; 20 requests at once are all 204', async () => {
      const record_id = await evaluated();
      expect((await owner.revoke(record_id, { reason: 'first' })).status).toBe(204);
      await service.arrange.advance(1_000);
      const statuses = await race(
        20,
        async (worker) => (await owner.revoke(record_id, { reason: `${worker}` })).status,
      );
      expect(new Set(statuses)).toEqual(new Set([204]));
      const { body } = await owner.get(at(record_id, '?include_archived=true'));
      expect([body.archived_at, body.archive_reason]).toEqual([saturday().toISOString(), 'first']);
    });

    test('an open record is still evaluated, becomes public, and stays archived', async () => {
      const record_id = await submitted();
      const archived_at = await service.ports.clock.now();
      await owner.revoke(record_id);
      await settleOnSaturday();
      expect((await strangerAt(service).read(record_id)).status).toBe(200);
      expect((await owner.agent.read(record_id)).body).toMatchObject({
        lifecycle_state: 'evaluated',
        archived_at: archived_at.toISOString(),
        archive_reason: null,
      });
    });

    test('a body is required, and may contain only a reason', async () => {
      const record_id = await submitted();
      const bodies = [
        { reason: '' },
        { reason: '   ' },
        { reason: 'x'.repeat(501) },
        { reason: null },
        { why: 'x' },
        [],
      ];
      for (const body of bodies) expect([body, (await owner.revoke(record_id, body)).status]).toEqual([body, 400]);
      const none = await request(service.app)
        .post(`/api/v1/owner${at(record_id, '/revoke')}`)
        .set({ cookie: owner.cookie(), 'sec-fetch-site': 'same-origin' });
      expect([none.status, none.body.error.code]).toEqual([400, 'MALFORMED_BODY']);
      expect((await owner.get(at(record_id))).status).toBe(200);
      expect((await owner.revoke(record_id, { reason: 'x'.repeat(500) })).status).toBe(204);
    });

    test('403 from a page of another origin', async () => {
      const record_id = await submitted();
      const { status } = await request(service.app)
        .post(`/api/v1/owner${at(record_id, '/revoke')}`)
        .set({ cookie: owner.cookie(), origin: 'https://evil.example' })
        .send({});
      expect([status, (await owner.get(at(record_id))).status]).toEqual([403, 200]);
    });
  });
});

/** Every request by which another caller can read the record. */
function publicLooks(service: TestService, agent: TestAgent, record_id: string) {
  const nobody = strangerAt(service);
  return [
    () => nobody.read(record_id),
    () => nobody.state(record_id),
    () => agent.read(record_id),
    () => agent.state(record_id),
    () => agent.batch([record_id]),
  ];
}

async function seen(looks: ReturnType<typeof publicLooks>): Promise<(readonly [number, string])[]> {
  const replies = [];
  for (const look of looks) replies.push(await look());
  return replies.map(({ status, text }) => [status, text] as const);
}
