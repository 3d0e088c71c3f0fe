import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { isInNetwork, parseAddress, parseNetwork } from '../../../domain/networks.ts';
import { type OptionalPart, Problem } from '../../../domain/problem.ts';
import { bareAddress } from './caller/client-network.ts';
import type { Endpoint } from './endpoint.ts';
import {
  type Admit,
  type DiskGate,
  type FactorRefusal,
  HttpExchange,
  type HttpLog,
  type NoteAdminRefusal,
  type NoteKeyRefusal,
  type Served,
  type Services,
} from './exchange.ts';
import { ALWAYS_SENT } from './reply/headers.ts';
import { serveEndpoint } from './serve-endpoint.ts';
import { type MissingPage, type Mount, refuseUnrouted, type ServedPage, unmatched } from './unmatched.ts';

const REQUEST_HEADERS = [
  'Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, X-API-Key, X-Request-Id',
  'Mcp-Protocol-Version, Mcp-Method, Mcp-Name',
].join(', ');
/**
 * With `date`, clients in pages count waits from the time of the reply, as other clients do; with `www-authenticate` they
 * learn what to ask the identity provider for.
 */

const SHOWN = [
  'date',
  'idempotency-replayed',
  'location',
  'retry-after',
  'www-authenticate',
  'etag',
  ...ALWAYS_SENT,
].join(', ');

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';

const PREFLIGHT_SECONDS = '600';

/** Probes know only an address; /metrics has a rule of its own. */
const OF_ANY_HOST: readonly string[] = ['/healthz', '/readyz', '/metrics'];

export interface AppParts {
  readonly endpoints: readonly Endpoint[];
  /** The pages outside the contract. */
  readonly pages: readonly ServedPage[];
  /** Other protocols than the contract's, each at a path of its own; default none. */
  readonly mounts?: readonly Mount[];
  /** For browsers at other paths; without it they get the envelope of programs. */
  readonly missing?: MissingPage;
  readonly admit: Admit;
  /** The keyed hash of a client's network, for security events. */
  readonly networkHash: (network: string) => string;
  readonly noteAdminRefusal: NoteAdminRefusal;
  readonly noteKeyRefusal: NoteKeyRefusal;
  readonly factorRefusal: FactorRefusal;
  /** Default: always room. */
  readonly disk?: DiskGate;
  readonly log: HttpLog;
  /** The parts of the service that suggestions may name; default: all. */
  readonly parts?: ReadonlySet<OptionalPart>;
  readonly settings: HttpSettings;
  readonly observe?: (served: Served) => void;
}

export interface HttpSettings {
  /** The origin that browsers see; https decides the name of the session's cookie. */
  readonly publicUrl?: string;
  /** Host names in addition to that of `publicUrl`; without `publicUrl` every host is served. */
  readonly allowedHosts?: readonly string[];
  /** Express's `trust proxy`: hops, or a list of addresses; default off. */
  readonly trustProxy?: number | string;
  /** The networks that the admin area is served to; default all. */
  readonly adminNetworks?: readonly string[];
  /** Requests per minute of an address; default: the contract's. */
  readonly addressPerMinute?: number;
  /** Origins whose pages may read replies; default none. */
  readonly corsOrigins?: readonly string[];
}

/** The cookie that carries the session (settled.md section 8). */
export function sessionCookieName({ publicUrl }: HttpSettings): string {
  return publicUrl?.startsWith('https:') ? '__Host-sid' : 'sid';
}

/** The HTTP application: the endpoints, the pages, and a refusal for every other request. */
export function createApp(parts: AppParts): Express {
  const { endpoints, pages, settings, mounts = [] } = parts;
  const app = bareApp(settings);
  const services = servicesOf(parts);
  const otherHost = otherHostRefusal(settings.publicUrl, settings.allowedHosts ?? []);
  if (otherHost) {
    app.use((request, response, next) => {
      const refusal = otherHost(request);
      if (refusal) new HttpExchange(request, response, services, null).refuse(refusal);
      else next();
    });
  }
  if (settings.corsOrigins?.length) app.use(cors(settings.corsOrigins));
  for (const endpoint of inRouteOrder(endpoints)) {
    const method = endpoint.method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
    app[method](expressPath(endpoint.path), serveEndpoint(endpoint, services));
  }
  for (const { path, render } of pages) {
    app.get(expressPath(path), (request, response) => {
      const exchange = new HttpExchange(request, response, services, null);
      render(request)
        .then(({ headers, stream, ...content }) =>
          stream ? exchange.stream(content, stream, headers) : exchange.send(content, headers),
        )
        .catch((error: unknown) => exchange.refuse(error));
    });
  }
  for (const { path, answering } of mounts) {
    const answer = answering(services);
    app.all(path, (request, response, next) => {
      if (request.method === 'OPTIONS') next();
      else void answer(new HttpExchange(request, response, services, null));
    });
  }
  const answerRest = unmatched(servedPaths(endpoints, pages, mounts), services, parts.missing);
  app.use((request, response) => {
    void answerRest(new HttpExchange(request, response, services, null));
  });
  app.use((error: unknown, request: Request, response: Response, _next: unknown) => {
    void refuseUnrouted(new HttpExchange(request, response, services, null), services, error);
  });
  return app;
}

function bareApp({ trustProxy }: HttpSettings): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.enable('strict routing');
  app.enable('case sensitive routing');
  app.set('trust proxy', trustProxy ?? false);
  return app;
}

function servicesOf({
  admit,
  networkHash,
  noteAdminRefusal,
  noteKeyRefusal,
  factorRefusal,
  disk,
  log,
  observe,
  parts,
  settings,
}: AppParts): Services {
  const publicOrigin = settings.publicUrl === undefined ? undefined : new URL(settings.publicUrl).origin;
  const credentials = { sessionCookie: sessionCookieName(settings), publicOrigin };
  const address =
    settings.trustProxy === undefined
      ? (request: Request) => request.socket.remoteAddress ?? ''
      : (request: Request) => request.ip ?? '';
  const strictTransport = publicOrigin?.startsWith('https:') ? STRICT_TRANSPORT : [];
  const { addressPerMinute, adminNetworks } = settings;
  const inAdminNetworks = adminNetworks ? networkList(adminNetworks) : () => true;
  return {
    ...{ admit, addressPerMinute, log, observe, parts, credentials, strictTransport },
    ...{ address, inAdminNetworks, networkHash, noteAdminRefusal, noteKeyRefusal, factorRefusal, disk },
  };
}

/** For a year browsers use https alone for this host and those below it (ASVS 3.4.1, level 2). */
const STRICT_TRANSPORT = ['strict-transport-security', 'max-age=31536000; includeSubDomains'];

/** A literal segment takes precedence over a parameter; the endpoints of agents, the most frequent, come first. */
function inRouteOrder(endpoints: readonly Endpoint[]): Endpoint[] {
  const byPath = endpoints.toSorted((a, b) => (literalFirst(a) < literalFirst(b) ? -1 : 1));
  const [agents = [], others = []] = [true, false].map((isAgent) =>
    byPath.filter(({ path }) => path.startsWith('/api/v1/agent/') === isAgent),
  );
  return [...agents, ...others];
}

function literalFirst({ path }: Endpoint): string {
  return path.replaceAll('{', '\uffff');
}

function expressPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

function servedPaths(endpoints: readonly Endpoint[], pages: readonly ServedPage[], mounts: readonly Mount[]) {
  const others = [
    ...pages.map(({ path }) => ({ path, method: 'GET' })),
    ...mounts.map(({ path }) => ({ path, method: 'POST' })),
  ];
  const served = [...endpoints, ...others];
  const byPath = Map.groupBy(served, ({ path }) => path);
  return [...byPath].map(([path, group]) => ({ path, methods: group.map(({ method }) => method) }));
}

/**
 * Whether an address is in one of the networks, each an address or a network in CIDR form. A text that is no address is
 * in none.
 */
export function networkList(networks: readonly string[]): (sent: string) => boolean {
  const parsed = networks.map((text) => parseNetwork(text)).filter((network) => network !== null);
  return (sent) => {
    const address = parseAddress(bareAddress(sent));
    return address !== null && parsed.some((network) => isInNetwork(address, network));
  };
}

/** What the rule reads of a request. */
interface Addressed {
  readonly path: string;
  readonly headers: { readonly host?: string | undefined };
}

/**
 * The refusal of a request for another host than that of PUBLIC_URL and the further ones, whatever its port: a page of
 * another site, whose name was made to lead here, sends its own host (RFC 9110, section 15.5.20). Null without
 * PUBLIC_URL: every host is served then.
 */
function otherHostRefusal(
  publicUrl: string | undefined,
  further: readonly string[],
): ((request: Addressed) => Problem | undefined) | null {
  if (publicUrl === undefined) return null;
  const served = new Set([new URL(publicUrl).hostname, ...further]);
  return ({ path, headers: { host = '' } }) => {
    if (served.has(host.replace(/:\d*$/, '').toLowerCase()) || OF_ANY_HOST.includes(path)) return undefined;
    return new Problem('MISDIRECTED_REQUEST', `The host ${host.slice(0, 100) || '(none)'} is not served here.`, {
      suggestion: `Send requests to ${publicUrl}. A proxy in front of the service has to pass the header Host on unchanged.`,
    });
  };
}

/**
 * Allows pages of these origins to read replies; origins are compared exactly. Cookies are not allowed: a session works
 * from pages of this service only.
 */
function cors(origins: readonly string[]): RequestHandler {
  const allowed = new Set(origins);
  return (request, response, next) => {
    const { origin } = request.headers;
    response.setHeader('vary', 'Origin');
    if (origin !== undefined && allowed.has(origin)) {
      response.setHeader('access-control-allow-origin', origin);
      response.setHeader('access-control-expose-headers', SHOWN);
      if (request.method === 'OPTIONS') {
        response.setHeader('access-control-allow-methods', METHODS);
        response.setHeader('access-control-allow-headers', REQUEST_HEADERS);
        response.setHeader('access-control-max-age', PREFLIGHT_SECONDS);
      }
    }
    next();
  };
}
