import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import canonicalize from 'canonicalize';
import request from 'supertest';
import { SECOND } from '../../../domain/time.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { coveredPrices } from '../../harness/covered-prices.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

/** Within the packaged prices of bitcoin. */
const AT = new Date('2017-06-05T12:00:00.000Z');
const GROUPS = '/api/v1/agent/decision-groups';

const hours = (count: number) => ({ horizon_kind: 'holding_seconds', horizon_value: count * 3_600 });

/** The body of a group for hours of bitcoin. */
function aGroup(horizons: readonly object[] = [hours(1), hours(24), { ...hours(48), confidence: 0.5 }], changes = {}) {
  const { horizon_kind: _, horizon_value: __, ...shared } = aSubmission(AT);
  return { ...shared, horizons, ...changes };
}

describe.each(STORAGES)('decision groups, on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  beforeAll(async () => {
    service = await openService(storage, { at: AT, ports: coveredPrices });
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    agent = await anAgentAt(service);
  });
  const submit = (body: object, headers: Readonly<Record<string, string>> = {}, query = '') =>
    request(service.app)
      .post(`${GROUPS}${query}`)
      .set({ 'x-api-key': agent.api_key, ...headers })
      .send(body);

  test('201 with the reply of a submission for each horizon, in order', async () => {
    const { status, body } = await submit(aGroup());
    expect(status).toBe(201);
    expect(body).toEqual({ group_id: expect.stringMatching(/^grp_[0-9a-f]{24}$/), members: expect.any(Array) });
    expect(body.members.map(({ window }: Member) => window.end_time)).toEqual([
      ...['2017-06-05T13:00:00.000Z', '2017-06-06T12:00:00.000Z', '2017-06-07T12:00:00.000Z'],
    ]);
    const { body: single } = await (await anAgentAt(service)).submit(aSubmission(AT));
    for (const member of body.members) expect(Object.keys(member).toSorted()).toEqual(Object.keys(single).toSorted());
  });

  test('the owner and the agent see the group of each; a statement has its place and not the others', async () => {
    const { body } = await submit(aGroup());
    const { group_id, members } = body;
    for (const [index, { record_id, submission_time }] of members.entries()) {
      const group = { id: group_id, of: 3, place: index + 1 };
      const { body: detail } = await agent.read(record_id);
      expect(detail).toMatchObject({ view: 'owner', group });
      const sent = { ...aSubmission(AT), ...aGroup().horizons[index] };
      const { statement } = detail.commitment_opening;
      expect(statement).toBe(canonicalize({ body: sent, group, record_id, submission_time }));
    }
    const { body: alone } = await agent.submit(aSubmission(AT, { symbol: 'ETH' }));
    expect((await agent.read(alone.record_id)).body.group).toBeNull();
    const { body: list } = await agent.get(`/api/v1/agent/decisions?group_id=${group_id}`);
    expect(list.items.map(({ record_id }: Member) => record_id).toSorted()).toEqual(
      members.map(({ record_id }: Member) => record_id).toSorted(),
    );
    expect(list.items[0].group).toMatchObject({ id: group_id, of: 3 });
  });

  test('400 for a form that no group has, 422 for values; each fault has its place', async () => {
    const faults = async (body: object, status: number) => {
      const reply = await submit(body);
      expect([reply.status, reply.body]).toEqual([status, expect.anything()]);
      return reply.body.error.details.map(({ path }: { readonly path: string }) => path);
    };
    expect(await faults(aGroup([hours(1)]), 422)).toEqual(['horizons']);
    expect(await faults(aGroup(Array.from({ length: 9 }, (_, n) => hours(n + 1))), 422)).toEqual(['horizons']);
    expect(await faults({ ...aGroup(), horizon_value: 3_600 }, 400)).toEqual(['horizon_value']);
    expect(await faults({ ...aGroup(), price_targets: {} }, 400)).toEqual(['price_targets']);
    expect(await faults(aGroup([hours(1), { horizon_kind: 'holding_seconds' }]), 400)).toEqual([
      'horizons[1].horizon_value',
    ]);
    expect(await faults(aGroup([hours(1), hours(2), hours(10_000_000)]), 422)).toEqual(['horizons[2].horizon_value']);
    expect(await faults(aGroup([hours(1), hours(2), hours(1)]), 422)).toEqual(['horizons[2].horizon_value']);
    expect(await faults(aGroup([hours(1), { ...hours(2), horizon_value: -1 }], { venue: 'NOWHERE' }), 422)).toEqual([
      'horizons[1].horizon_value',
      'venue',
    ]);
    const twice = { kind: 'drops_below', threshold: 1 };
    expect(await faults(aGroup([{ ...hours(1), invalidation: [twice, twice] }, hours(2)]), 422)).toEqual([
      'horizons[0].invalidation.1.kind',
    ]);
    expect(await faults(aGroup([hours(1), hours(2)], { analysis_class: 'trade_plan' }), 422)).toEqual([
      'horizons[0].price_targets',
      'horizons[1].price_targets',
    ]);
  });

  test.each([0, 1, 9, 1_000])('422 for %i horizons, of which as many are judged as a group has', async (count) => {
    const outside = Array.from({ length: count }, (_, n) => hours(100_000 + n));
    const related_records = [{ record_id: 'dec_20170605_00000000', relation: 'refines' }];
    const judged = Array.from({ length: Math.min(count, 8) }, (_, n) => `horizons[${n}].horizon_value`);
    for (const query of ['', '?validate_only=true']) {
      const { status, body } = await submit(aGroup(outside, { related_records }), {}, query);
      expect([status, body.error.code]).toEqual([422, 'VALIDATION_ERROR']);
      expect(body.error.details.map(({ path }: { readonly path: string }) => path)).toEqual([
        ...['horizons', ...judged, 'related_records.0.record_id'],
      ]);
    }
  });

  test.each([1, null, {}, { horizon_kind: 'weeks', horizon_value: 1 }, { ...hours(1), invalidation: 5 }])(
    '422 for more horizons than a group has, whatever they are: %j',
    async (horizon) => {
      const { status, body } = await submit(aGroup(Array(300).fill(horizon)));
      expect([status, body.error.code]).toEqual([422, 'VALIDATION_ERROR']);
      expect(body.error.details[0].path).toBe('horizons');
    },
  );

  test('one Idempotency-Key replays all, and one cooldown holds, which names the first', async () => {
    const first = await submit(aGroup(), { 'idempotency-key': 'three-horizons' });
    expect(first.headers).not.toHaveProperty('idempotency-replayed');
    const again = await submit(aGroup(), { 'idempotency-key': '"three-horizons"' });
    expect([again.status, again.body, again.headers['idempotency-replayed']]).toEqual([201, first.body, 'true']);
    // The values are judged after the key.
    await service.arrange.advance(120 * SECOND);
    const other = await submit(aGroup([hours(1), hours(2)]), { 'idempotency-key': 'three-horizons' });
    expect([other.status, other.body.error.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    const held = await submit(aGroup([hours(1), hours(2)]));
    expect([held.status, held.body.error.code]).toEqual([429, 'DUPLICATE_SUBMISSION']);
    expect(held.body.error.details[0].record_id).toBe(first.body.members[0].record_id);
  });

  test('validate_only: normalized for each, would_wait for all, and nothing is stored', async () => {
    const { status, body } = await submit(aGroup(), {}, '?validate_only=true');
    expect(status).toBe(200);
    expect(body).toMatchObject({ valid: true, submission_origin: 'realtime', would_wait: [] });
    expect(body.members.map(({ normalized }: Member) => normalized.cohort_key)).toEqual([
      'crypto:btc:spot:usd:bullish:intraday:opinion',
      'crypto:btc:spot:usd:bullish:swing:opinion',
      'crypto:btc:spot:usd:bullish:swing:opinion',
    ]);
    expect(body.members[0]).toMatchObject({ normalized: { symbol: 'BTC' }, window: {}, warnings: [{}] });
    expect((await submit(aGroup())).status).toBe(201);
    const waiting = await submit(aGroup(), {}, '?validate_only=true');
    expect(waiting.body).toMatchObject({ would_wait: [{ code: 'DUPLICATE_SUBMISSION' }], cooldown: { active: true } });
  });

  test('only a bound key of mode read_write may submit one', async () => {
    agent = await anAgentAt(service, { permission_mode: 'read_only' });
    expect((await submit(aGroup())).status).toBe(403);
    agent = await anAgentAt(service, { bound: false });
    expect((await submit(aGroup())).status).toBe(403);
  });
});

interface Member {
  readonly record_id: string;
  readonly window: { readonly end_time: string };
  readonly normalized: { readonly cohort_key: string };
}
