import type { Request } from 'express';
import type { StreamedReply } from '../../../application/json-text.ts';
import { Problem } from '../../../domain/problem.ts';
import { admitUnrouted, admitUnroutedAdmin } from './caller/request-admission.ts';
import { type HttpExchange, HttpRefusal, type Services } from './exchange.ts';
import { nearest } from './input/input-messages.ts';
import { DATA_HEADERS } from './reply/headers.ts';

/** What an operator can do about a part. */
const REASONS: Readonly<Record<string, string>> = {
  disk: 'is nearly full: free space on the disk of the database; npm run admin -- status says how much',
};

/** A path that is served, with its methods. */
export interface ServedPath {
  readonly path: string;
  readonly methods: readonly string[];
}

const ADMIN_AREA = /^\/api\/v1\/admin(\/|$)/;

/**
 * Answers requests without a route: 404 with the nearest path, 405 with Allow, and OPTIONS; in the admin area first 403.
 * @param missing the 404 for browsers at paths outside the interface
 */
export function unmatched(
  paths: readonly ServedPath[],
  services: Services,
  missing?: MissingPage,
): (exchange: HttpExchange) => Promise<void> {
  const patterns = paths.map(({ path, methods }) => ({ pattern: patternOf(path), path, allow: allowed(methods) }));
  return async (exchange) => {
    try {
      const { method, path } = exchange.request;
      const matching = patterns.filter(({ pattern }) => pattern.test(path));
      const allow = [...new Set(matching.flatMap((served) => served.allow))].sort().join(', ');
      // A preflight carries no credential, so it is answered on every served path.
      const isPreflight = method === 'OPTIONS' && allow !== '';
      await (ADMIN_AREA.test(path) && !isPreflight ? admitUnroutedAdmin : admitUnrouted)(exchange, services);
      decodeURIComponent(path);
      if (allow === '' && missing && isForPeople(exchange.request)) return sendPage(exchange, missing, paths);
      if (allow === '') throw notFound(path, paths);
      if (method !== 'OPTIONS') throw methodNotAllowed(method, allow);
      exchange.send({ status: 204, headers: { allow } });
    } catch (error) {
      exchange.refuse(error instanceof URIError ? brokenPath() : error);
    }
  };
}

/** Answers errors of the router itself, such as a parameter that is not UTF-8. */
export async function refuseUnrouted(exchange: HttpExchange, services: Services, error: unknown): Promise<void> {
  try {
    await admitUnrouted(exchange, services);
    exchange.refuse(error instanceof URIError ? brokenPath() : error);
  } catch (refused) {
    exchange.refuse(refused);
  }
}

/** Whether a browser shows the reply to a person: it prefers HTML, and programs prefer JSON or nothing. */
function isForPeople(request: Request): boolean {
  const { method, path } = request;
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && !/^\/api(\/|$)/.test(path) && request.accepts(['json', 'html']) === 'html';
}

function sendPage(exchange: HttpExchange, missing: MissingPage, paths: readonly ServedPath[]): void {
  const { path } = exchange.request;
  const pages = paths.map((served) => served.path).filter((page) => !/^\/api\/|\{/.test(page));
  const { headers, ...content } = missing(path, nearest(path.slice(0, 200), pages));
  exchange.send(content, headers, 'NOT_FOUND');
}

function brokenPath(): Problem {
  return new Problem('VALIDATION_ERROR', 'The path is not valid percent-encoded UTF-8.', {
    suggestion: 'Percent-encode the path as UTF-8.',
  });
}

function patternOf(path: string): RegExp {
  const literal = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replace(/\{\w+\}/g, '[^/]+')}$`);
}

function allowed(methods: readonly string[]): string[] {
  return ['OPTIONS', ...methods, ...(methods.includes('GET') ? ['HEAD'] : [])];
}

function notFound(path: string, paths: readonly ServedPath[]): Problem {
  const close = nearest(
    path.slice(0, 200),
    paths.map((served) => served.path),
  );
  const suggestion = close ? `Did you mean ${close}?` : 'See /docs for the paths that are served.';
  return new Problem('NOT_FOUND', 'This path is not served.', { suggestion });
}

export function methodNotAllowed(method: string, allow: string): Problem {
  const refusal = new HttpRefusal('METHOD_NOT_ALLOWED', `${method} is not served here.`, {
    suggestion: `Use ${allow}.`,
  });
  refusal.headers = { allow };
  return refusal;
}

/** A path that is served outside the contract: GET only, without credentials, not rate limited. */
export interface ServedPage {
  /** With parameters in braces, like those of endpoints. */
  readonly path: string;
  render(request: Request): Promise<PageContent>;
}

/**
 * A path that is served by another protocol than the contract's, by POST only. It answers each exchange, of other methods
 * too, and never rejects.
 */
export interface Mount {
  readonly path: string;
  answering(services: Services): (exchange: HttpExchange) => Promise<void>;
}

export interface PageContent {
  readonly status: number;
  readonly type?: string;
  readonly body?: string | Uint8Array;
  /** Instead of a body: sent as it is made. */
  readonly stream?: StreamedReply;
  /** The common headers of this page, as name, value, name, value. */
  readonly headers: readonly string[];
}

/**
 * The reply to a browser at a path that is not served.
 * @param near the path of a page that the reader may have meant
 */
export type MissingPage = (path: string, near: string | undefined) => PageContent;

/**
 * One check for each part of the service. `false`, or a check that throws, means that the part cannot answer.
 * `degraded` means that it answers although work behind it is late; `off`, that it is not configured; `unguarded`, that the
 * evidence log goes on without a note of what was seen of it; `unwitnessed`, that it has no quorum of witnesses.
 */
export type ReadinessChecks = () => Promise<
  Readonly<Record<string, boolean | 'degraded' | 'off' | 'unguarded' | 'unwitnessed'>>
>;

/** /healthz: the process runs. /readyz: every part of the service can answer; 503 otherwise. */
export function healthPages(readiness: ReadinessChecks): readonly ServedPage[] {
  return [
    { path: '/healthz', render: async () => json({ status: 'alive' }) },
    { path: '/readyz', render: async () => readyContent(await readiness().catch(() => ({ service: false }))) },
  ];
}

function readyContent(checks: Awaited<ReturnType<ReadinessChecks>>): PageContent {
  const failing = Object.keys(checks).filter((part) => !checks[part]);
  const status = Object.values(checks).includes('degraded') ? 'degraded' : 'ready';
  if (failing.length === 0) return json({ status, checks });
  throw new Problem('SERVICE_UNAVAILABLE', 'The service is not ready.', {
    details: failing.map((part) => ({ path: part, message: REASONS[part] ?? 'is not ready' })),
  });
}

function json(body: unknown): PageContent {
  const type = 'application/json; charset=utf-8';
  return { status: 200, type, body: JSON.stringify(body), headers: DATA_HEADERS };
}
