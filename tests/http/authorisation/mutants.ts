import type { RequestListener } from 'node:http';
import type { Auth, CredentialKind, Endpoint } from '../../../adapters/http/kit/endpoint.ts';
import { createApp, sessionCookieName } from '../../../adapters/http/kit/router.ts';
import { endpointsOf } from '../../../adapters/http/routes/endpoints.ts';
import { servicePages } from '../../../adapters/http/service-pages.ts';
import type { Ports } from '../../../application/ports.ts';
import { admitRequest } from '../../../application/quotas/admit-request.ts';
import { nameOf } from '../operations/operations.ts';
import { callersOf } from './callers.ts';
import { type Cast, PAGES } from './cast.ts';
import { judgeRow } from './judge-row.ts';
import { ROWS, type Row } from './rows.ts';
import { listen } from './wire.ts';

const KINDS: readonly CredentialKind[] = ['api_key', 'owner_bearer', 'legacy_session'];

/** Every declaration of who may call that differs from `auth` by one step. */
export function wrongDeclarations(auth: Auth): readonly Auth[] {
  if (auth === 'admin') return [['owner_bearer', 'legacy_session'], KINDS, 'optional', 'none'];
  if (typeof auth === 'string') return ['none', 'optional', 'admin', KINDS].filter((each) => each !== auth) as Auth[];
  const fewer = KINDS.filter((kind) => auth.includes(kind)).map((kind) => auth.filter((each) => each !== kind));
  const more = KINDS.filter((kind) => !auth.includes(kind)).map((kind) => [...auth, kind]);
  return ['none', 'optional', 'admin', ...[...fewer, ...more].filter((kinds) => kinds.length > 0)];
}

/** The endpoint with a fault: every caller is taken for the owner. */
export function blindToOwners(endpoint: Endpoint, { owner }: Cast): Endpoint {
  const { owner_id, agent_id } = owner;
  return {
    ...endpoint,
    handle(input) {
      const { caller } = input;
      if (caller === null) return endpoint.handle(input);
      const mistaken = { ...(caller as object), owner_id, ...('agent_id' in caller && { agent_id }) };
      return endpoint.handle({ ...input, caller: mistaken as typeof caller });
    },
  };
}

/** The faults that the matrix finds in an endpoint, with one caller of each class. */
export async function faultsOf(cast: Cast, endpoint: Endpoint): Promise<readonly string[]> {
  return faultsIn(cast, appOf(cast.service.ports, [endpoint]), rowsOf(endpoint));
}

/** The faults that the matrix finds in an application, in the first of these rows with any. */
export async function faultsIn(cast: Cast, app: RequestListener, rows: readonly Row[]): Promise<readonly string[]> {
  const wire = await listen(app);
  try {
    for (const row of rows) {
      const classes = Map.groupBy(callersOf(cast, row), ({ column }) => column).values();
      const faults = await judgeRow(
        cast,
        row,
        wire,
        [...classes].flatMap((callers) => callers.slice(0, 1)),
      );
      if (faults.length > 0) return faults;
    }
    return [];
  } finally {
    await wire.close();
  }
}

export function rowsOf(endpoint: Pick<Endpoint, 'method' | 'path'>): readonly Row[] {
  return ROWS.filter(({ operation }) => operation === nameOf(endpoint));
}

export function appOf(ports: Ports, endpoints: readonly Endpoint[] = endpointsOf(ports)) {
  const settings = { publicUrl: PAGES, allowedHosts: ['127.0.0.1'] };
  return createApp({
    endpoints,
    admit: (request) => admitRequest(ports, request),
    networkHash: (network) => network,
    noteAdminRefusal: async () => undefined,
    noteKeyRefusal: async () => undefined,
    factorRefusal: async () => null,
    log: { error: () => undefined, warn: () => undefined },
    pages: servicePages(endpoints, '0', async () => ({}), sessionCookieName(settings)),
    settings,
  });
}
