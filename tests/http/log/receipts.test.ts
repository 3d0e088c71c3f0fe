import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { quarantineDecision } from '../../../application/decisions/moderate-decision.ts';
import type { EvidenceOpening, Opening } from '../../../domain/log/leaves/opening.ts';
import { MINUTE } from '../../../domain/time.ts';
import { verdictsOf } from '../../builders/proof-files.ts';
import { anAgentAt, strangerAt, type TestAgent } from '../../harness/callers.ts';
import { aPastCall, COHORTS_AT } from '../../harness/cohorts.ts';
import { KEPT_LOG_POLICY } from '../../harness/kept-logs.ts';
import { logAll, opened } from '../../harness/logged.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const NO_WAIT = { LIMIT_COOLDOWN_SECONDS: '0' };
const receiptOf = (record_id: string, query = '') => `/api/v1/agent/decisions/${record_id}/receipt${query}`;
const openingOf = (proof: string) => JSON.parse(opened(proof)) as Opening;

describe.each(STORAGES)('where no log is kept, on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  beforeAll(async () => {
    service = await openService(storage, { at: COHORTS_AT, env: NO_WAIT });
    agent = await anAgentAt(service);
  });
  afterAll(() => service.close());

  test('a submission promises no receipt, and asking for it is 503', async () => {
    const { status, body } = await agent.submit(aPastCall(9));
    expect([status, body.receipt]).toEqual([201, null]);
    const asked = await agent.get(receiptOf(body.record_id));
    expect([asked.status, asked.body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(asked.headers['retry-after']).toBeDefined();
    expect((await agent.read(body.record_id)).body.log).toBeNull();
  });

  test('proofs and leaves are 404', async () => {
    const { body } = await agent.submit(aPastCall(8));
    await service.settle();
    const { read, get } = strangerAt(service);
    expect((await read(body.record_id)).body).toMatchObject({ view: 'public', log: null });
    for (const path of [`decisions/${body.record_id}/proof`, 'log/1']) {
      const { status, body: refusal } = await get(`/api/v1/public/${path}`);
      expect([path, status, refusal.error.code]).toEqual([path, 404, 'NOT_FOUND']);
    }
  });
});

describe.each(STORAGES)('the receipt of a decision, on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  let stranger: TestAgent;
  beforeAll(async () => {
    service = await openService(storage, { at: COHORTS_AT, env: NO_WAIT });
    [agent, stranger] = [await anAgentAt(service), await anAgentAt(service)];
    await logAll(service);
  });
  afterAll(() => service.close());

  const submitted = async (call: object = aPastCall(9)): Promise<string> => {
    const { status, body, text } = await agent.submit(call);
    if (status !== 201) throw new Error(text);
    return body.record_id;
  };
  const graded = async (call: object = aPastCall(9)): Promise<string> => {
    const record_id = await submitted(call);
    await service.settle();
    await logAll(service);
    return record_id;
  };

  test('is promised by the 201: where, from which log, and within 5 minutes; a replay has the same bytes', async () => {
    const key = { 'Idempotency-Key': 'a-receipt' };
    const first = await agent.submit(aPastCall(7), key);
    const { record_id, submission_time } = first.body;
    expect(first.body.receipt).toEqual({
      url: receiptOf(record_id),
      origin: 'log.test/log/1',
      included_by: new Date(Date.parse(submission_time) + 5 * MINUTE).toISOString(),
    });
    await logAll(service);
    const again = await agent.submit(aPastCall(7), key);
    expect([again.headers['idempotency-replayed'], again.text]).toEqual(['true', first.text]);
    expect((await agent.get(first.body.receipt.url)).status).toBe(200);
  });

  test('is 404 NOT_LOGGED_YET with Retry-After until the log has the leaf, then a proof that the verifier accepts', async () => {
    const record_id = await submitted();
    const early = await agent.get(receiptOf(record_id));
    expect([early.status, early.body.error.code]).toEqual([404, 'NOT_LOGGED_YET']);
    expect(early.headers['retry-after']).toBe(String(early.body.error.retry_after_seconds));
    expect((await agent.read(record_id)).body.log).toBeNull();
    await logAll(service);
    const { status, text, headers } = await agent.get(receiptOf(record_id));
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(text).toMatch(/^c2sp\.org\/tlog-proof@v1\nextra \S+\nindex \d+\n/);
    expect(await verdictsOf(text, KEPT_LOG_POLICY)).toMatchObject({
      signature: 'holds',
      inclusion: 'holds',
      opening: 'holds',
    });
    const { index } = (await agent.read(record_id)).body.log;
    expect(text).toContain(`\nindex ${index}\n`);
  });

  test('stays the same while the log grows', async () => {
    const record_id = await graded();
    const { text } = await agent.get(receiptOf(record_id));
    await graded(aPastCall(6));
    expect((await agent.get(receiptOf(record_id))).text).toBe(text);
  });

  test('shows salt, statement and ids with opening=full alone', async () => {
    const record_id = await graded();
    const { agent_id, commitment_opening, number } = (await agent.read(record_id)).body;
    const [plain, full] = [
      await agent.get(receiptOf(record_id)),
      await agent.get(receiptOf(record_id, '?opening=full')),
    ];
    expect(openingOf(plain.text)).not.toHaveProperty('owner');
    expect(openingOf(full.text)).toEqual({
      ...openingOf(plain.text),
      owner: { ...commitment_opening, owner_id: agent.owner_id, agent_id, number, next_mark: expect.any(String) },
    });
    expect(await verdictsOf(full.text, KEPT_LOG_POLICY)).toMatchObject({
      statement: 'holds',
      producer: 'holds',
      'public statement': 'holds',
    });
  });

  test('of the grade is 404 without a grade, and then shows the outcome as others see it', async () => {
    const record_id = await submitted();
    const none = await agent.get(receiptOf(record_id, '?leaf=outcome'));
    expect([none.status, none.body.error.code]).toEqual([404, 'NOT_FOUND']);
    await service.settle();
    const early = await agent.get(receiptOf(record_id, '?leaf=outcome'));
    expect([early.status, early.body.error.code]).toEqual([404, 'NOT_LOGGED_YET']);
    await logAll(service);
    const { text } = await agent.get(receiptOf(record_id, '?leaf=outcome'));
    const { log, ...shown } = (await strangerAt(service).read(record_id)).body;
    expect(log).toEqual({ index: expect.any(Number), outcome_index: expect.any(Number), late: null });
    const opening = openingOf(text);
    if (!('public_outcome' in opening)) throw new Error('The opening is not that of an outcome.');
    const { outcome, evaluated_at, result_bucket, created_regime } = opening.public_outcome;
    expect(opening.leaf).toMatchObject({ t: 'outcome', of: log.index });
    expect(shown).toMatchObject({ evaluated_at, result_bucket, created_regime, outcome });
    expect(opening).not.toHaveProperty('evidence');
  });

  test('of the grade has the evidence with its bars with opening=full, for the owner alone', async () => {
    const record_id = await graded();
    const path = `/api/v1/public/decisions/${record_id}/proof?leaf=outcome`;
    const own = openingOf((await agent.get(receiptOf(record_id, '?leaf=outcome&opening=full'))).text);
    const { evidence, ...rest } = own as Opening & { readonly evidence: EvidenceOpening };
    const { document, bars = [] } = (await service.ports.evidence.findEvidence(record_id)) ?? {};
    expect(evidence).toMatchObject({ document, salt: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(evidence.bars.toSorted()).toEqual(bars.map(({ content }) => content).toSorted());
    for (const query of ['', '&evidence=true']) {
      expect(openingOf((await strangerAt(service).get(path + query)).text)).toEqual(rest);
    }
  });

  test("of another owner's decision is 404 in the words for what never was, in every state of it", async () => {
    const [open, shown] = [await submitted(), await graded()];
    const said = ({ text, body }: request.Response, id: string) =>
      text.replaceAll(id, 'ID').replace(body.error.request_id, '');
    for (const record_id of [open, shown]) {
      for (const query of ['', '?opening=full', '?leaf=outcome']) {
        const refused = await stranger.get(receiptOf(record_id, query));
        const absent = await stranger.get(receiptOf('dec_20170605_00000000', query));
        expect([refused.status, said(refused, record_id)]).toEqual([404, said(absent, 'dec_20170605_00000000')]);
      }
    }
  });

  test('outlasts a quarantine, while the public proof and the index of the leaf are gone', async () => {
    const record_id = await graded();
    const { text } = await agent.get(receiptOf(record_id));
    const { index } = (await agent.read(record_id)).body.log;
    await quarantineDecision(service.ports, record_id, 'a stolen key', 'test');
    expect((await agent.get(receiptOf(record_id))).text).toBe(text);
    expect((await agent.get(receiptOf(record_id, '?leaf=outcome'))).status).toBe(200);
    for (const path of [`decisions/${record_id}/proof`, `log/${index}`]) {
      expect([path, (await strangerAt(service).get(`/api/v1/public/${path}`)).status]).toEqual([path, 404]);
    }
  });

  test('spends nothing, and has the headers of every reply; HEAD has no body', async () => {
    const record_id = await graded();
    const path = receiptOf(record_id);
    const { headers, text } = await agent.get(path);
    expect(headers).toMatchObject({
      'x-quota-resource': 'none',
      'x-quota-remaining': 'unlimited',
      'x-ratelimit-limit': expect.any(String),
      'cache-control': expect.stringMatching(/private|no-store/),
    });
    const head = await request(service.app).head(path).set('X-API-Key', agent.api_key);
    expect([head.status, head.text ?? '', head.headers['content-length']]).toEqual([
      200,
      '',
      String(Buffer.byteLength(text)),
    ]);
    const unread = await agent.get(receiptOf(await submitted(aPastCall(3))));
    expect(unread.headers['x-quota-resource']).toBe('none');
  });

  test('of unknown words is 400 or 422, and names them', async () => {
    const record_id = await submitted();
    for (const query of ['?leaf=closed', '?opening=all', '?evidence=true']) {
      const { status, body } = await agent.get(receiptOf(record_id, query));
      expect([query, [400, 422].includes(status), body.error.details[0].path]).toEqual([
        query,
        true,
        query.slice(1).split('=')[0],
      ]);
    }
  });
});
