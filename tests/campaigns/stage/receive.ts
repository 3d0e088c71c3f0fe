import type { IncomingMessage } from 'node:http';

export interface Received {
  readonly status: number;
  /** By lower-case name, with all values of a repeated name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * Reads a reply to its end, and the first bytes of a stream of events, which has none unless it has a length. Rejects when
 * it is cut off.
 */
export function receive(response: IncomingMessage): Promise<Received> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const { headers } = response;
    const isStream = headers['content-type'] === 'text/event-stream' && headers['content-length'] === undefined;
    response.on('data', (part: Buffer) => {
      parts.push(part);
      if (isStream) end();
    });
    response.on('error', reject);
    response.on('aborted', () => reject(new Error('the reply was cut off')));
    response.on('end', end);
    function end(): void {
      const single = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
      const headers = Object.fromEntries(single);
      resolve({ status: response.statusCode ?? 0, headers, body: Buffer.concat(parts) });
      if (isStream) response.destroy();
    }
  });
}
