import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { WEBHOOK_REQUEST } from '../../domain/limits.ts';
import { type Millis, SECOND } from '../../domain/time.ts';
import type { WebhookFailure, WebhookRequest, WebhookResult } from '../../domain/webhooks/delivery.ts';

/** Ends an attempt before a status has arrived. */
export class SendFailure extends Error {
  override readonly name = 'SendFailure';
  readonly reason: WebhookFailure;

  constructor(reason: WebhookFailure, options?: ErrorOptions) {
    super(reason, options);
    this.reason = reason;
  }
}

const IMF_FIXDATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;

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

/**
 * The seconds that a Retry-After header names, as a number or as a date of HTTP (RFC 9110 section 10.2.3), at least 0;
 * null for any other text.
 */
export function retryAfterSeconds(header: string | undefined, now: Millis): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) return Number(text);
  const at = IMF_FIXDATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / SECOND));
}
