import type { Socket } from 'node:net';
import { WEBHOOK_REQUEST } from '../../domain/limits.ts';
import type { Millis } from '../../domain/time.ts';
import type { AddressRule } from '../../domain/webhooks/admitted-address.ts';
import type { WebhookRequest, WebhookResult, WebhookSender } from '../../domain/webhooks/webhook-sender.ts';
import { webhookUrlProblem } from '../../domain/webhooks/webhook-url.ts';
import { connectTo, secured } from './connections.ts';
import { exchange } from './exchange.ts';
import { judgedAddresses } from './judged-addresses.ts';
import { SendFailure } from './send-failure.ts';
import { tunnelTo } from './tunnel.ts';

export interface SenderSettings extends AddressRule {
  /** Address of an HTTP proxy that every webhook is sent through; null: none. */
  readonly proxy: string | null;
}

/** What is outside of the process, for tests. */
export interface SenderSurroundings {
  /** Addresses of DNS servers with their ports. */
  readonly dnsServers?: readonly string[];
  /** Certificates of authorities in PEM, in place of those of Node.js. */
  readonly ca?: string;
  readonly deadline?: Millis;
}

/**
 * Sends webhooks over HTTP/1.1, each on a connection of its own. The addresses of a name are judged here, and the
 * connection is made to one of them in digits, so that no second answer of a DNS server can lead elsewhere. With a
 * proxy the name is resolved and judged there.
 */
export function httpWebhookSender(settings: SenderSettings, surroundings: SenderSurroundings = {}): WebhookSender {
  const { dnsServers, ca, deadline = WEBHOOK_REQUEST.deadline } = surroundings;

  async function connected(url: URL, signal: AbortSignal): Promise<Socket> {
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
    if (settings.proxy !== null) return tunnelTo(`${url.hostname}:${port}`, settings.proxy, signal);
    const addresses = await judgedAddresses(hostOf(url), { rule: settings, dnsServers, signal });
    return connectTo(addresses, port, { signal, deadline });
  }

  async function posted(request: WebhookRequest, signal: AbortSignal): Promise<WebhookResult> {
    if (webhookUrlProblem(request.url, settings) !== null) throw new SendFailure('ADDRESS_REFUSED');
    const url = new URL(request.url);
    const socket = await connected(url, signal);
    const connection = url.protocol === 'https:' ? await secured(socket, hostOf(url), signal, ca) : socket;
    return exchange(request, connection, signal);
  }

  return {
    async send(request) {
      const signal = AbortSignal.timeout(deadline);
      try {
        return await posted(request, signal);
      } catch (error) {
        if (signal.aborted) return { outcome: 'failed', reason: 'TIMED_OUT' };
        return { outcome: 'failed', reason: error instanceof SendFailure ? error.reason : 'CONNECTION_FAILED' };
      }
    },
  };
}

/** An IPv6 address without its brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
