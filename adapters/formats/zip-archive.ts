import { PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { ArchiveFile } from '../../domain/archive.ts';

/** What goes to the compressor at a time, in characters: a line at a time would cost more than its compression. */
const CHUNK = 64 * 1024;

/** See `WriteZip`. */
export async function* writeZip(files: readonly ArchiveFile[], at: Date): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const bytes = zip.outputStream.pipe(new PassThrough());
  let open: Readable | undefined;
  for (const { name, pieces } of files) {
    zip.addReadStreamLazy(name, { mtime: at }, (use) => {
      open = Readable.from(inChunks(pieces()), { objectMode: false });
      open.once('error', (fault: Error) => bytes.destroy(fault));
      use(null, open);
    });
  }
  zip.end();
  try {
    yield* bytes;
  } finally {
    open?.destroy();
    if (open) await finished(open).catch(() => undefined);
  }
}

async function* inChunks(pieces: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let chunk = '';
  for await (const piece of pieces) {
    chunk += piece;
    if (chunk.length < CHUNK) continue;
    yield Buffer.from(chunk);
    chunk = '';
  }
  if (chunk !== '') yield Buffer.from(chunk);
}
