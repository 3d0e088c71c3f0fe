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
