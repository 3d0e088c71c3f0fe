import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Random } from '../../../../scripts/random.ts';

/** A request of a webhook, in the order of arrival. */
export interface Arrival {
  /** The path of its URL. */
  readonly path: string;
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
  /** Whether it was answered 200 while the sender still listened. */
  isAccepted: boolean;
}

/** Receives the webhooks of the campaign, and fails now and then. */
export interface WebhookReceiver {
  /** Without a path. */
  readonly url: string;
  readonly arrivals: Arrival[];
  /** Holds the reply to the next request until `release`. null: none has arrived in so many milliseconds. */
  holdNext(within: number): Promise<{ readonly release: () => void } | null>;
  /** Accepts everything from now on. */
  heal(): void;
  close(): Promise<void>;
}

export async function openWebhookReceiver(random: Random): Promise<WebhookReceiver> {
  const arrivals: Arrival[] = [];
  let isHealthy = false;
  let hold: ((release: () => void) => void) | null = null;
  const held = () => {
    const hand = hold;
    hold = null;
    return hand && new Promise<void>((resolve) => hand(resolve));
  };
  const server = createServer(async (request, response) => {
    const arrival = await arrivalOf(request).catch(() => null);
    if (!arrival) return;
    arrivals.push(arrival);
    await held();
    answer(arrival, response, isHealthy ? HEALTHY : random.below(100));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    holdNext: (within) =>
      new Promise((resolve) => {
        const late = setTimeout(() => {
          hold = null;
          resolve(null);
        }, within);
        hold = (release) => {
          clearTimeout(late);
          resolve({ release });
        };
      }),
    heal() {
      isHealthy = true;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function arrivalOf(request: IncomingMessage): Promise<Arrival> {
  const header = (name: string) => String(request.headers[name]);
  const named = { id: header('webhook-id'), timestamp: header('webhook-timestamp') };
  const signature = header('webhook-signature');
  return { path: request.url ?? '', ...named, signature, body: await text(request), isAccepted: false };
}

const HEALTHY = 100;

/** Some replies are failures, some are lost after the event was received. */
function answer(arrival: Arrival, response: ServerResponse, dice: number): void {
  if (dice === 0) response.destroy();
  else if (dice === 1) response.writeHead(503).end();
  else if (dice === 2) response.writeHead(500, { 'retry-after': '2' }).end();
  else {
    arrival.isAccepted = !response.destroyed;
    response.writeHead(200).end();
  }
}
