import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { StreamedReply, StreamLimits } from '../../../../application/json-text.ts';
import { SECOND } from '../../../../domain/time.ts';

const PIECES_AT_ONCE = 64;

/** Bytes. The kernel takes a write as a whole before it counts as read, so a large piece would hide the pace of its reader. */
const WRITE = 64 * 1024;

/**
 * Sends a body whose first piece is made, and ends the response. A client that goes away, reads too slowly, or is not done
 * in time is cut off, and no further piece is made.
 * @param onCut gets the reason why the service cut the client off
 * @throws what a piece throws, after the connection is closed
 */
export async function sendPieces(
  response: ServerResponse,
  first: string | Uint8Array,
  { pieces, limits }: StreamedReply,
  onCut: (reason: string) => void,
): Promise<void> {
  const cut = (reason: string) => {
    if (response.destroyed) return;
    onCut(reason);
    // Otherwise the system would keep what it has taken for this client, and go on to send it.
    response.socket?.resetAndDestroy();
  };
  const deadline = setTimeout(() => cut(`not done after ${limits.longest / SECOND} s`), limits.longest);
  const reader = readerOf(response, limits, cut);
  try {
    let piece = first;
    for (let sent = 1; await taken(reader, response, piece); sent += 1) {
      // Pieces that wait for nothing, to a client that reads fast, would let no other request run.
      if (sent % PIECES_AT_ONCE === 0) await setImmediate();
      const next = await pieces.next();
      if (next.done) {
        response.end();
        return await reader.until('finish');
      }
      piece = next.value;
    }
  } catch (error) {
    // What is written goes out first, so that the client sees a reply without its end, and not none.
    await setImmediate();
    response.destroy();
    throw error;
  } finally {
    clearTimeout(deadline);
    await pieces.return(undefined);
  }
}

/** Writes a piece as fast as it is read; returns whether the client is still there. */
async function taken(reader: Reader, response: ServerResponse, piece: string | Uint8Array): Promise<boolean> {
  const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
  for (let at = 0; at < bytes.length && !response.destroyed; at += WRITE) {
    if (!response.write(bytes.subarray(at, at + WRITE))) await reader.until('drain');
  }
  return !response.destroyed;
}

interface Reader {
  /** Waits for the event, or for the end of the connection; meanwhile the pace of the client is judged. */
  until(event: 'drain' | 'finish'): Promise<void>;
}

/** Adds up the time in which the service waits for the client: at the end of each window of it, enough must have been read. */
function readerOf(
  response: ServerResponse,
  { leastRate, window }: StreamLimits,
  cut: (reason: string) => void,
): Reader {
  const { socket } = response;
  const bytesRead = () => (socket === null ? 0 : socket.bytesWritten - socket.writableLength);
  let [waited, readBefore] = [0, bytesRead()];

  function judge(): void {
    if (waited < window) return;
    const read = bytesRead();
    const rate = (read - readBefore) / (waited / SECOND);
    if (rate < leastRate)
      cut(
        `read ${Math.floor(rate)} bytes a second over ${Math.round(waited / SECOND)} s; at least ${leastRate} are needed`,
      );
    [waited, readBefore] = [0, read];
  }

  return {
    until: (event) =>
      new Promise((resolve) => {
        if (response.destroyed) return resolve();
        let began = performance.now();
        const count = () => {
          const now = performance.now();
          [waited, began] = [waited + now - began, now];
          judge();
        };
        const timer = setInterval(count, Math.max(1, window / 4));
        const done = () => {
          clearInterval(timer);
          response.off(event, done).off('close', done);
          // What has been sent whole must not be cut off any more.
          if (event === 'drain') count();
          resolve();
        };
        response.on(event, done).on('close', done);
      }),
  };
}
