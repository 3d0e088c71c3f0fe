import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { WEBHOOK_REQUEST } from '../../domain/limits.ts';
import type { WebhookRequest, WebhookResult } from '../../domain/webhooks/webhook-sender.ts';
import { retryAfterSeconds } from './retry-after.ts';
import { SendFailure } from './send-failure.ts';

/**
 * Posts the webhook over a connection, which it closes. A status counts from its arrival: whatever happens to the body
 * after it, of which a part is read and thrown away, does not change the result.
 * @throws SendFailure when no status arrives
 */
export function exchange(
  { url, headers, body }: WebhookRequest,
  connection: Duplex,
  signal: AbortSignal,
): Promise<WebhookResult> {
  const request = url.toLowerCase().startsWith('https:') ? secureRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const posting = request(url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'stancebook',
        connection: 'close',
      },
      createConnection: () => connection,
      signal,
    });
    let result: WebhookResult | null = null;
    const end = (cause?: Error) => {
      posting.destroy();
      connection.destroy();
      return result ? resolve(result) : reject(new SendFailure('CONNECTION_FAILED', { cause }));
    };
    posting.on('error', end);
    posting.once('close', () => end());
    posting.once('response', (reply) => {
      result = resultOf(reply);
      reply.on('error', () => undefined);
      reply.once('close', () => end());
      let size = 0;
      reply.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size >= WEBHOOK_REQUEST.replyBytes) end();
      });
    });
    posting.end(body);
  });
}

function resultOf({ statusCode: status = 0, headers }: IncomingMessage): WebhookResult {
  if (status >= 300 && status <= 399) return { outcome: 'failed', reason: 'REDIRECTED' };
  return { outcome: 'answered', status, retryAfter: retryAfterSeconds(headers['retry-after'], Date.now()) };
}
