import type { Request } from 'express';

/** A path that is served outside the contract: GET only, without credentials, not rate limited. */
export interface ServedPage {
  /** With parameters in braces, like those of endpoints. */
  readonly path: string;
  render(request: Request): Promise<PageContent>;
}

export interface PageContent {
  readonly status: number;
  readonly type?: string;
  readonly body?: string | Uint8Array;
  /** The common headers of this page, as name, value, name, value. */
  readonly headers: readonly string[];
}

/**
 * The reply to a browser at a path that is not served.
 * @param near the path of a page that the reader may have meant
 */
export type MissingPage = (path: string, near: string | undefined) => PageContent;
