import fc from 'fast-check';
import request from 'supertest';
import { releaseDecision } from '../../../application/decisions/moderate-decision.ts';
import { Problem } from '../../../domain/problem.ts';
import { aPastCall } from '../../harness/cohorts.ts';
import { OWN_PAGE } from '../../harness/sessions.ts';
import type { World } from './world.ts';

/** One request of a caller to one service; returns the reply, or null. */
export interface Step {
  readonly name: string;
  run(world: World): Promise<request.Response | null>;
}

const DIRECTIONS = ['bullish', 'bearish', 'neutral'] as const;
const DECISIONS = '/api/v1/agent/decisions';
const WORKFLOWS = '/api/v1/owner/workflows';
const DAY = 86_400_000;

type Made = (who: number, n: number, m: number) => Omit<Step, 'name'>;

/** Steps by name; `who` is one of the two owners, `n` and `m` select among the existing data. */
const KINDS: Readonly<Record<string, Made>> = {
  submit: (who, n, m) => did((world) => submit(world, who, n, m, {})),
  'submit with a key': (who, n, m) => did((world) => submit(world, who, n, m, { 'idempotency-key': `k${n % 3}` })),
  preview: (who, n, m) => did((world) => submit(world, who, n, m, {}, '?validate_only=true')),
  grade: () => ({
    async run({ service }) {
      await service.settle();
      await service.prune();
      return null;
    },
  }),
  'some time': (_who, n) => ({
    async run({ service }) {
      await service.arrange.advance([60_000, 900_000, 3_600_000, DAY][n % 4] ?? 0);
      return null;
    },
  }),
  state: (who, n) => did((world) => byKey(world, who, `${DECISIONS}/${record(world, n)}/state`)),
  read: (who, n) => did((world) => byKey(world, who, `${DECISIONS}/${record(world, n)}`)),
  graph: (who, n, m) => did((world) => byKey(world, who, `${DECISIONS}/${record(world, n)}/graph?depth=${m % 4}`)),
  'read in public': (_who, n) =>
    did(({ service, records }) => request(service.app).get(`/api/v1/public/decisions/${at(records, n)}`)),
  batch: (who, n, m) =>
    did((world) => {
      const record_ids = [record(world, n), record(world, m), 'dec_20200101_deadbeef', 'nonsense'];
      return posted(world, `${DECISIONS}/batch`, { 'x-api-key': world.owners[who]?.api_key ?? '' }, { record_ids });
    }),
  wisdom: (who, n) =>
    did((world) =>
      byKey(world, who, `/api/v1/agent/wisdom?market=crypto&include_retroactive=true&limit=${1 + (n % 5)}`),
    ),
  list: (who, n) =>
    did((world) => byKey(world, who, `${DECISIONS}?limit=${1 + (n % 5)}&include_archived=${n % 2 === 0}`)),
  quota: (who) => did((world) => byKey(world, who, '/api/v1/public/auth/status?include=quota')),
  'own list': (who, n) =>
    did((world) => bySession(world, who, `/api/v1/owner/decisions?include_archived=${n % 2 === 0}`)),
  'own detail': (who, n, m) =>
    did((world) =>
      bySession(world, who, `/api/v1/owner/decisions/${record(world, n)}?include_archived=${m % 2 === 0}`),
    ),
  dashboard: (who) => did((world) => bySession(world, who, '/api/v1/owner/dashboard')),
  agents: (who) => did((world) => bySession(world, who, '/api/v1/owner/agents')),
  'track record': (who) =>
    did((world) => bySession(world, who, `/api/v1/owner/agents/${world.owners[who]?.agent_id}/track-record`)),
  revoke: (who, n) =>
    did((world) => changing(world, who, 'POST', `/api/v1/owner/decisions/${record(world, n)}/revoke`, {})),
  quarantine: (_who, n) =>
    did((world) =>
      changing(world, 2, 'POST', `/api/v1/admin/decisions/${record(world, n)}/quarantine`, { reason: 'a test' }),
    ),
  release: (_who, n) => ({
    async run(world) {
      await releaseDecision(world.service.ports, record(world, n), 'a test').catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error;
      });
      return null;
    },
  }),
  keys: (who) => did((world) => bySession(world, who, '/api/v1/owner/auth/api-keys')),
  'rotate key': (who) => ({
    async run(world) {
      const owner = world.owners[who];
      const reply = await changing(world, who, 'POST', `/api/v1/owner/auth/api-keys/${owner?.key_prefix}/rotate`);
      if (owner && reply.status === 200) Object.assign(owner, reply.body);
      return reply;
    },
  }),
  'key mode': (who, n) =>
    did((world) => {
      const permission_mode = n % 3 === 0 ? 'read_only' : 'read_write';
      return changing(world, who, 'PATCH', `/api/v1/owner/auth/api-keys/${world.owners[who]?.key_prefix}`, {
        permission_mode,
      });
    }),
  'new workflow': (who, n) => ({
    async run(world) {
      const visibility = n % 2 === 0 ? 'public' : 'private';
      const reply = await changing(world, who, 'POST', WORKFLOWS, {
        ...world.workflow,
        name: `Workflow ${n % 4}`,
        visibility,
      });
      if (reply.status === 201) world.workflows.push(reply.body.id);
      return reply;
    },
  }),
  publish: (who, n) => did((world) => changing(world, who, 'POST', `${WORKFLOWS}/${at(world.workflows, n)}/snapshots`)),
  fork: (who, n) => ({
    async run(world) {
      const reply = await changing(world, who, 'POST', `${WORKFLOWS}/${at(world.workflows, n)}/fork`);
      if (reply.status === 201) world.workflows.push(reply.body.id);
      return reply;
    },
  }),
  'update workflow': (who, n, m) =>
    did((world) =>
      changing(world, who, 'PUT', `${WORKFLOWS}/${at(world.workflows, n)}`, {
        expected_version: 1 + (m % 3),
        tags: ['t'],
      }),
    ),
  'workflow usage': (who, n) => did((world) => bySession(world, who, `${WORKFLOWS}/${at(world.workflows, n)}/usage`)),
  marketplace: (who) => did((world) => byKey(world, who, '/api/v1/public/workflows')),
  'own workflows': (who) => did((world) => bySession(world, who, WORKFLOWS)),
};

/** Any sequence of that many steps, with many submissions and gradings. */
export function histories(most: number): fc.Arbitrary<readonly Step[]> {
  const names = Object.keys(KINDS);
  const often = ['submit', 'submit', 'submit', 'submit with a key', 'grade', 'some time'];
  const step = fc
    .record({ name: fc.constantFrom(...names, ...often), who: fc.nat(1), n: fc.nat(20), m: fc.nat(20) })
    .map(({ name, who, n, m }) => stepOf(name, who, n, m));
  return fc.array(step, { minLength: most / 2, maxLength: most, size: 'max' });
}

/** The step of that name; `who`, `n` and `m` select the owner and the data. */
export function stepOf(name: string, who: number, n: number, m: number): Step {
  const kind = KINDS[name];
  if (!kind) throw new Error(`There is no step ${name}.`);
  return { name: `${name} (${who}, ${n}, ${m})`, run: kind(who, n, m).run };
}

function did(ask: (world: World) => PromiseLike<request.Response>): Omit<Step, 'name'> {
  return { run: async (world) => ask(world) };
}

async function submit(
  world: World,
  who: number,
  n: number,
  m: number,
  headers: Readonly<Record<string, string>>,
  query = '',
): Promise<request.Response> {
  const related = n % 4 === 0 ? [{ record_id: record(world, m), relation: 'references' }] : [];
  // All cutoffs differ, so that sorting by them has one order. A replay has the cutoff of the first request.
  const seconds = 'idempotency-key' in headers ? who * 500 + n * 21 + m : 1_000 + world.count++;
  const body = aPastCall(5 + (n % 30) + seconds / 86_400, {
    direction: DIRECTIONS[m % 3] ?? 'bullish',
    key_factors: [`Reason ${n}`],
    ...(m % 5 === 0 ? { confidence: 0.5, perspective_type: 'technical' } : {}),
  });
  const key = { 'x-api-key': world.owners[who]?.api_key ?? '' };
  const reply = await posted(world, DECISIONS + query, { ...key, ...headers }, { ...body, related_records: related });
  if (reply.status === 201 && !world.records.includes(reply.body.record_id)) world.records.push(reply.body.record_id);
  return reply;
}

function byKey({ service, owners }: World, who: number, path: string) {
  return request(service.app)
    .get(path)
    .set('x-api-key', owners[who]?.api_key ?? '');
}

function bySession({ service, owners }: World, who: number, path: string) {
  return request(service.app)
    .get(path)
    .set({ cookie: owners[who]?.cookie ?? '' });
}

function changing(
  { service, owners }: World,
  who: number,
  method: 'POST' | 'PUT' | 'PATCH',
  path: string,
  body?: object,
) {
  const name = method.toLowerCase() as 'post' | 'put' | 'patch';
  const sent = request(service.app)
    [name](path)
    .set({ cookie: owners[who]?.cookie ?? '', ...OWN_PAGE });
  return body ? sent.send(body) : sent;
}

function posted({ service }: World, path: string, headers: Readonly<Record<string, string>>, body: object) {
  return request(service.app).post(path).set(headers).send(body);
}

function record({ records }: World, n: number): string {
  return at(records, n);
}

function at(list: readonly string[], n: number): string {
  return list[n % Math.max(1, list.length)] ?? 'dec_20200101_deadbeef';
}
