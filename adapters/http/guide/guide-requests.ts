import type { Operation } from '../openapi/reference.ts';

/** A request that the guide names. */
export interface RequestLine {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
}

/** A request of the loop, with its description in the OpenAPI document. */
export interface Step extends RequestLine {
  readonly operation: Operation;
}
