import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildAtlas } from '../../../application/atlas/build-atlas.ts';
import { quarantineDecision } from '../../../application/decisions/moderate-decision.ts';
import { RELATIONS } from '../../../domain/decisions/submission/submission.ts';
import { MINUTE } from '../../../domain/time.ts';
import { anAgentAt, strangerAt, type TestAgent } from '../../harness/callers.ts';
import { aPastCall, COHORTS_AT, gradedCalls } from '../../harness/cohorts.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const QUERIES = ['both', 'inbound', 'outbound'].flatMap((direction) =>
  ['depth=1&limit=2', 'depth=2&limit=50'].map((bounds) => `?direction=${direction}&${bounds}`),
);

const ATLAS = ['atlas/network', 'atlas/seeds?limit=50'].flatMap((path) => [
  path,
  `${path}${path.includes('?') ? '&' : '?'}include_retroactive=true`,
]);

describe.each(STORAGES)('what is not public, on %s', (storage) => {
  let service: TestService;
  let agents: readonly TestAgent[];
  let ids: readonly string[];
  beforeAll(async () => {
    const env = { LIMIT_COOLDOWN_SECONDS: '0', LIMIT_ADDRESS_PER_MINUTE: '100000' };
    service = await openService(storage, { at: COHORTS_AT, env });
    agents = await Promise.all(Array.from({ length: 5 }, () => anAgentAt(service)));
    ids = await gradedCalls(service, agents, [aPastCall(20), aPastCall(30)]);
    await service.arrange.advance(MINUTE);
    const [related = ''] = ids;
    const linked = aPastCall(10, { related_records: [{ record_id: related, relation: 'refines' }] });
    ids = [...ids, ...(await gradedCalls(service, agents.slice(1, 2), [linked]))];
    await service.arrange.advance(MINUTE);
  });
  afterAll(() => service.close());

  /** Everything that an unauthenticated caller gets, byte by byte. */
  async function publicReplies(): Promise<readonly string[]> {
    await buildAtlas(service.ports);
    const of = ids.flatMap((id) => [`decisions/${id}`, `decisions/${id}/state`]);
    const graphs = [ids[0], ids[1], ids.at(-1)].flatMap((id) =>
      QUERIES.map((query) => `decisions/${id}/graph${query}`),
    );
    const replies: string[] = [];
    for (const path of [...of, ...graphs, ...ATLAS, 'decisions?limit=50']) {
      const { status, text, headers } = await strangerAt(service).get(`/api/v1/public/${path}`);
      if (status !== 200) throw new Error(text);
      replies.push(`${path} ${headers.etag} ${text}`);
    }
    return replies;
  }

  /** Submits for every agent open and quarantined records with every relation to each public record. */
  async function invisibleRecords(): Promise<void> {
    for (const [index, agent] of agents.entries()) {
      for (const relation of RELATIONS) {
        const targets = relation === 'supersedes' ? ids.slice(2 * index, 2 * index + 2) : ids;
        const related_records = targets.map((record_id) => ({ record_id, relation }));
        const { status, body, text } = await agent.submit(aPastCall(0, { horizon_value: 30, related_records }));
        if (status !== 201) throw new Error(text);
        if (relation === 'supports') await quarantineDecision(service.ports, body.record_id, 'a stolen key', 'test');
      }
    }
    await service.settle();
  }

  test('changes no byte of any detail, state, graph, seed, network or list, and no ETag', async () => {
    const before = await publicReplies();
    await invisibleRecords();
    expect(await publicReplies()).toEqual(before);
  });

  test('the comparison sees a record that is public', async () => {
    const before = await publicReplies();
    await gradedCalls(service, agents.slice(0, 1), [aPastCall(25)]);
    expect(await publicReplies()).not.toEqual(before);
  });
});
