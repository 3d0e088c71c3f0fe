import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { boundText } from '../../adapters/http/kit/input/query-values.ts';
import { changeRole } from '../../application/accounts/operators/owner-changes.ts';
import { buildAtlas } from '../../application/atlas/build-atlas.ts';
import { HORIZON_RANGES } from '../../domain/grading/windows/window.ts';
import { anAgentAt } from '../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../harness/service.ts';
import { aPasswordOwner, cookieOf, logIn, NO_RATE_LIMITS, OWN_PAGE } from '../harness/sessions.ts';
import { bodyWith, type Document, type Integer, integersOf, nameOf } from './documented-integers.ts';

const AT = new Date('2017-06-05T12:00:00.000Z');

/** The integers whose range depends on another member, with the words that say so. */
const FURTHER_RULES: Readonly<Record<string, string>> = {
  'submitDecision horizon_value': HORIZON_RANGES,
  'recall horizon_value': 'Requires `horizon_kind`.',
};

/** The words about an integer, of its schema or of its parameter. */
function ruleOf({ schema, operation, name }: Integer): string | undefined {
  return schema.description ?? operation.parameters?.find((each) => each.name === name)?.description;
}

describe.each(STORAGES)('the integers of the document, on %s', (storage) => {
  let service: TestService;
  let document: Document;
  let text: string;
  let credentials: Readonly<Record<string, Readonly<Record<string, string>>>>;
  beforeAll(async () => {
    service = await openService(storage, { at: AT, env: { ...NO_RATE_LIMITS, LIMIT_COOLDOWN_SECONDS: '0' } });
    await buildAtlas(service.ports);
    text = (await request(service.app).get('/openapi.json')).text;
    document = JSON.parse(text);
    const { email } = await aPasswordOwner(service);
    await changeRole(service.operators, email, 'admin', 'command line');
    const cookie = cookieOf(await logIn(service, email));
    const { api_key } = await anAgentAt(service);
    credentials = { api_key: { 'x-api-key': api_key }, legacy_session: { cookie, ...OWN_PAGE } };
  });
  afterAll(() => service.close());

  test('have the bounds of 64 bits in exact digits', () => {
    expect(text).toContain('"minimum":-9223372036854775808,"maximum":9223372036854775807');
    expect(text).not.toMatch(/:-?9223372036854776/);
  });

  test('each is taken at its bounds and refused beyond them, by name', async () => {
    const integers = integersOf(document);
    expect(integers.map(nameOf)).toEqual(expect.arrayContaining(['readDecisionGraph depth', 'listWorkflows page']));
    const judged: string[] = [];
    for (const each of integers) {
      const { minimum, maximum } = each.schema;
      const [least, most] = [minimum, maximum].map((bound) => BigInt(boundText(bound ?? Number.NaN)));
      if (least === undefined || most === undefined) throw new Error(`${nameOf(each)} has no bounds`);
      const replies = [least, most, least - 1n, most + 1n].map(
        async (value) => `${value} ${await verdict(each, value)}`,
      );
      const taken = FURTHER_RULES[nameOf(each)] === undefined ? 'taken' : 'refused';
      const expected = [`${least} ${taken}`, `${most} ${taken}`, `${least - 1n} refused`, `${most + 1n} refused`];
      const actual = await Promise.all(replies);
      judged.push(
        ...actual.flatMap((reply, index) => (reply === expected[index] ? [] : [`${nameOf(each)}: ${reply}`])),
      );
    }
    expect(judged).toEqual([]);
  });

  test('those with a further rule state it', () => {
    const ruled = integersOf(document).filter((each) => nameOf(each) in FURTHER_RULES);
    expect(ruled.map((each) => [nameOf(each), ruleOf(each)])).toEqual(Object.entries(FURTHER_RULES));
  });

  async function verdict({ name, url, method, operation, members }: Integer, value: bigint): Promise<string> {
    const [kind] = operation.security.flatMap((each) => Object.keys(each)).filter((each) => each in credentials);
    const query = members || url.includes(`{${name}}`) ? '' : `${url.includes('?') ? '&' : '?'}${name}=${value}`;
    const sent = request(service.app)
      [method as 'get' | 'post'](url.replace(`{${name}}`, String(value)) + query)
      .set(credentials[kind ?? ''] ?? {});
    const body = members && bodyWith(operation, members, document, value);
    const reply = body === null ? await sent : await sent.set('content-type', 'application/json').send(body);
    const faults: readonly { readonly path: string }[] = reply.body.error?.details ?? [];
    const isNamed = faults.some(({ path }) => path === (members?.join('.') ?? name));
    expect(reply.status).not.toBe(401);
    expect(reply.status).toBeLessThan(500);
    if (!isNamed && ([400, 403, 422].includes(reply.status) || faults.length > 0)) return `refused for another reason`;
    return isNamed ? 'refused' : 'taken';
  }
});
