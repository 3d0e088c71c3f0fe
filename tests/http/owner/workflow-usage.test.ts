import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { TestAgent } from '../../harness/callers.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { COHORTS_AT as AT, aPastCall, gradedCalls } from '../../harness/cohorts.ts';
import { aDesigner, type TestDesigner } from '../../harness/designers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const ENV = { LIMIT_COOLDOWN_SECONDS: '0', LIMIT_RETROACTIVE_PER_DAY: '1000' };

describe.each(STORAGES)('the use of a workflow, on %s', (storage) => {
  let service: TestService;
  let owner: TestDesigner;
  beforeEach(async () => {
    service = await openService(storage, { at: AT, env: ENV });
    owner = await aDesigner(service);
  });
  afterEach(() => service.close());

  const calls = (hash: string, count: number) =>
    Array.from({ length: count }, (_, each) => aPastCall(20 + 10 * each, { workflow_ref: `wf:${hash}` }));
  const newAgents = (count: number) => Promise.all(Array.from({ length: count }, () => anAgentAt(service)));
  const used = (agents: readonly TestAgent[], hash: string, count: number) =>
    gradedCalls(service, agents, calls(hash, count));
  const usage = async (id: string) => (await owner.usage(id)).body;
  const sum = (distribution: Readonly<Record<string, number>>) =>
    Object.values(distribution).reduce((a, b) => a + b, 0);

  test('all counts of a new workflow are zero', async () => {
    const { id } = await owner.published();
    const none = { strong_correct: 0, weak_correct: 0, weak_incorrect: 0, strong_incorrect: 0 };
    const decisions = { total: 0, evaluated: 0, result_distribution: none };
    expect(await usage(id)).toEqual({ decisions, forks: 0, snapshots: 1, last_used_at: null });
  });

  test('the owner’s own records are counted in full, open ones too, for every visibility', async () => {
    const { id, hash } = await owner.published({ visibility: 'private' });
    await used([owner.agent], hash, 3);
    await owner.agent.submit({ ...aPastCall(0, { workflow_ref: `wf:${hash}` }), data_cutoff: AT.toISOString() });
    const { decisions, last_used_at } = await usage(id);
    expect([decisions.total, decisions.evaluated, sum(decisions.result_distribution)]).toEqual([4, 3, 3]);
    expect(last_used_at).toBe(AT.toISOString());
  });

  test('the results of others are withheld until there are ten records of five owners; their names are never shown', async () => {
    const { id, hash } = await owner.published({ visibility: 'public' });
    await used([owner.agent], hash, 12);
    const agents = await newAgents(5);
    await used(agents.slice(0, 4), hash, 5);
    // 20 records of four others: the owner's own do not make up for the fifth.
    expect((await usage(id)).decisions).toEqual({ total: 32, evaluated: 32, result_distribution: null });
    await used(agents.slice(4), hash, 1);
    const reply = await owner.usage(id);
    const { decisions } = reply.body;
    expect([decisions.total, decisions.evaluated, sum(decisions.result_distribution)]).toEqual([33, 33, 33]);
    for (const { owner_id, agent_id, key_prefix } of agents) {
      for (const name of [owner_id, agent_id, key_prefix]) expect(reply.text).not.toContain(name);
    }
  });

  test('five others with fewer than ten records are too few', async () => {
    const { id, hash } = await owner.published({ visibility: 'public' });
    await used(await newAgents(5), hash, 1);
    expect((await usage(id)).decisions).toEqual({ total: 5, evaluated: 5, result_distribution: null });
  });

  test('open records of others are not counted yet', async () => {
    const { id, hash } = await owner.published({ visibility: 'public' });
    const before = await usage(id);
    const [other] = await newAgents(1);
    const call = { ...aPastCall(0, { workflow_ref: `wf:${hash}` }), data_cutoff: AT.toISOString() };
    expect((await other?.submit(call))?.body.workflow_attribution).toEqual({ hash });
    expect(await usage(id)).toEqual(before);
  });

  test('times are shown to the minute', async () => {
    const { id, hash } = await owner.published({ visibility: 'public' });
    await service.arrange.advance(90_500);
    await used(await newAgents(1), hash, 1);
    expect((await usage(id)).last_used_at).toBe(new Date(AT.getTime() + 60_000).toISOString());
  });

  test('thresholds are the operator’s: a private team sees everything', async () => {
    const team = await openService(storage, {
      at: AT,
      env: { ...ENV, WISDOM_MIN_PRODUCERS: '1', WISDOM_MIN_SAMPLES: '1' },
    });
    const designer = await aDesigner(team);
    const { id, hash } = await designer.published({ visibility: 'public' });
    await gradedCalls(team, [await anAgentAt(team)], calls(hash, 1));
    const { decisions } = (await designer.usage(id)).body;
    expect([decisions.total, sum(decisions.result_distribution)]).toEqual([1, 1]);
    await team.close();
  });

  test('copies and contents are counted', async () => {
    const { id } = await owner.published({ visibility: 'public' });
    const other = await aDesigner(service);
    await other.fork(id);
    await owner.fork(id);
    await owner.change(id, { expected_version: 1, name: 'Another' });
    for (let each = 0; each < 2; each += 1) await owner.publish(id);
    expect(await usage(id)).toMatchObject({ forks: 2, snapshots: 2 });
  });
});
