import type { Request } from 'express';
import { Problem } from '../../../domain/problem.ts';

export interface DoorRules {
  /** The origin of PUBLIC_URL; null: only this machine's own names are served. */
  readonly publicOrigin: string | null;
  /** Host names in addition to that of PUBLIC_URL. */
  readonly allowedHosts: readonly string[];
  /** Origins whose pages may read replies. */
  readonly corsOrigins: readonly string[];
}

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * The refusal of a request that a page of another site may have sent, by a name that was made to lead here (DNS
 * rebinding) or from its own origin: the specification of the protocol requires both checks.
 */
export function doorRefusal({ headers, socket }: Request, rules: DoorRules): Problem | undefined {
  const { publicOrigin, allowedHosts, corsOrigins } = rules;
  const own = publicOrigin === null ? [...LOOPBACK, addressOf(socket.localAddress)] : [new URL(publicOrigin).hostname];
  const host = (headers.host ?? '').replace(/:\d*$/, '').toLowerCase();
  if (![...own, ...allowedHosts].includes(host)) {
    return new Problem(
      'MISDIRECTED_REQUEST',
      `The host ${host.slice(0, 100) || '(none)'} is not served at this path.`,
      {
        suggestion: 'Send requests to the host of PUBLIC_URL; without one, to localhost.',
      },
    );
  }
  const { origin } = headers;
  if (origin === undefined || corsOrigins.includes(origin)) return undefined;
  const isOwn = publicOrigin === null ? own.includes(hostOf(origin)) : origin === publicOrigin;
  if (isOwn) return undefined;
  return new Problem('FORBIDDEN', `Pages of ${origin.slice(0, 100)} may not send requests to this path.`, {
    suggestion: 'Send requests from a program, or let the operator add the origin to CORS_ORIGINS.',
  });
}

function hostOf(origin: string): string {
  return URL.parse(origin)?.hostname ?? '';
}

function addressOf(address = ''): string {
  const bare = address.replace(/^::ffff:(?=\d+\.)/, '');
  return bare.includes(':') ? `[${bare}]` : bare;
}
