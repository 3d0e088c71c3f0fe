import { globalAgent } from 'node:http';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { StreamEnd, StreamOutlet } from '../../../application/events/event-stream.ts';
import type { EventNews } from '../../../domain/events/event.ts';
import { EVENT_STREAMS } from '../../../domain/limits.ts';
import { auditedModeration } from '../../builders/audited-moderation.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { until } from '../../harness/event-source.ts';
import { openService, type TestService } from '../../harness/service.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const RELEASE = new Date('2026-03-03T12:00:00.000Z');

/** A client that takes nothing while it is full. */
class TestOutlet implements StreamOutlet {
  readonly ids: string[] = [];
  /** What came while it was full. */
  inExcess = 0;
  heartbeats = 0;
  ended: StreamEnd | 'cut' | null = null;
  isFull = false;
  private waiting: (() => void)[] = [];

  event(_cursor: string, { id }: { readonly id: string }): void {
    this.ids.push(id);
    if (this.isFull) this.inExcess += 1;
  }
  heartbeat(): void {
    this.heartbeats += 1;
    if (this.isFull) this.inExcess += 1;
  }
  end(reason: StreamEnd): void {
    this.ended = reason;
    this.take();
  }
  cut(): void {
    this.ended = 'cut';
    this.take();
  }
  async taken(): Promise<void> {
    if (this.isFull) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }
  take(): void {
    this.isFull = false;
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

let service: TestService;
let agent: TestAgent;
let record_id: string;
/** Called in place of the storage's reading of the news. */
let readNews: ((read: () => Promise<EventNews | null>) => Promise<EventNews | null>) | undefined;
const LIMITS = { tick: 5, heartbeat: 5_000, judge: 5_000, slow: 5_000, page: 2, news: 3 };

async function serve(limits: Partial<typeof LIMITS> = {}) {
  service = await openService('memory', {
    at: AT,
    streams: { limits: { ...LIMITS, ...limits } },
    ports: ({ events }) => ({
      events: { ...events, news: (...query) => (readNews ?? ((read) => read()))(() => events.news(...query)) },
    }),
  });
  agent = await anAgentAt(service);
  record_id = (await agent.submit(aSubmission(AT))).body.record_id;
}

beforeEach(() => {
  readNews = undefined;
});
afterEach(() => service.close());

async function open(by: TestAgent = agent): Promise<TestOutlet> {
  const credential = { kind: 'api_key', secret: by.api_key } as const;
  const reserved = await service.streams.reserve({
    ...{ scope: by, after: null, credential, from: null },
    request_id: 'a test',
  });
  const outlet = new TestOutlet();
  reserved.open(outlet);
  return outlet;
}

/** Two events each time. */
async function change(times: number): Promise<void> {
  const moderation = auditedModeration(service.ports);
  for (let time = 0; time < times; time += 1) {
    await moderation.quarantine(record_id, 'a test', RELEASE);
    await moderation.release(record_id);
  }
}

async function written(): Promise<readonly string[]> {
  return (await service.ports.events.page(agent, null, 10_000)).events.map(({ event }) => event.id);
}

test('a client that takes nothing is sent no more, and goes on in order once it takes again', async () => {
  await serve();
  const outlet = await open();
  await change(1);
  await until(() => outlet.ids.length === 2);
  outlet.isFull = true;
  await change(5);
  let readings = 0;
  readNews = (read) => {
    readings += 1;
    return read();
  };
  // Nobody follows any more: there is no news to read.
  const other = await open(await anAgentAt(service));
  await until(() => readings > 3);
  expect([outlet.ids.length, outlet.inExcess, other.ids]).toEqual([2, 0, []]);
  outlet.take();
  await until(() => outlet.ids.length >= 12);
  await change(1);
  await until(() => outlet.ids.length >= 14);
  expect(outlet.ids).toEqual(await written());
});

test.each(['with events', 'without events'])('a client that takes nothing for too long is cut, %s', async (which) => {
  await serve({ heartbeat: 20, slow: 20 });
  const outlet = await open();
  await until(() => outlet.heartbeats > 0);
  outlet.isFull = true;
  if (which === 'with events') await change(2);
  await until(() => outlet.ended !== null);
  expect([outlet.ended, outlet.inExcess, service.streams.figures().ended.slow]).toEqual(['cut', 0, 1]);
});

test('a stream that opens while the news are being read misses and doubles none', async () => {
  await serve();
  const first = await open();
  await change(1);
  await until(() => first.ids.length === 2);
  const { promise: isReading, resolve: begin } = Promise.withResolvers<void>();
  const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>();
  readNews = async (read) => {
    readNews = undefined;
    begin();
    const news = await read();
    await mayGoOn;
    return news;
  };
  await isReading;
  const mate = await anAgentAt(service, { mate: agent });
  const second = await open({ ...mate, agent_id: agent.agent_id });
  await until(() => second.ids.length === 2);
  await change(1);
  const third = await open(await anAgentAt(service));
  await change(1);
  goOn();
  await until(() => second.ids.length >= 6 && first.ids.length >= 6);
  await change(2);
  await until(() => second.ids.length >= 10 && first.ids.length >= 10);
  expect([first.ids, second.ids, third.ids]).toEqual([await written(), await written(), []]);
});

test('more news than are read at once are sent whole, and news that could not be read come with the next reading', async () => {
  await serve();
  const outlet = await open();
  await until(() => service.streams.figures().open === 1);
  let failures = 0;
  readNews = (read) => {
    failures += 1;
    return failures < 3 ? Promise.reject(new Error('the database is gone')) : read();
  };
  await change(6);
  await until(() => outlet.ids.length >= 12);
  expect([outlet.ids, failures >= 3]).toEqual([await written(), true]);
});

test('a place that is reserved and released does not count', async () => {
  await serve();
  const credential = { kind: 'api_key', secret: agent.api_key } as const;
  const request = { scope: agent, after: null, credential, from: null, request_id: 'a test' };
  (await service.streams.reserve(request)).release();
  expect(service.streams.figures().open).toBe(0);
  await open();
  expect(service.streams.figures().open).toBe(1);
});

test('heartbeats come while the storage does not answer', async () => {
  await serve({ heartbeat: 10 });
  const outlet = await open();
  let isAsked = false;
  readNews = () => {
    isAsked = true;
    return new Promise(() => undefined);
  };
  // Only a stream that has read its page makes the process ask for news.
  await change(1);
  await until(() => isAsked);
  const before = outlet.heartbeats;
  await until(() => outlet.heartbeats > before + 3);
  expect(outlet.ended).toBeNull();
});

test('a stream shows that it lives before the default agent of Node gives it up', () => {
  const { options } = globalAgent as unknown as { readonly options: { readonly timeout: number } };
  expect(EVENT_STREAMS.heartbeat + EVENT_STREAMS.tick).toBeLessThanOrEqual(options.timeout);
});
