import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import type { Endpoint } from '../../../adapters/http/kit/endpoint.ts';
import { endpointsOf } from '../../../adapters/http/routes/endpoints.ts';
import type { Ports } from '../../../application/ports.ts';
import { Problem } from '../../../domain/problem.ts';
import { callersOf } from './callers.ts';
import { type Cast, openCast } from './cast.ts';
import { judgeRow } from './judge-row.ts';
import { appOf, blindToOwners, faultsIn, faultsOf, rowsOf, wrongDeclarations } from './mutants.ts';
import { ROWS } from './rows.ts';
import { listen } from './wire.ts';

/** The endpoints by id, without ports. Reads come first, because requests that a wrong declaration admits change data. */
const NAMED = endpointsOf({} as Ports)
  .toSorted((a, b) => Number(b.method === 'GET') - Number(a.method === 'GET'))
  .map((endpoint) => [endpoint.id, endpoint] as const);

describe('the matrix catches', () => {
  let cast: Cast;
  let endpoints: ReadonlyMap<string, Endpoint>;
  beforeAll(async () => {
    cast = await openCast('memory');
    endpoints = new Map(endpointsOf(cast.service.ports).map((endpoint) => [endpoint.id, endpoint]));
  });
  afterAll(() => cast.close());

  const endpointOf = (id: string) => {
    const endpoint = endpoints.get(id);
    if (!endpoint) throw new Error(`There is no endpoint ${id}.`);
    return endpoint;
  };

  test.each(NAMED)('every wrong declaration of who may call %s, and nothing in the right one', async (id) => {
    const endpoint = endpointOf(id);
    expect(await faultsOf(cast, endpoint)).toEqual([]);
    for (const auth of wrongDeclarations(endpoint.auth)) {
      expect([auth, await faultsOf(cast, { ...endpoint, auth })]).not.toEqual([auth, []]);
    }
  });

  test('a submission that asks for no more than a key', async () => {
    const faults = await faultsOf(cast, { ...endpointOf('submitDecision'), permission: 'query' });
    // A read_only key is refused once more where the record is written; an unbound one is not.
    expect(faults).toContainEqual(expect.stringContaining('ub (key): 201'));
  });

  test('an endpoint that takes others for the owner', async () => {
    const blind: string[] = [];
    for (const [id, { path, auth }] of NAMED) {
      if (auth === 'none' || path.startsWith('/api/v1/admin/')) continue;
      if ((await faultsOf(cast, blindToOwners(endpointOf(id), cast))).length === 0) blind.push(id);
    }
    // Cohorts, instruments and the marketplace are the same for everyone.
    expect(blind.toSorted()).toEqual(['browseWorkflows', 'findInstruments', 'queryWisdom']);
  });

  test('a message that reveals the existence of a record of another owner', async () => {
    const endpoint = endpointOf('readDecision');
    const revealing: Endpoint = {
      ...endpoint,
      async handle(input) {
        try {
          return await endpoint.handle(input);
        } catch (error) {
          const { record_id } = input.params as { readonly record_id: string };
          throw record_id === cast.records.open ? new Problem('NOT_FOUND', 'It is not public yet.') : error;
        }
      },
    };
    expect(await faultsOf(cast, revealing)).toContainEqual(expect.stringContaining('It is not public yet.'));
  });

  test('a change that is made before the refusal', async () => {
    const { service, owner } = cast;
    const wire = await listen(async (request, response) => {
      const [, record_id = ''] = /decisions\/(\w+)\/revoke$/.exec(request.url ?? '') ?? [];
      await service.ports.ownerRecords.archive(owner.owner_id, record_id, null);
      service.app(request, response);
    });
    const [row] = rowsOf(endpointOf('revokeDecision'));
    const faults = row && (await judgeRow(cast, row, wire, callersOf(cast, row).slice(0, 1)));
    await wire.close();
    expect(faults).toContainEqual(expect.stringContaining('who is refused has changed'));
  });

  const tampered =
    (tamper: (request: IncomingMessage) => void) => (request: IncomingMessage, response: ServerResponse) => {
      tamper(request);
      cast.service.app(request, response);
    };

  test('sessions that are accepted from any page', async () => {
    const anyPage = tampered(({ headers }) => {
      headers['sec-fetch-site'] = 'same-origin';
    });
    const guarded = ROWS.filter(({ cells }) => cells['S!'] === 'csrf' || cells['AS!'] === 'csrf');
    expect(guarded.length).toBeGreaterThan(10);
    for (const row of guarded) expect([row, await faultsIn(cast, anyPage, [row])]).not.toEqual([row, []]);
  });

  test.each([
    ['x-api-key', 'a bad key before'],
    ['authorization', 'a bad bearer before'],
  ] as const)('a good credential that is judged in place of a bad %s', async (first, caught) => {
    const wire = await listen(
      tampered(({ headers }) => {
        if (headers.cookie || (first === 'x-api-key' && headers.authorization)) delete headers[first];
      }),
    );
    const [row] = rowsOf(endpointOf('readDashboard'));
    const faults = row && (await judgeRow(cast, row, wire));
    await wire.close();
    expect(faults).toContainEqual(expect.stringContaining(caught));
  });

  test('bearers that are read and not verified', async () => {
    const { ports } = cast.service;
    if (!ports.identityProvider) throw new Error('There is no provider.');
    const verifyBearer = async (token: string) => ({
      issuer: cast.provider.settings.issuer,
      subject: subjectOf(token),
    });
    const wire = await listen(appOf({ ...ports, identityProvider: { ...ports.identityProvider, verifyBearer } }));
    const [row] = rowsOf(endpointOf('readDashboard'));
    const faults = row && (await judgeRow(cast, row, wire));
    await wire.close();
    for (const caught of ['an expired', 'another issuer', 'another audience', "another's key", 'an unsigned']) {
      expect(faults).toContainEqual(expect.stringContaining(caught));
    }
  });
});

function subjectOf(token: string): string {
  try {
    return decodeJwt(token).sub ?? '';
  } catch {
    return '';
  }
}
