import type { Request } from 'express';
import type { RequestToAdmit } from '../../../../application/quotas/admit-request.ts';
import { accountSuspended } from '../../../../domain/accounts/owner.ts';
import type { Caller } from '../../../../domain/caller.ts';
import { Problem } from '../../../../domain/problem.ts';
import type { Credential, Endpoint } from '../endpoint.ts';
import type { HttpExchange, Services } from '../exchange.ts';
import type { Head } from '../input/read-input.ts';
import { clientAddress, clientNetwork } from './client-network.ts';
import { credentialRefusal, type Guarded, mayBeServed, presentedCredential } from './credentials.ts';

/**
 * Judges and counts a request for an endpoint, and returns the caller that its credential proves.
 * @throws Problem RATE_LIMIT_EXCEEDED, DAILY_QUOTA_EXCEEDED; FORBIDDEN in the admin area for other networks
 */
export function admitTo(
  endpoint: Endpoint,
  exchange: HttpExchange,
  services: Services,
  credential: Credential | null,
  head: Head,
): Promise<Caller | null> {
  if (endpoint.auth === 'admin' && isOutside(exchange, services)) return refuseOutside(exchange, services);
  return admit(exchange, services, {
    credential: endpoint.auth === 'none' ? null : credential,
    window: endpoint.limits ?? 'common',
    spend: credential && spendOf(exchange.request, endpoint, credential, head, services),
  });
}

/**
 * Judges and counts a request that takes no unit, outside the endpoints.
 * @throws Problem RATE_LIMIT_EXCEEDED, UNAUTHORIZED, FORBIDDEN
 */
export async function admitUnspent(exchange: HttpExchange, services: Services, guard: Guarded): Promise<void> {
  const credential = presentedCredential(exchange.request, services.credentials);
  const caller = await admit(exchange, services, { credential, window: 'common', spend: null });
  await refuseCredential(guard, exchange, services, credential, caller);
}

/** Counts a request under /api/v1 that no endpoint serves, by its client address. Other paths are not limited. */
export async function admitUnrouted(exchange: HttpExchange, services: Services): Promise<void> {
  if (!exchange.request.path.startsWith('/api/v1/')) return;
  await admit(exchange, services, { credential: null, window: 'common', spend: null });
}

/**
 * Counts a request for a path of the admin area that no endpoint serves, and refuses callers without admin access as on
 * the served paths (interface.md 4.1).
 * @throws Problem RATE_LIMIT_EXCEEDED, FORBIDDEN, ADMIN_REQUIRED, CROSS_ORIGIN_SESSION
 */
export async function admitUnroutedAdmin(exchange: HttpExchange, services: Services): Promise<void> {
  const { request } = exchange;
  if (isOutside(exchange, services)) await refuseOutside(exchange, services);
  const credential = presentedCredential(request, services.credentials);
  const caller = await admit(exchange, services, { credential, window: 'common', spend: null });
  await refuseCredential({ auth: 'admin' }, exchange, services, credential, caller);
}

function isOutside({ request }: HttpExchange, { address, inAdminNetworks }: Services): boolean {
  return !inAdminNetworks(address(request));
}

/** The request is counted without its credential, so that nothing in the reply shows whether that one is valid. */
async function refuseOutside(exchange: HttpExchange, services: Services): Promise<never> {
  await admit(exchange, services, { credential: null, window: 'common', spend: null });
  await services.noteAdminRefusal(null, exchange.source);
  throw new Problem('FORBIDDEN', 'The admin area is not served to this network.', {
    suggestion: 'Send the request from a network that the operator allows.',
  });
}

/**
 * Refuses a caller whom the endpoint does not serve, after the request was counted; a refusal of the admin area or of a key by
 * its bounds is written down first.
 * @throws Problem UNAUTHORIZED, KEY_EXPIRED, KEY_NETWORK_REFUSED, FORBIDDEN, ACCOUNT_SUSPENDED for the bearer token of a suspended owner,
 * ADMIN_REQUIRED, FACTOR_REQUIRED, KEY_UNBOUND, CROSS_ORIGIN_SESSION
 */
export async function refuseCredential(
  endpoint: Guarded,
  exchange: HttpExchange,
  { credentials, address, noteAdminRefusal, noteKeyRefusal, factorRefusal }: Services,
  credential: Credential | null,
  caller: Caller | null,
): Promise<void> {
  const barred = exchange.admission?.barred ?? null;
  const { request } = exchange;
  const from = barred && clientAddress(address(request));
  const area = areaOf(endpoint);
  const isKnown = area !== null && credential !== null && caller !== null;
  const refusal =
    credentialRefusal(request, endpoint, credential, caller, credentials, barred?.bar, from) ??
    (isKnown ? await factorRefusal(area, caller.owner_id, credential) : null);
  if (!refusal) return;
  if (exchange.admission?.isSuspended && isOpenToBearers(endpoint)) throw accountSuspended();
  if (barred) await noteKeyRefusal(barred, exchange.source);
  if (endpoint.auth === 'admin') await noteAdminRefusal(caller?.owner_id ?? null, exchange.source);
  throw refusal;
}

/** Where a second factor can be required; null where an owner gets in without one, also to add it. */
function areaOf({ auth, withoutFactor }: Guarded): 'admin' | 'owner' | null {
  if (auth === 'admin') return 'admin';
  return auth === 'none' || withoutFactor ? null : 'owner';
}

function isOpenToBearers({ auth }: Guarded): boolean {
  return auth === 'optional' || (typeof auth !== 'string' && auth.includes('owner_bearer'));
}

async function admit(
  exchange: HttpExchange,
  services: Services,
  request: Omit<RequestToAdmit, 'network' | 'from' | 'source'>,
) {
  const address = services.address(exchange.request);
  const admission = await services.admit({
    ...request,
    network: clientNetwork(address),
    from: clientAddress(address),
    source: () => exchange.source,
  });
  exchange.admission = admission;
  if (admission.refusal) throw admission.refusal;
  return admission.caller;
}

/** The unit to take; 0 units when it is already certain that the request will be refused. */
function spendOf(
  request: Request,
  endpoint: Endpoint,
  credential: Credential,
  { sound, params }: Head,
  { credentials }: Services,
): RequestToAdmit['spend'] {
  const { spends: pool } = endpoint;
  if (pool === undefined) return null;
  const record_id = pool === 'check' ? recordOf(params) : null;
  if (pool === 'check' && record_id === null) return null;
  return { pool, record_id, units: sound && mayBeServed(request, endpoint, credential, credentials) ? 1 : 0 };
}

function recordOf(params: unknown): string | null {
  const named = typeof params === 'object' && params !== null && 'record_id' in params ? params.record_id : null;
  return typeof named === 'string' ? named : null;
}
