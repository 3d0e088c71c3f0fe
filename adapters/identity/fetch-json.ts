import type { Millis } from '../../domain/time.ts';
import { ProviderFailure } from './provider-failure.ts';

export interface JsonReply {
  readonly status: number;
  /** null if it is not JSON. */
  readonly body: unknown;
}

export interface ProviderRequest {
  /** For the whole reply. */
  readonly deadline: Millis;
  /** Sent by POST; without a form the request is a GET. */
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Far above the metadata, keys and tokens of any provider. */
const LARGEST = 512 * 1024;

/**
 * Sends a request to the provider. Redirects are not followed: they would send our secret to another address.
 * @throws ProviderFailure when no reply arrives in time, or the reply is too large
 */
export async function fetchJson(address: string, { deadline, form, headers }: ProviderRequest): Promise<JsonReply> {
  try {
    const response = await fetch(address, {
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
      headers: { accept: 'application/json', 'user-agent': 'stancebook', ...headers },
      redirect: 'error',
      signal: AbortSignal.timeout(deadline),
    });
    return { status: response.status, body: jsonOf(await textOf(response)) };
  } catch (error) {
    throw error instanceof ProviderFailure ? error : new ProviderFailure(codeOf(error), { cause: error });
  }
}

/** Counted after decompression, so that a small reply cannot expand into a large one. */
async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > LARGEST) throw new ProviderFailure('too_large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function codeOf(error: unknown): string {
  const { name, cause } = error as { readonly name?: string; readonly cause?: { readonly code?: unknown } };
  if (name === 'TimeoutError') return 'timeout';
  return typeof cause?.code === 'string' ? cause.code : 'network';
}
