import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { auditedModeration } from '../builders/audited-moderation.ts';
import { aSubmission } from '../builders/decisions.ts';
import { race } from '../contracts/adapters.ts';
import { anAgentAt, type TestAgent } from '../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../harness/service.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const RELEASE = new Date('2026-03-03T12:00:00.000Z');
const CUTS = 100;
/** When the reader ends the connection: with the request, with the head of the reply, within its body. */
const MOMENTS = ['request', 'head', 'body'] as const;

interface Feed {
  readonly items: readonly { readonly id: string; readonly type: string; readonly data: { record_id: string } }[];
  readonly next_cursor: string;
}

describe.each(STORAGES)('cut readings of the feed of events, on %s', (storage) => {
  let service: TestService;
  let server: Server;
  let agent: TestAgent;
  const ids: string[] = [];
  beforeAll(async () => {
    service = await openService(storage, { at: AT });
    agent = await anAgentAt(service);
    for (const symbol of ['BTC', 'ETH', 'SOL', 'XRP']) {
      const { body } = await agent.submit(aSubmission(AT, { symbol }));
      expect(body.error).toBeUndefined();
      ids.push(body.record_id);
    }
    server = createServer(service.app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await service.close();
  });

  /** A reply that was read whole; null for one that was cut. */
  function read(after: string | null, cut?: (typeof MOMENTS)[number]): Promise<Feed | null> {
    const { port } = server.address() as AddressInfo;
    const path = `/api/v1/agent/events?limit=3${after === null ? '' : `&after=${after}`}`;
    return new Promise((resolve, reject) => {
      const sent = get({ port, path, headers: { 'x-api-key': agent.api_key }, agent: false }, (response) => {
        if (cut === undefined) json(response).then((body) => resolve(body as Feed), reject);
        else if (cut === 'head') sent.destroy();
        else response.once('data', () => sent.destroy()).on('error', () => undefined);
      });
      if (cut === 'request') sent.once('finish', () => sent.destroy());
      sent.on('error', (error) => (cut === undefined ? reject(error) : undefined));
      if (cut !== undefined) sent.once('close', () => resolve(null));
    });
  }

  test('100 cut readings while decisions change miss and double no event', async () => {
    const moderation = auditedModeration(service.ports);
    let isOver = false;
    const items: Feed['items'][number][] = [];
    const reader = (async () => {
      let cuts = 0;
      for (let after: string | null = null; ; ) {
        const last: boolean = isOver && cuts === CUTS;
        if (cuts < CUTS) {
          expect(await read(after, MOMENTS[cuts % MOMENTS.length])).toBeNull();
          cuts += 1;
        }
        const feed: Feed | null = await read(after);
        items.push(...(feed?.items ?? []));
        after = feed?.next_cursor ?? null;
        if (last && feed?.items.length === 0) return;
      }
    })();
    const rounds = 10;
    for (let round = 0; round < rounds; round += 1) {
      // Two workers change each decision at once, so that one waits for the transaction of the other.
      await race(8, async (worker) => {
        const record_id = ids[worker % 4] ?? '';
        await moderation.quarantine(record_id, 'a test', RELEASE);
        await moderation.release(record_id);
      });
    }
    await service.arrange.settle();
    isOver = true;
    await reader;
    const { events } = await service.ports.events.page(agent, null, 10_000);
    expect(items.map(({ id }) => id)).toEqual(events.map(({ event }) => event.id));
    expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
    for (const record_id of ids) {
      const types = items.filter(({ data }) => data.record_id === record_id).map(({ type }) => type);
      expect(types.length).toBeGreaterThanOrEqual(2 * rounds);
      expect(types).toEqual(types.map((_, n) => (n % 2 === 0 ? 'decision.quarantined' : 'decision.released')));
    }
  });
});
