import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { strFromU8, unzipSync } from 'fflate';
import request from 'supertest';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { aPastCall, COHORTS_AT } from '../../harness/cohorts.ts';
import { aDesigner } from '../../harness/designers.ts';
import { logAll } from '../../harness/logged.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { messageIn, post, type RpcReply, toolCall } from './stage.ts';

const SNAPSHOTS = '/api/v1/public/workflows/snapshots';

describe.each(STORAGES)('replies that are no JSON, on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  let hash: string;
  beforeAll(async () => {
    service = await openService(storage, { at: COHORTS_AT, env: { LIMIT_COOLDOWN_SECONDS: '0' } });
    agent = await anAgentAt(service);
    hash = (await (await aDesigner(service)).published({ visibility: 'public' })).hash;
    await logAll(service);
  });
  afterAll(() => service.close());
  const reply = async (message: string): Promise<RpcReply> =>
    messageIn(await post(service.app, { 'x-api-key': agent.api_key }, message));

  test('a skill comes as the texts of its archive, SKILL.md first', async () => {
    const { result } = await reply(toolCall('get_skill', JSON.stringify({ hash })));
    const archive = await request(service.app).get(`${SNAPSHOTS}/${hash}/export`).responseType('blob');
    const files = Object.entries(unzipSync(new Uint8Array(archive.body))).map(([name, bytes]) => ({
      path: name.split('/').slice(1).join('/'),
      text: strFromU8(bytes),
    }));
    expect(files[0]?.path).toBe('SKILL.md');
    expect(result?.structuredContent).toEqual({ files });
    expect(result?.content.map(({ text }) => text)).toEqual(files.map(({ text }) => text));
  });

  test('a workflow is a resource', async () => {
    const uri = `stancebook://workflows/${hash}`;
    const { result } = await reply(
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } }),
    );
    const [content] = (result?.contents ?? []) as { text: string; mimeType: string }[];
    expect(content?.mimeType).toBe('application/json');
    expect(JSON.parse(content?.text ?? '')).toEqual((await agent.get(`${SNAPSHOTS}/${hash}`)).body);
  });

  test('a receipt comes as its text', async () => {
    const { record_id } = (await agent.submit(aPastCall(9))).body;
    const early = await reply(toolCall('get_receipt', JSON.stringify({ record_id })));
    expect(early.result?.isError).toBe(true);
    await logAll(service);
    const { result } = await reply(toolCall('get_receipt', JSON.stringify({ record_id, opening: 'full' })));
    const { text } = await agent.get(`/api/v1/agent/decisions/${record_id}/receipt?opening=full`);
    expect(text).toContain('log.test/log/1');
    expect(result).toMatchObject({ structuredContent: { text }, content: [{ type: 'text', text }] });
  });
});
