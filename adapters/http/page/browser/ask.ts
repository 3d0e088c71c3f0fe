import { counted } from './value-texts.ts';

/** The refusal of a request by the service; status 0: the service could not be reached. */
export class RefusedRequest extends Error {
  readonly status: number;
  readonly suggestion: string;

  constructor(status: number, message: string, suggestion: string) {
    super(message);
    this.status = status;
    this.suggestion = suggestion;
  }
}

/** The reason why there is nothing to show, and what the reader can do. */
export function refusalWords(error: unknown): string {
  return error instanceof RefusedRequest ? `${error.message} ${error.suggestion}` : 'Load the page again.';
}

interface Sending {
  readonly method?: 'GET' | 'POST';
  readonly body?: unknown;
}

/**
 * A reply of the service, parsed; undefined where it has no content.
 * @throws RefusedRequest with the message of the service
 */
export async function ask<Reply>(path: string, { method = 'GET', body }: Sending = {}): Promise<Reply> {
  const response = await fetch(path, {
    method,
    headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new RefusedRequest(0, 'The service does not answer.', 'Try again in a moment.');
  });
  if (response.ok) return (response.status === 204 ? undefined : await response.json()) as Reply;
  throw await refusalOf(response);
}

async function refusalOf(response: Response): Promise<RefusedRequest> {
  const { error = {} } = await response.json().catch(() => ({}));
  const {
    message = `The service answered ${response.status}.`,
    suggestion = 'Try again in a moment.',
    retry_after_seconds: wait,
    request_id,
  } = error;
  const { status } = response;
  if (wait) return new RefusedRequest(status, message, `Try again in ${counted(wait, 'second')}.`);
  return new RefusedRequest(
    status,
    message,
    status === 500 && request_id ? `${suggestion} The request_id is ${request_id}.` : suggestion,
  );
}
