import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import type { StreamedReply } from '../../../../application/json-text.ts';

const PIECES_AT_ONCE = 64;

/**
 * Sends a body whose first piece is made, and ends the response. A client that goes away, takes nothing for too long, or
 * is not done in time is cut off, and no further piece is made.
 * @throws what a piece throws, after the connection is closed
 */
export async function sendPieces(
  response: ServerResponse,
  first: string | Uint8Array,
  { pieces, limits }: StreamedReply,
): Promise<void> {
  let fault: { readonly error: unknown } | null = null;
  async function* all(): AsyncGenerator<string | Uint8Array> {
    yield first;
    // Not `yield*`: the stream throws into this generator when the client goes away, which is no fault of a piece.
    for (let sent = 1; ; sent += 1) {
      // Pieces that wait for nothing, to a client that reads fast, would let no other request run.
      if (sent % PIECES_AT_ONCE === 0) await setImmediate();
      const next = await pieces.next().catch((error: unknown) => {
        fault = { error };
        throw error;
      });
      if (next.done) return;
      yield next.value;
    }
  }
  response.setTimeout(limits.patience, () => response.destroy());
  const deadline = AbortSignal.timeout(limits.longest);
  try {
    await pipeline(Readable.from(all()), response, { signal: deadline });
  } catch {
    response.destroy();
    await pieces.return(undefined);
    if (fault !== null) throw (fault as { readonly error: unknown }).error;
  }
}
