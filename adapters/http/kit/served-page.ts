import type { Request } from 'express';
import type { StreamedReply } from '../../../application/json-text.ts';
import type { HttpExchange, Services } from './exchange.ts';

/** A path that is served outside the contract: GET only, without credentials, not rate limited. */
export interface ServedPage {
  /** With parameters in braces, like those of endpoints. */
  readonly path: string;
  render(request: Request): Promise<PageContent>;
}

/** A path that is served by another protocol than the contract's: POST only. It answers each exchange, and never rejects. */
export interface Mount {
  readonly path: string;
  answering(services: Services): (exchange: HttpExchange) => Promise<void>;
}

export interface PageContent {
  readonly status: number;
  readonly type?: string;
  readonly body?: string | Uint8Array;
  /** Instead of a body: sent as it is made. */
  readonly stream?: StreamedReply;
  /** The common headers of this page, as name, value, name, value. */
  readonly headers: readonly string[];
}

/**
 * The reply to a browser at a path that is not served.
 * @param near the path of a page that the reader may have meant
 */
export type MissingPage = (path: string, near: string | undefined) => PageContent;
