import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { quarantineDecision, releaseDecision } from '../../../application/decisions/moderate-decision.ts';
import { NOTE } from '../../../domain/limits.ts';
import { HOUR, MINUTE } from '../../../domain/time.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt, strangerAt, type TestAgent } from '../../harness/callers.ts';
import { aPastCall, COHORTS_AT, gradedCalls } from '../../harness/cohorts.ts';
import { coveredPrices } from '../../harness/covered-prices.ts';
import { logAll, opened } from '../../harness/logged.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { anOwnerLoggedIn, OWN_PAGE } from '../../harness/sessions.ts';

const ENV = {
  ...{ LIMIT_COOLDOWN_SECONDS: '0', LIMIT_NOTES_PER_DAY: '40', LIMIT_RATE_PER_MINUTE: '100000' },
  ...{ LIMIT_RATE_PER_SECOND: '100000', WISDOM_MIN_PRODUCERS: '1', WISDOM_MIN_SAMPLES: '1' },
};
const LESSON = 'Ignored the CPI date';

describe.each(STORAGES)('notes on a record, on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: COHORTS_AT, env: ENV, ports: coveredPrices });
  });
  afterAll(() => service.close());

  /** An owner with a session, and an agent with a graded record. */
  async function aProducer() {
    const { cookie, ...owner } = await anOwnerLoggedIn(service);
    const agent = await anAgentAt(service, { mate: owner });
    const [record_id = ''] = await gradedCalls(service, [agent], [aPastCall(9)]);
    return { agent, record_id, cookie };
  }
  const owned = (cookie: string, record_id: string) =>
    request(service.app).get(`/api/v1/owner/decisions/${record_id}?include_archived=true`).set({ cookie });
  const empty = (cookie: string, record_id: string, number: number | string) =>
    request(service.app)
      .delete(`/api/v1/owner/decisions/${record_id}/notes/${number}`)
      .set({ cookie, ...OWN_PAGE });
  const now = async () => (await service.ports.clock.now()).toISOString();

  test('a note is 201 with its number and time, and the same text again 200 with the same', async () => {
    const { agent, record_id, cookie } = await aProducer();
    const first = await agent.note(record_id, LESSON);
    const written = { number: 1, written_at: await now() };
    expect([first.status, first.body]).toEqual([201, written]);
    await service.arrange.advance(HOUR);
    const again = await agent.note(record_id, LESSON);
    expect([again.status, again.body]).toEqual([200, written]);
    const second = await agent.note(record_id, 'Wait for the open 🔔');
    expect([second.status, second.body]).toEqual([201, { number: 2, written_at: await now() }]);
    const notes = [
      { ...written, text: LESSON },
      { ...second.body, text: 'Wait for the open 🔔' },
    ];
    expect((await agent.read(record_id)).body.notes).toEqual(notes);
    expect((await owned(cookie, record_id)).body.notes).toEqual(notes);
    const mate = await anAgentAt(service, { mate: agent });
    expect((await mate.read(record_id)).body.notes).toEqual(notes);
    const stranger = await anAgentAt(service);
    for (const { body } of [await stranger.read(record_id), await strangerAt(service).read(record_id)])
      expect([body.view, 'notes' in body]).toEqual(['public', false]);
  });

  test('before the outcome it is 409, with the seconds until the record is graded', async () => {
    const { agent } = await aProducer();
    const at = await service.ports.clock.now();
    const { record_id } = (await agent.submit(aSubmission(at, { horizon_value: 7_200 }))).body;
    await service.settle();
    const { expected_evaluation_at } = (await agent.state(record_id)).body;
    const { status, headers, body } = await agent.note(record_id, LESSON);
    const wait = Math.ceil((Date.parse(expected_evaluation_at) - at.getTime()) / 1_000);
    expect([status, headers['retry-after']]).toEqual([409, String(wait)]);
    expect(wait).toBeGreaterThan(7_200);
    expect(body.error).toMatchObject({ code: 'RECORD_OPEN', category: 'retryable', retry_after_seconds: wait });
    expect(body.error.message).toContain(expected_evaluation_at);
    expect((await agent.read(record_id)).body.notes).toEqual([]);
  });

  test('a record that ended without an outcome, or is in quarantine, is 409 without Retry-After', async () => {
    const { agent, record_id, cookie } = await aProducer();
    const at = await service.ports.clock.now();
    const rejected = (await agent.submit(aSubmission(at, { symbol: 'NOSUCHCOIN' }))).body.record_id;
    await service.settle();
    await agent.note(record_id, LESSON);
    await quarantineDecision(service.ports, record_id, 'a stolen key', 'test');
    for (const [id, why] of [
      [rejected, 'could not be verified'],
      [record_id, 'quarantine'],
    ]) {
      const { status, headers, body } = await agent.note(id, 'Too late.');
      expect([status, body.error.code, body.error.category]).toEqual([409, 'RECORD_OPEN', 'retryable']);
      expect([headers['retry-after'], body.error.retry_after_seconds]).toEqual([undefined, null]);
      expect(body.error.message).toContain(why);
    }
    // What was written stays readable for the owner, and can be emptied.
    expect((await owned(cookie, record_id)).body.notes).toMatchObject([{ text: LESSON }]);
    expect((await empty(cookie, record_id, 1)).status).toBe(204);
    await releaseDecision(service.ports, record_id, 'test');
    expect((await agent.note(record_id, 'Too late.')).body.number).toBe(2);
  });

  test('an archived record takes notes', async () => {
    const { agent, record_id, cookie } = await aProducer();
    await service.ports.ownerRecords.archive(agent.owner_id, record_id, 'a test of ours');
    expect((await agent.note(record_id, LESSON)).status).toBe(201);
    expect((await owned(cookie, record_id)).body.notes).toMatchObject([{ text: LESSON }]);
  });

  test('only the agent of the record writes; everybody else gets the words for what never was', async () => {
    const { agent, record_id } = await aProducer();
    const others: readonly TestAgent[] = [await anAgentAt(service, { mate: agent }), await anAgentAt(service)];
    for (const other of others) {
      const { status, body } = await other.note(record_id, LESSON);
      expect([status, body.error.message]).toEqual([404, `Your agent has no record ${record_id}.`]);
    }
    const reader = await anAgentAt(service, { mate: agent, permission_mode: 'read_only' });
    expect((await reader.note(record_id, LESSON)).body.error.code).toBe('FORBIDDEN');
    expect((await agent.read(record_id)).body.notes).toEqual([]);
  });

  test.each([
    ['none', undefined],
    ['an empty one', ''],
    ['a blank one', ' \n '],
    ['one that is too long', 'x'.repeat(NOTE.textLength + 1)],
    ['a number', 7],
    ['one with a hidden character', 'a\u200bb'],
    ['one with a mark of direction', 'a\u202eb'],
  ])('%s is no text of a note: 400 names it', async (_, text) => {
    const { agent, record_id } = await aProducer();
    const { status, body } = await agent.note(record_id, text);
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(body.error.details.map(({ path }: { path: string }) => path)).toEqual(['text']);
    expect((await agent.note(record_id, 'x'.repeat(NOTE.textLength))).status).toBe(201);
  });

  test('a record holds so many, and an owner writes so many a day; a repeated one is none', async () => {
    const { agent, record_id } = await aProducer();
    const [second = '', third = ''] = await gradedCalls(service, [agent], [aPastCall(8), aPastCall(7)]);
    for (let n = 1; n <= NOTE.perRecord; n += 1) expect((await agent.note(record_id, `Note ${n}`)).status).toBe(201);
    const full = await agent.note(record_id, 'One more');
    expect([full.status, full.body.error.code]).toEqual([429, 'TIER_LIMIT_REACHED']);
    expect(full.body.error.message).toContain('20 notes');
    for (let n = 1; n <= NOTE.perRecord; n += 1) expect((await agent.note(second, `Note ${n}`)).status).toBe(201);
    const refused = await agent.note(third, LESSON);
    expect([refused.status, refused.body.error.code]).toEqual([429, 'DAILY_QUOTA_EXCEEDED']);
    expect(refused.body.error.message).toBe('An account may keep 40 notes in a UTC day; 40 were kept today.');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await agent.read(third)).body.notes).toEqual([]);
    expect((await agent.note(record_id, `Note ${NOTE.perRecord}`)).status).toBe(200);
  });

  test('the owner empties one: number and time stay, the audit log has it once, and nobody else can', async () => {
    const { agent, record_id, cookie } = await aProducer();
    const { written_at } = (await agent.note(record_id, LESSON)).body;
    await agent.note(record_id, 'Fine.');
    expect((await agent.read(record_id)).body.notes).toHaveLength(2);
    const other = await aProducer();
    for (const [by, id, number] of [
      [other.cookie, record_id, 1],
      [cookie, other.record_id, 1],
      [cookie, record_id, 3],
    ] as const)
      expect((await empty(by, id, number)).body.error?.code).toBe('NOT_FOUND');
    for (const number of ['0', 'one', '21']) expect((await empty(cookie, record_id, number)).status).toBe(400);
    for (const _ of [1, 2]) expect((await empty(cookie, record_id, 1)).status).toBe(204);
    const [first, second] = (await agent.read(record_id)).body.notes;
    expect([first, second.text]).toEqual([{ number: 1, text: null, written_at }, 'Fine.']);
    const entries = await service.ports.audit.about(record_id, 10);
    expect(entries).toMatchObject([
      { actor: agent.owner_id, action: 'empty_note', subject: record_id, detail: { number: 1 } },
    ]);
    const { status, body } = await agent.note(record_id, 'Third.');
    expect([status, body.number]).toEqual([201, 3]);
  });

  test('the copies of the owner have the notes with their records; the table has none', async () => {
    const { agent, record_id, cookie } = await aProducer();
    await agent.note(record_id, 'canary-note');
    await service.arrange.advance(MINUTE);
    const copy = (format: string) =>
      request(service.app).get(`/api/v1/owner/export?format=${format}`).set({ cookie }).buffer(true);
    const lines = (await copy('jsonl')).text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const [{ decision }] = lines.filter(({ type }) => type === 'decision');
    expect(decision.notes).toEqual([{ number: 1, text: 'canary-note', written_at: expect.any(String) }]);
    expect((await copy('csv')).text).not.toContain('canary-note');
  });

  test('nothing that others read, and nothing that is sealed or sent, contains a note', async () => {
    const { agent, record_id, cookie } = await aProducer();
    await agent.note(record_id, 'canary-note');
    await logAll(service);
    await service.arrange.settle();
    const receipts = ['decision', 'outcome'].map((leaf) =>
      agent.get(`/api/v1/agent/decisions/${record_id}/receipt?opening=full&leaf=${leaf}`),
    );
    const [stranger, nobody] = [await anAgentAt(service), strangerAt(service)];
    const replies = await Promise.all([
      ...receipts,
      ...[stranger, nobody].flatMap((by) => [by.read(record_id), by.state(record_id)]),
      stranger.batch([record_id]),
      agent.batch([record_id]),
      agent.state(record_id),
      agent.get('/api/v1/agent/events?limit=100'),
      agent.get('/api/v1/agent/decisions'),
      agent.get(`/api/v1/agent/decisions/${record_id}/graph`),
      agent.get('/api/v1/agent/wisdom?market=crypto&include_retroactive=true&limit=100'),
      request(service.app).get('/api/v1/owner/events?limit=100').set({ cookie }),
      nobody.get('/api/v1/public/decisions'),
      nobody.get('/api/v1/public/cohorts?market=crypto'),
      nobody.get('/api/v1/public/atlas/network'),
    ]);
    for (const { status, text } of replies) {
      expect(status).toBe(200);
      expect(`${text}${opened(text)}`).not.toContain('canary-note');
    }
  });
});
