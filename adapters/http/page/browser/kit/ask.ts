import { paced } from './pace.ts';
import { unreachable } from './proof-files.ts';
import { refusalOf } from './refused-request.ts';
import { forgetSession } from './session-hint.ts';

export interface Sending {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** A Blob is sent as it is, with its type; anything else as JSON. */
  readonly body?: unknown;
  /** Aborted when the view is left: the request then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** A reply with its headers, such as those of the rate window. */
export interface Answer<Reply> {
  readonly reply: Reply;
  readonly headers: Headers;
}

/**
 * A reply of the service, parsed; undefined where it has no content. If the service wants a recent login, the reader
 * logs in again in a dialog, and the request is sent again.
 * @throws RefusedRequest with the message of the service
 */
export async function ask<Reply>(path: string, sending: Sending = {}): Promise<Reply> {
  return (await answerTo<Reply>(path, sending)).reply;
}

/** Like `ask`, with the headers of the reply. @throws RefusedRequest */
export async function answerTo<Reply>(path: string, sending: Sending = {}): Promise<Answer<Reply>> {
  const response = await send(path, sending);
  if (response.ok) {
    const reply = (response.status === 204 ? undefined : await response.json()) as Reply;
    return { reply, headers: response.headers };
  }
  const refusal = await refusalOf(response, sending.method ?? 'GET');
  if (refusal.code === 'UNAUTHORIZED') forgetSession();
  if (refusal.code !== 'REAUTHENTICATION_REQUIRED') throw refusal;
  if (!(await isProven())) throw refusal;
  return answerTo(path, sending);
}

const JSON_TYPE = 'application/json';

async function send(path: string, { method = 'GET', body, signal }: Sending): Promise<Response> {
  const sent =
    body === undefined || body instanceof Blob ? body : new Blob([JSON.stringify(body)], { type: JSON_TYPE });
  try {
    return await paced(path, () =>
      fetch(path, {
        method,
        headers: { accept: JSON_TYPE, ...(sent ? { 'content-type': sent.type } : {}) },
        ...(sent ? { body: sent } : {}),
        ...(signal ? { signal } : {}),
      }),
    );
  } catch {
    signal?.throwIfAborted();
    throw unreachable();
  }
}

type Prover = () => Promise<boolean>;

let prover: Prover = async () => false;
let current: Promise<boolean> | undefined;

/** How the reader proves to be the owner: the shell sets it, because what asks for the proof sends requests itself. */
export function proveBy(prove: Prover): void {
  prover = prove;
}

/** Has the reader log in again; false if they do not want to. Requests that need it at once share one proof. */
export function isProven(): Promise<boolean> {
  current ??= prover().finally(() => {
    current = undefined;
  });
  return current;
}
