import { gzipSync } from 'node:zlib';
import type { Request } from 'express';

/** A text in each encoding in which it can be sent. */
export interface Packed {
  readonly plain: Uint8Array;
  readonly gzip: Uint8Array;
}

export function packed(text: string): Packed {
  const plain = Buffer.from(text);
  return { plain, gzip: gzipSync(plain, { level: 9 }) };
}

/** The encoding that the client accepts, gzip before none. */
export function encodingFor(request: Request): keyof Packed {
  return request.acceptsEncodings('gzip') === 'gzip' ? 'gzip' : 'plain';
}

/** As name, value, name, value. This `vary` replaces the one of CORS, so it contains `origin`. */
export function encodingHeaders(encoding: keyof Packed): readonly string[] {
  return ['vary', 'accept-encoding, origin', ...(encoding === 'gzip' ? ['content-encoding', 'gzip'] : [])];
}
