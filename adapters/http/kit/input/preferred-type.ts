import type { Request } from 'express';

/** Whether the client wants this media type rather than JSON, which it gets wherever it names neither. */
export function preferredType(request: Request, type: string): boolean {
  return request.headers.accept !== undefined && request.accepts(['application/json', type]) === type;
}
