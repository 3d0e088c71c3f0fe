import { gzipSync } from 'node:zlib';
import type { Request } from 'express';

/** A text as it is sent, in each encoding that it may be asked for in. */
export interface Packed {
  readonly plain: Uint8Array;
  readonly gzip: Uint8Array;
}

export function packed(text: string): Packed {
  const plain = Buffer.from(text);
  return { plain, gzip: gzipSync(plain, { level: 9 }) };
}

/** What the client takes, gzip before none. */
export function encodingFor(request: Request): keyof Packed {
  return request.acceptsEncodings('gzip') === 'gzip' ? 'gzip' : 'plain';
}

/**
 * As name, value, name, value. Other origins may be let in, which replaces no header that stands here: hence `origin`.
 */
export function encodingHeaders(encoding: keyof Packed): readonly string[] {
  return ['vary', 'accept-encoding, origin', ...(encoding === 'gzip' ? ['content-encoding', 'gzip'] : [])];
}
