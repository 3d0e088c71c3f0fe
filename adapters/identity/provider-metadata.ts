import { z } from 'zod';
import { Problem } from '../../domain/problem.ts';
import type { Millis } from '../../domain/time.ts';

/** The provider gave no reply or an invalid one. Callers never learn more than that. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  /** A word for operators, such as `timeout`, `issuer_mismatch` or `invalid_grant`. */
  readonly code: string;

  constructor(code: string, options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}

/** Far above the metadata, keys and tokens of any provider. */
const LARGEST = 512 * 1024;

/** The parts of the provider's metadata that are used here (OpenID Connect Discovery, RFC 8414). */
export type ProviderMetadata = z.output<typeof METADATA>;

const METADATA = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  jwks_uri: z.string(),
  device_authorization_endpoint: z.string().optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).default(['client_secret_basic']),
  authorization_response_iss_parameter_supported: z.boolean().default(false),
});

/**
 * Discovers the provider by its issuer. Its metadata must name exactly this issuer, or its tokens could be those of
 * another one. Its addresses must be https, or http if the issuer itself is http on loopback.
 * @throws ProviderFailure
 */
export async function discover(issuer: string, deadline: Millis): Promise<ProviderMetadata> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { status, body } = await fetchJson(address, { deadline });
  if (status !== 200) throw new ProviderFailure(`discovery_${status}`);
  const { success, data } = METADATA.safeParse(body);
  if (!success) throw new ProviderFailure('discovery_malformed');
  if (data.issuer !== issuer) throw new ProviderFailure('issuer_mismatch');
  const { authorization_endpoint, token_endpoint, jwks_uri, device_authorization_endpoint } = data;
  for (const endpoint of [authorization_endpoint, token_endpoint, jwks_uri, device_authorization_endpoint]) {
    if (endpoint !== undefined && !isSafe(endpoint, issuer)) throw new ProviderFailure('endpoint_unsafe');
  }
  return data;
}

function isSafe(endpoint: string, issuer: string): boolean {
  if (!URL.canParse(endpoint)) return false;
  const { protocol, hostname, username, password, hash } = new URL(endpoint);
  if (username !== '' || password !== '' || hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && issuer.startsWith('http:') && LOOPBACK.test(hostname));
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export interface JsonReply {
  readonly status: number;
  /** null if it is not JSON. */
  readonly body: unknown;
}

interface ProviderRequest {
  /** For the whole reply. */
  readonly deadline: Millis;
  /** Sent by POST; without a form the request is a GET. */
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

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

export type ReportFailure = (failure: ProviderFailure) => void;

/**
 * Turns the provider's failures into a refusal and reports each failure once, even when it fails many requests. Other
 * errors are not changed.
 */
export function refusingFailures(report: ReportFailure) {
  const reported = new WeakSet<ProviderFailure>();
  return (code: 'SERVICE_UNAVAILABLE' | 'OAUTH_CALLBACK_ERROR', message: string) =>
    (error: unknown): never => {
      if (!(error instanceof ProviderFailure)) throw error;
      if (!reported.has(error)) report(error);
      reported.add(error);
      throw new Problem(code, message);
    };
}
