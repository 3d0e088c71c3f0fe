import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { exportEndpoint } from '../../../adapters/http/routes/owner/own-data.ts';
import type { Ports } from '../../../application/ports.ts';
import { addressCeiling, admitRequest } from '../../../application/quotas/admit-request.ts';
import { EXPORT } from '../../../domain/limits.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { aPastCall, COHORTS_AT } from '../../harness/cohorts.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { anOwnerLoggedIn, NO_RATE_LIMITS } from '../../harness/sessions.ts';
import { type TestApp, testApp } from '../app.ts';

/** Readers are patient with, unless a test says otherwise: no test waits for a time that these set. */
const LIMITS = { ...EXPORT, atOnce: 4, ofNetwork: 2, waiting: 4, wait: 600_000, leastRate: 1, window: 600_000 };

/** Export without end, so that no reader reaches it. */
const endless = ({ ownerData }: Ports): Partial<Ports> => ({
  ownerData: {
    ...ownerData,
    async recordIds(owner_id, _after, limit) {
      const ids = await ownerData.recordIds(owner_id, null, 1);
      return ids.flatMap((id) => Array.from({ length: limit }, () => id));
    },
  },
});

interface Reader {
  readonly status: number;
  readonly head: string;
  readonly socket: Socket;
}

describe.each(STORAGES)('readers of exports over real sockets, on %s', (storage) => {
  let service: TestService;
  let server: Server | undefined;
  let logged: TestApp['logged'] = [];
  const sockets: Socket[] = [];
  beforeAll(async () => {
    service = await openService(storage, { at: COHORTS_AT, env: NO_RATE_LIMITS, ports: endless });
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    server?.closeAllConnections();
    server?.close();
  });
  afterAll(() => service.close());

  async function serve(limits: Partial<Record<keyof typeof EXPORT, number>> = {}): Promise<void> {
    const ceiling = addressCeiling(100_000);
    const made = testApp([exportEndpoint(service.ports, { ...LIMITS, ...limits })], {
      admit: (request) => admitRequest(service.ports, request, ceiling),
      settings: { trustProxy: 1 },
    });
    logged = made.logged;
    server = createServer(made.app);
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  }

  async function anOwner(): Promise<string> {
    const owner = await anOwnerLoggedIn(service);
    await (await anAgentAt(service, { mate: owner })).submit(aPastCall(9));
    await service.arrange.advance(1_000);
    return owner.cookie;
  }

  /** Requests an export and reads the head of the reply alone; then it reads nothing. */
  function begin(cookie: string, network: string, format = 'jsonl'): Promise<Reader> {
    const { port } = (server?.address() ?? { port: 0 }) as AddressInfo;
    let text = '';
    return new Promise((resolve, reject) => {
      const socket: Socket = connect({
        host: '127.0.0.1',
        port,
        // One byte at a time.
        onread: {
          buffer: Buffer.alloc(1),
          callback(_, bytes) {
            if (text.endsWith('\r\n\r\n')) return false;
            text += bytes[0] === undefined ? '' : String.fromCharCode(bytes[0]);
            if (!text.endsWith('\r\n\r\n')) return true;
            resolve({ status: Number(text.split(' ')[1]), head: text, socket });
            return false;
          },
        },
      });
      socket.on('error', reject);
      sockets.push(socket);
      socket.write(
        `GET /api/v1/owner/export?format=${format} HTTP/1.1\r\nhost: test\r\ncookie: ${cookie}\r\n` +
          `x-forwarded-for: ${network}\r\n\r\n`,
      );
    });
  }

  /** Reads a byte now and then, until the connection ends. */
  function trickle({ socket }: Reader): void {
    const timer = setInterval(() => socket.resume(), 5);
    socket.once('close', () => clearInterval(timer));
  }

  const cuts = () => logged.filter(({ message }) => message === 'A reader of a streamed reply was cut off');

  test.each(['jsonl', 'csv'])('four who read a byte now and then are cut, and others get their %s', async (format) => {
    await serve({ window: 300, leastRate: 16 * 1024 });
    const owners = await Promise.all(Array.from({ length: 6 }, anOwner));
    const [one = '', two = '', three = '', four = '', five = '', six = ''] = owners;
    const slow = await Promise.all([
      begin(one, '192.0.2.1', format),
      begin(two, '192.0.2.1', format),
      begin(three, '192.0.2.2', format),
      begin(four, '192.0.2.2', format),
    ]);
    expect(slow.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    slow.forEach(trickle);
    const others = await Promise.all([begin(five, '192.0.2.3', format), begin(six, '192.0.2.4', format)]);
    expect(others.map(({ status }) => status)).toEqual([200, 200]);
    while (cuts().length < 4) await sleep(20);
    expect(cuts()[0]?.fields).toMatchObject({
      endpoint: 'exportOwnData',
      request_id: expect.any(String),
      reason: expect.stringMatching(/^read \d+ bytes a second over \d+ s; at least 16384 are needed$/),
    });
  });

  test('a network that has its share is refused after its wait, while another network gets a place at once', async () => {
    await serve({ wait: 1 });
    const owners = await Promise.all(Array.from({ length: 4 }, anOwner));
    const [one = '', two = '', three = '', four = ''] = owners;
    await begin(one, '192.0.2.1');
    await begin(two, '192.0.2.1');
    const { status, head } = await begin(three, '192.0.2.1');
    expect([status, /^retry-after: (\d+)/im.exec(head)?.[1]]).toEqual([429, '60']);
    expect((await begin(four, '192.0.2.2')).status).toBe(200);
  });

  test('503 with the time to wait while all places are taken, and nothing is counted or noted', async () => {
    await serve({ wait: 1, ofNetwork: 4 });
    const owners = await Promise.all(Array.from({ length: 4 }, anOwner));
    for (const owner of owners) expect((await begin(owner, '192.0.2.1')).status).toBe(200);
    const late = await anOwnerLoggedIn(service);
    const { status, head } = await begin(late.cookie, '192.0.2.2');
    expect([status, /^retry-after: (\d+)/im.exec(head)?.[1]]).toEqual([503, '60']);
    const known = { owner_id: late.owner_id, kind: 'data_exported' } as const;
    expect(await service.ports.securityEvents.list(known, null, 10)).toEqual([]);
  });

  test('who waits gets the place of a reader who goes away', async () => {
    await serve({ atOnce: 1 });
    const [one = '', two = ''] = await Promise.all([anOwner(), anOwner()]);
    const first = await begin(one, '192.0.2.1');
    const waiting = begin(two, '192.0.2.2');
    first.socket.destroy();
    expect((await waiting).status).toBe(200);
  });

  test('a race of many owners from few networks leaves no place behind', async () => {
    await serve({ wait: 1 });
    const owners = await Promise.all(Array.from({ length: 12 }, anOwner));
    const replies = await Promise.all(owners.map((owner, n) => begin(owner, `192.0.2.${n % 3}`)));
    const admitted = replies.filter(({ status }) => status === 200);
    expect(admitted).toHaveLength(4);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 429, 503]));
    for (const { socket } of replies) socket.destroy();
    await serveAgain(owners);
  });

  /** All places are free again: as many readers as before find one. */
  async function serveAgain(owners: readonly string[]): Promise<void> {
    const [one = '', two = '', three = '', four = ''] = owners;
    const wanted = [one, two, three, four].map((owner, n) => ({ owner, network: `198.51.100.${n % 2}` }));
    for (const { owner, network } of wanted) {
      let status = 0;
      for (const end = Date.now() + 60_000; status !== 200 && Date.now() < end; ) {
        ({ status } = await begin(owner, network));
      }
      expect(status).toBe(200);
    }
  }
});
