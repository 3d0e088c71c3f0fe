import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { randomFrom } from '../../scripts/random.ts';
import { auditedModeration } from '../builders/audited-moderation.ts';
import { aSubmission } from '../builders/decisions.ts';
import { race } from '../contracts/adapters.ts';
import { anAgentAt, type TestAgent } from '../harness/callers.ts';
import { openEventStream, type SentEvent, until } from '../harness/event-source.ts';
import { openService, STORAGES, type StorageName, type TestService } from '../harness/service.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const RELEASE = new Date('2026-03-03T12:00:00.000Z');
const AGENT = '/api/v1/agent/events';
const CUTS = 100;
/** Some ten events of a stream: the first ones are read as pages, the others are news. */
const LONGEST_PIECE = 4_000;

let service: TestService | undefined;
let server: Server;
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await service?.close();
});

/** What a reader gets whose connection is cut 100 times anywhere, while decisions change; and what was written. */
async function readWhileCut(
  storage: StorageName,
  ports?: (plain: TestService['ports']) => Partial<TestService['ports']>,
) {
  service = await openService(storage, {
    at: AT,
    streams: { limits: { tick: 10, heartbeat: 50, judge: 50, slow: 50, page: 4, news: 3 } },
    ...(ports && { ports }),
  });
  const { app } = service;
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent = await anAgentAt(service);
  const ids: string[] = [];
  for (const symbol of ['BTC', 'ETH', 'SOL', 'XRP']) {
    ids.push((await agent.submit(aSubmission(AT, { symbol }))).body.record_id);
  }
  const moderation = auditedModeration(service.ports);
  const random = randomFrom('cut streams');
  const read: SentEvent[] = [];
  let [lastEventId, cuts, isOver] = ['', 0, false];
  const reader = (async () => {
    for (; cuts < CUTS; cuts += 1) {
      const cutAfter = 1 + random.below(LONGEST_PIECE);
      const stream = await openEventStream({ ...wishes(agent), lastEventId, cutAfter });
      await stream.over;
      read.push(...stream.events);
      lastEventId = stream.reader.lastEventId;
    }
    isOver = true;
  })();
  const worker = async (n: number) => {
    const record_id = ids[n % 4] ?? '';
    await moderation.quarantine(record_id, 'a test', RELEASE);
    await moderation.release(record_id);
  };
  for (let round = 0; !isOver; round += 1) {
    // Two workers change the decision at once, so that one waits for the transaction of the other.
    await race(2, () => worker(round));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await reader;
  // No cut stream can have read these.
  await worker(0);
  await service.arrange.settle();
  const { events } = await service.ports.events.page(agent, null, 1_000_000);
  const written = events.map(({ event }) => event.id);
  const idsOf = (sent: readonly SentEvent[]): string[] => sent.map(({ data }) => JSON.parse(data).id);
  const last = await openEventStream({ ...wishes(agent), lastEventId });
  await until(() => idsOf([...read, ...last.events]).includes(written.at(-1) ?? ''));
  last.close();
  return { read: idsOf([...read, ...last.events]), written };
}

function wishes({ api_key }: TestAgent) {
  const { port } = server.address() as AddressInfo;
  return { port, path: AGENT, headers: { 'x-api-key': api_key } };
}

describe.each(STORAGES)('cut streams of events, on %s', (storage) => {
  test('100 cuts anywhere, while decisions change, miss and double no event, and keep their order', async () => {
    const { read, written } = await readWhileCut(storage);
    expect(read).toEqual(written);
    expect(written.length).toBeGreaterThan(CUTS / 2);
  });
});

describe('the same reader', () => {
  test('finds a service that forgets one of the news', async () => {
    const { read, written } = await readWhileCut('memory', ({ events }) => ({
      events: {
        ...events,
        async news(...query) {
          const news = await events.news(...query);
          return news && { ...news, events: news.events.slice(1) };
        },
      },
    }));
    expect(read).not.toEqual(written);
  });
});
