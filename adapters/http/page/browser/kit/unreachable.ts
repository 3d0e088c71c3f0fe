import { RefusedRequest } from './refused-request.ts';

/** The refusal of a request that nobody answered: what the reader can do depends on the device. */
export function unreachable(): RefusedRequest {
  return new RefusedRequest({
    status: 0,
    message: navigator.onLine ? 'The service does not answer.' : 'This device is offline.',
    suggestion: navigator.onLine ? 'Try again in a moment.' : 'Connect it, then try again.',
  });
}
