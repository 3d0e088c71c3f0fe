import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import request from 'supertest';
import { NODE_TEMPLATES } from '../../domain/workflows/node-catalogue.ts';
import { anAgentAt } from '../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../harness/service.ts';

const NODES = '/api/v1/nodes';

describe.each(STORAGES)('node templates on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: new Date('2026-03-02T12:00:00.000Z') });
  });
  afterAll(() => service.close());

  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    request(service.app).get(path).set(headers);

  test('every caller gets the whole list, as the service has it', async () => {
    const { status, body, headers } = await get(NODES);
    expect([status, body]).toEqual([200, { items: NODE_TEMPLATES, next_cursor: null }]);
    expect(headers['x-quota-resource']).toBe('none');
  });

  test.each(NODE_TEMPLATES.map(({ node_id }) => node_id))('%s is read by its node_id', async (node_id) => {
    const { status, body } = await get(`${NODES}/${node_id}`);
    expect([status, body]).toEqual([200, NODE_TEMPLATES.find((template) => template.node_id === node_id)]);
    expect(new Ajv2020().validateSchema(body.config_schema)).toBe(true);
  });

  test.each([
    ['a slip', 'evidence.cohrt', 'Did you mean evidence.cohort?'],
    ['the word without its group', 'cohort', 'Did you mean evidence.cohort?'],
    ['another group', 'analysis.cohort', 'Did you mean evidence.cohort?'],
    ['another case', 'Decision.Submit', 'Did you mean decision.submit?'],
    ['a slip that two are near to', 'data.news_', 'Did you mean data.news?'],
    ['nothing of the kind', 'horoscope.of-the-day', 'GET /api/v1/nodes lists the existing ones.'],
    ['a name of a kilometre', 'x'.repeat(8_000), 'GET /api/v1/nodes lists the existing ones.'],
    ['a member of every object', '__proto__', 'GET /api/v1/nodes lists the existing ones.'],
  ])('404 for %s, with a suggestion of a similar name', async (_, id, suggestion) => {
    const { status, body } = await get(`${NODES}/${id}`);
    expect([status, body.error.code, body.error.suggestion]).toEqual([404, 'NOT_FOUND', suggestion]);
  });

  test('credentials are ignored, even invalid ones', async () => {
    const { api_key } = await anAgentAt(service, { permission_mode: 'read_only' });
    for (const key of [api_key, 'sbk_nonsense']) {
      expect((await get(`${NODES}/data.bars`, { 'x-api-key': key })).status).toBe(200);
    }
  });

  test('405 for writing, because templates are part of the service', async () => {
    const { status, headers } = await request(service.app).post(NODES).send({});
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  test('400 for an unknown parameter', async () => {
    expect((await get(`${NODES}?group=data`)).status).toBe(400);
  });
});
