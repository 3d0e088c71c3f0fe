import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
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

/** A file that also comes in Brotli (RFC 7932), which browsers accept over https and from their own machine. */
export interface TightlyPacked extends Packed {
  readonly br: Uint8Array;
}

const QUALITY = 10;

/** Brotli takes up to a second for a library, so each file is compressed when it is first requested so. */
export function tightlyPacked(text: string): TightlyPacked {
  const { plain, gzip } = packed(text);
  let br: Uint8Array | undefined;
  return {
    plain,
    gzip,
    get br() {
      br ??= brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } });
      return br;
    },
  };
}

/** The encoding that the client accepts, gzip before none. */
export function encodingFor(request: Request): keyof Packed {
  return request.acceptsEncodings('gzip') === 'gzip' ? 'gzip' : 'plain';
}

/** The same with Brotli before gzip. */
export function tightEncodingFor(request: Request): keyof TightlyPacked {
  return request.acceptsEncodings('br') === 'br' ? 'br' : encodingFor(request);
}

/** As name, value, name, value. This `vary` replaces the one of CORS, so it contains `origin`. */
export function encodingHeaders(encoding: keyof TightlyPacked): readonly string[] {
  return ['vary', 'accept-encoding, origin', ...(encoding === 'plain' ? [] : ['content-encoding', encoding])];
}
