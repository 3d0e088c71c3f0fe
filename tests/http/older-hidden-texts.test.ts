import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { strFromU8, unzipSync } from 'fflate';
import request from 'supertest';
import { parse } from 'yaml';
import { sha256Hex } from '../../application/sha256.ts';
import { addWorkflow } from '../../application/workflows/change-workflow.ts';
import type { OwnerCaller } from '../../domain/caller.ts';
import { hiddenIn, shown } from '../../domain/shown-text.ts';
import { DAY } from '../../domain/time.ts';
import { sealSnapshot, snapshotContent } from '../../domain/workflows/snapshot.ts';
import { hindsight } from '../builders/decisions.ts';
import { aReadyDraft } from '../builders/workflows.ts';
import { anAgentAt } from '../harness/callers.ts';
import { aDesigner, type TestDesigner } from '../harness/designers.ts';
import { filesOf } from '../harness/files.ts';
import { openService, STORAGES, type TestService } from '../harness/service.ts';

const AT = new Date('2017-06-05T12:20:00.000Z');
const HIDDEN = '\u200b\u{e0041}\u00ad\u202e\u2028\u0085\ufeff\u{e0100}';
const text = `Plain${HIDDEN} text`;
const config = { methods: [text], [`name${HIDDEN}`]: { deep: [HIDDEN] } };
const draft = {
  ...aReadyDraft({ name: text, description: `Says${HIDDEN} what.`, tags: [`tag${HIDDEN}`], visibility: 'public' }),
  nodes: aReadyDraft().nodes.map((node) => (node.id === 'chart' ? { ...node, config } : node)),
};

describe.each(STORAGES)('what was stored before hidden characters were refused, on %s', (storage) => {
  let service: TestService;
  let designer: TestDesigner;
  let id: string;
  let hash: string;
  beforeAll(async () => {
    service = await openService(storage, { at: AT });
    designer = await aDesigner(service);
    const { ports } = service;
    const caller: OwnerCaller = {
      credential: 'legacy_session',
      owner_id: designer.owner_id,
      role: 'owner',
      tier: 'free',
    };
    const workflow = await addWorkflow(ports, caller, draft);
    const snapshot = sealSnapshot(draft, ports.canonicalJson, sha256Hex);
    await ports.transaction(({ workflowSnapshots }) => workflowSnapshots.publish(workflow, snapshot));
    [id, hash] = [workflow.id, snapshot.hash];
  });
  afterAll(() => service.close());

  const snapshots = () => `/api/v1/public/workflows/snapshots/${hash}`;

  test('others read escapes in the list of workflows', async () => {
    const other = await aDesigner(service);
    const { text: raw, body } = await other.market();
    expect(hiddenIn(raw)).toEqual([]);
    expect(body.items[0]).toMatchObject({
      name: shown(draft.name),
      description: shown(draft.description),
      tags: draft.tags.map(shown),
    });
  });

  test('a snapshot in JSON has the content that its hash covers, with the escapes of JSON', async () => {
    const { text: raw, body } = await request(service.app).get(snapshots());
    expect(hiddenIn(raw)).toEqual([]);
    const { schema_version, kind, name, description, tags, nodes, edges } = body;
    const content = { schema_version, kind, name, description, tags, nodes, edges };
    expect(sha256Hex(service.ports.canonicalJson(content))).toBe(hash);
  });

  test('its skill and its YAML hide nothing, and have the same bytes whenever they are read', async () => {
    const files = filesOf(service, designer);
    const { body: archive } = await files.skill(hash);
    const unpacked = Object.values(unzipSync(archive)).map((bytes) => strFromU8(bytes));
    expect(unpacked.flatMap(hiddenIn)).toEqual([]);
    const [skill = '', yaml = ''] = unpacked;
    expect(skill).toContain('# Plain\\u{200B}\\u{E0041}\\u{00AD}\\u{202E}');
    const [, block = ''] = /`chart`[\s\S]*?```json\n([\s\S]*?)\n```\n/.exec(skill) ?? [];
    expect(JSON.parse(block)).toEqual(config);
    expect(parse(yaml)).toEqual(snapshotContent(draft));
    expect(Buffer.compare((await files.skill(hash)).body, archive)).toBe(0);
    expect((await request(service.app).get(`${snapshots()}/yaml`)).text).toBe(yaml);
  });

  test('an agent reads none of it over the Model Context Protocol', async () => {
    const { api_key } = await anAgentAt(service);
    const call = (method: string, params: unknown) =>
      request(service.app)
        .post('/mcp')
        .set({ accept: 'application/json, text/event-stream', 'x-api-key': api_key })
        .send({ jsonrpc: '2.0', id: 1, method, params });
    for (const [method, params] of [
      ['tools/call', { name: 'list_workflows', arguments: {} }],
      ['tools/call', { name: 'get_skill', arguments: { hash } }],
      ['resources/read', { uri: `stancebook://workflows/${hash}` }],
    ] as const) {
      const { status, text: raw } = await call(method, params);
      expect([method, status, raw.includes('Plain'), hiddenIn(raw)]).toEqual([method, 200, true, []]);
    }
  });

  test('the draft, a copy of it and its file are not published or imported again before it is removed', async () => {
    const other = await aDesigner(service);
    const fork = await other.fork(id);
    expect([fork.status, hiddenIn(fork.text)]).toEqual([201, []]);
    const codes = fork.body.readiness.failures.map(({ code, node }: Readonly<Record<string, unknown>>) => [code, node]);
    expect(codes).toContainEqual(['TEXT_HIDDEN', null]);
    expect(codes).toContainEqual(['TEXT_HIDDEN', 'chart']);
    expect((await other.publish(fork.body.id)).body.error.code).toBe('WORKFLOW_NOT_READY');
    const files = filesOf(service, other);
    const { text: yaml } = await files.yaml(fork.body.id);
    expect([hiddenIn(yaml), parse(yaml).nodes]).toEqual([[], snapshotContent(draft).nodes]);
    const { status, body } = await files.send(yaml);
    expect([status, body.error.details[0]]).toMatchObject([
      400,
      {
        path: 'name',
        message: expect.stringMatching(/^must not contain U\+200B ZERO WIDTH SPACE at position 6, /),
        line: 3,
      },
    ]);
  });
});

describe.each(STORAGES)('free JSON of an owner, on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: AT });
  });
  afterAll(() => service.close());

  test('meta is returned to its owner with its value, in escapes, and to nobody else', async () => {
    const agent = await anAgentAt(service);
    const meta = { [`a${HIDDEN}`]: text, order: 1 };
    const submission = {
      ...hindsight(new Date(AT.getTime() - 9 * DAY), { horizon_kind: 'trading_days', horizon_value: 2 }),
      workflow_ref: `wf:${HIDDEN}`,
      meta,
    };
    const { status, body: receipt } = await agent.submit(submission);
    expect([status, receipt.warnings?.map(({ code }: { code: string }) => code)]).toEqual([
      201,
      expect.arrayContaining(['WORKFLOW_REF_INVALID']),
    ]);
    await service.settle();
    const own = await agent.read(receipt.record_id);
    expect([own.body.view, own.body.meta, hiddenIn(own.text)]).toEqual(['owner', meta, []]);
    const { salt, statement } = own.body.commitment_opening;
    expect(JSON.parse(JSON.parse(statement).body.meta)).toEqual(meta);
    expect(sha256Hex(Buffer.from(salt, 'hex'), statement)).toBe(receipt.commitment);
    const other = await anAgentAt(service);
    for (const reply of [
      await other.read(receipt.record_id),
      await other.batch([receipt.record_id]),
      await other.state(receipt.record_id),
      await other.get(`/api/v1/agent/decisions/${receipt.record_id}/graph`),
      await request(service.app).get(`/api/v1/public/decisions/${receipt.record_id}`),
    ]) {
      expect([reply.status, hiddenIn(reply.text), reply.text.includes('u200b')]).toEqual([200, [], false]);
    }
  });
});
