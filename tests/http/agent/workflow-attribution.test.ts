import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Response } from 'supertest';
import type { TestAgent } from '../../harness/callers.ts';
import { anAgentAt, strangerAt } from '../../harness/callers.ts';
import { COHORTS_AT as AT, aPastCall } from '../../harness/cohorts.ts';
import { aDesigner, type TestDesigner } from '../../harness/designers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const ENV = { LIMIT_COOLDOWN_SECONDS: '0', LIMIT_RETROACTIVE_PER_DAY: '1000' };

describe.each(STORAGES)('decisions that name a workflow, on %s', (storage) => {
  let service: TestService;
  let owner: TestDesigner;
  let other: TestAgent;
  beforeAll(async () => {
    service = await openService(storage, { at: AT, env: ENV });
    owner = await aDesigner(service);
    other = await anAgentAt(service);
  });
  afterAll(() => service.close());

  const call = (workflow_ref: string) => aPastCall(20, { workflow_ref });
  const attributionOf = ({ status, body }: Response) => [
    status,
    body.workflow_attribution,
    body.warnings.map(({ code }: { code: string }) => code).filter((code: string) => code.startsWith('WORKFLOW')),
  ];
  const UNRESOLVED = [201, null, ['WORKFLOW_REF_UNRESOLVED']];

  test('a public snapshot binds for everybody, a private one for its owner’s agents alone', async () => {
    const open = await owner.published({ visibility: 'public', name: 'Open' });
    const hidden = await owner.published({ visibility: 'private', name: 'Hidden' });
    const bound = ({ hash }: { readonly hash: string }) => [201, { hash }, []];
    for (const agent of [owner.agent, other])
      expect(attributionOf(await agent.submit(call(`wf:${open.hash}`)))).toEqual(bound(open));
    expect(attributionOf(await owner.agent.submit(call(`wf:${hidden.hash}`)))).toEqual(bound(hidden));
    expect(attributionOf(await other.submit(call(`wf:${hidden.hash}`)))).toEqual(UNRESOLVED);
  });

  test('unknown, unpublished and malformed ones warn and never block; validate_only says the same', async () => {
    const id = await owner.made({ name: 'Never published' });
    const invalid = [201, null, ['WORKFLOW_REF_INVALID']];
    expect(attributionOf(await owner.agent.submit(call(`wf:${'0'.repeat(64)}`)))).toEqual(UNRESOLVED);
    for (const ref of [id, `wf:${id}`, 'wf:'])
      expect(attributionOf(await owner.agent.submit(call(ref)))).toEqual(invalid);
    const { status, body } = await other.preview(call(`wf:${'0'.repeat(64)}`));
    expect([status, body.warnings.map(({ code }: { code: string }) => code)]).toEqual([
      200,
      expect.arrayContaining(['WORKFLOW_REF_UNRESOLVED']),
    ]);
  });

  test('one content that is first private and then public binds others from then on', async () => {
    const { id, hash } = await owner.published({ visibility: 'private', name: 'Later public' });
    expect(attributionOf(await other.submit(call(`wf:${hash}`)))).toEqual(UNRESOLVED);
    await owner.change(id, { expected_version: 1, visibility: 'public' });
    expect(attributionOf(await other.submit(call(`wf:${hash}`)))).toEqual(UNRESOLVED);
    await owner.publish(id);
    expect(attributionOf(await other.submit(call(`wf:${hash}`)))).toEqual([201, { hash }, []]);
    await owner.remove(id);
    expect(attributionOf(await other.submit(call(`wf:${hash}`)))).toEqual([201, { hash }, []]);
  });

  test('others read the attribution of a public record only once its snapshot is public', async () => {
    const { id, hash } = await owner.published({ visibility: 'private', name: 'Private for a while' });
    const { body } = await owner.agent.submit(call(`wf:${hash}`));
    await service.settle();
    const seen = async () => [
      (await owner.agent.read(body.record_id)).body.workflow_ref,
      (await other.read(body.record_id)).body.workflow_ref,
      (await strangerAt(service).read(body.record_id)).body.workflow_ref,
    ];
    expect(await seen()).toEqual([`wf:${hash}`, null, null]);
    await owner.change(id, { expected_version: 1, visibility: 'public' });
    await owner.publish(id);
    expect(await seen()).toEqual([`wf:${hash}`, `wf:${hash}`, `wf:${hash}`]);
  });
});
