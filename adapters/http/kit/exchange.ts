import type { Request, Response } from 'express';
import { replyJson, type StreamedReply } from '../../../application/json-text.ts';
import type { Admitted, QuotaState, RequestToAdmit } from '../../../application/quotas/admit-request.ts';
import type { BarredKey } from '../../../domain/accounts/keys/api-key.ts';
import type { ActionSource } from '../../../domain/accounts/security-event.ts';
import { type OptionalPart, Problem, type ProblemCode } from '../../../domain/problem.ts';
import type { RateState } from '../../../domain/quotas/admission.ts';
import { actionSource } from './caller/client-network.ts';
import type { CredentialRules } from './caller/credentials.ts';
import type { Credential, Endpoint, HeaderValue } from './endpoint.ts';
import { ClientGone } from './input/read-body.ts';
import { isFault, problemOf } from './reply/faults.ts';
import {
  DATA_HEADERS,
  envelope,
  limitHeaders,
  refusalHeaders,
  requestIdOf,
  uncountable,
  uncounted,
} from './reply/headers.ts';
import { type PushedReply, push } from './reply/pushed-reply.ts';
import { sendPieces } from './reply/send-pieces.ts';

export interface HttpLog {
  error(message: string, fields: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** One answered request, for the log and the metrics. */
export type Served = {
  readonly request_id: string;
  readonly method: string;
  /** The route pattern of the endpoint or page, never the path as sent; null if the path is not served. */
  readonly route: string | null;
  readonly status: number;
  readonly duration_ms: number;
  /** The code of a refusal. */
  readonly code?: ProblemCode;
};

/**
 * Judges credential, rate and pool of a request under /api/v1, and counts it. It may throw a Problem, such as
 * SERVICE_UNAVAILABLE, whose message must not contain any part of the credential.
 */
export type Admit = (request: RequestToAdmit) => Promise<Admitted>;

/** Writes down that a request to the admin area was refused; the owner of its credential, where it has one. */
export type NoteAdminRefusal = (owner_id: string | null, source: ActionSource) => Promise<void>;

/** The refusal of an owner whose credential was got without the second factor that the area needs; null where none is. */
export type FactorRefusal = (
  area: 'admin' | 'owner',
  owner_id: string,
  credential: Credential,
) => Promise<Problem | null>;

/** Writes down that the bounds of a key refused a request. */
export type NoteKeyRefusal = (barred: BarredKey, source: ActionSource) => Promise<void>;

/** The disk of the database, as this process sees it. */
export interface DiskGate {
  /** The refusal of a request that adds to the stored data; null while there is room. */
  refusal(): Problem | null;
  /** Takes notice of a fault, which may say that the disk is full. */
  note(fault: unknown): void;
}

export interface Services {
  readonly admit: Admit;
  /** Requests per minute of an address, for replies that were not counted; default: the contract's. */
  readonly addressPerMinute: number | undefined;
  readonly log: HttpLog;
  readonly observe?: ((served: Served) => void) | undefined;
  /** The parts of the service that are set up; default: all. */
  readonly parts?: ReadonlySet<OptionalPart> | undefined;
  readonly credentials: CredentialRules;
  /** The client's address; behind trusted proxies, the address that they report. */
  readonly address: (request: Request) => string;
  /** Whether the admin area is served to a client's address. */
  readonly inAdminNetworks: (address: string) => boolean;
  /** Headers of every reply where browsers see https, as name, value. */
  readonly strictTransport: readonly string[];
  readonly networkHash: (network: string) => string;
  readonly noteAdminRefusal: NoteAdminRefusal;
  readonly noteKeyRefusal: NoteKeyRefusal;
  readonly factorRefusal: FactorRefusal;
  readonly disk: DiskGate | undefined;
}

export interface Content {
  readonly status: number;
  readonly type?: string | undefined;
  readonly body?: string | Uint8Array | undefined;
  readonly headers?: Readonly<Record<string, HeaderValue>> | undefined;
}

/** One request with its response: what is known so far for the headers, and the only functions that send a reply. */
export class HttpExchange {
  readonly requestId: string;
  readonly request: Request;
  readonly response: Response;
  /** Once the request has been judged. */
  admission: Admitted | null = null;
  private uncountable: RateState | null = null;
  private givenBack: QuotaState | null = null;
  private readonly services: Services;
  private readonly endpoint: Endpoint | null;
  private readonly begin = performance.now();

  constructor(request: Request, response: Response, services: Services, endpoint: Endpoint | null) {
    this.requestId = requestIdOf(request);
    this.request = request;
    this.response = response;
    this.services = services;
    this.endpoint = endpoint;
  }

  /** Where the request comes from, for the security events that it causes. */
  get source(): ActionSource {
    const { address, networkHash } = this.services;
    return actionSource(this.request, this.requestId, address(this.request), networkHash);
  }

  /** Takes over what the exchange of a part of this request was counted as, for the headers of this reply. */
  adopt(part: HttpExchange): void {
    this.admission = part.admission;
    this.givenBack = part.givenBack;
    this.uncountable = part.uncountable;
  }

  /**
   * Returns the unit of a request that is refused after it was admitted. It runs before the reply, so that the headers
   * are right. If that fails the unit stays spent.
   */
  async giveBack(): Promise<void> {
    const { admission, response } = this;
    if (admission === null || response.headersSent) return;
    try {
      this.givenBack = await admission.giveBack();
    } catch (error) {
      this.report(error, problemOf(error));
    }
  }

  /** Writes the whole response at once; `own` headers, lower-case, replace common ones. */
  send(content: Content, common: readonly string[] = DATA_HEADERS, code?: ProblemCode): void {
    this.sendHead(content, common);
    this.response.end(content.body);
    this.observe(content.status, code);
  }

  /** Sends the reply piece by piece; it is observed when it ends. @throws what the first piece throws, before the head */
  async stream(content: Omit<Content, 'body'>, reply: StreamedReply, common = DATA_HEADERS): Promise<void> {
    const { request, response } = this;
    const first = await reply.pieces.next();
    this.sendHead(content, common);
    if (first.done || request.method === 'HEAD') {
      await reply.pieces.return(undefined);
      response.end();
    } else {
      const onCut = (reason: string) =>
        this.services.log.warn('A reader of a streamed reply was cut off', { ...this.about, reason });
      await sendPieces(response, first.value, reply, onCut).catch((error: unknown) =>
        this.report(error, problemOf(error)),
      );
    }
    this.observe(content.status);
  }

  /** Sends the head and then what the reply pushes. It is observed at its head: how long it goes on is up to the client. */
  push(content: Omit<Content, 'body'>, reply: PushedReply): void {
    this.sendHead(content, DATA_HEADERS);
    this.observe(content.status);
    if (this.request.method === 'HEAD') {
      reply.discard();
      this.response.end();
    } else push(this.response, reply);
  }

  private sendHead({ status, type, body, headers }: Content, common: readonly string[]): void {
    const { admission, services } = this;
    const rate = admission?.rate ?? this.uncountable ?? uncounted(services.addressPerMinute);
    const quota = this.givenBack ?? admission?.quota ?? null;
    const fields = [
      'x-request-id',
      this.requestId,
      ...limitHeaders(rate, quota, admission?.at),
      ...services.strictTransport,
    ];
    if (type !== undefined) fields.push('content-type', type);
    if (body !== undefined) fields.push('content-length', String(Buffer.byteLength(body)));
    if (headers) addOwn(fields, common, headers);
    else fields.push(...common);
    this.response.writeHead(status, fields);
  }

  private observe(status: number, code?: ProblemCode): void {
    const { observe } = this.services;
    if (!observe) return;
    const { requestId: request_id, request } = this;
    const duration_ms = Math.round((performance.now() - this.begin) * 1_000) / 1_000;
    const route = this.endpoint?.path ?? request.route?.path ?? null;
    observe({ request_id, method: request.method, route, status, duration_ms, ...(code && { code }) });
  }

  /** Answers any error with the envelope; faults are logged with the request id and never shown. */
  refuse(error: unknown): void {
    if (error instanceof ClientGone) return;
    const problem = problemOf(error);
    this.report(error, problem);
    if (this.response.headersSent) {
      this.response.destroy();
      return;
    }
    if (isFault(error) || problem.code === 'SERVICE_UNAVAILABLE') {
      this.uncountable = uncountable(problem.retry_after_seconds, this.services.addressPerMinute);
    }
    const headers = refusalHeaders(problem);
    const own = problem instanceof HttpRefusal ? problem.headers : {};
    this.send(
      {
        status: problem.status,
        type: 'application/json; charset=utf-8',
        body: replyJson(envelope(problem, this.requestId, this.services.parts)),
        headers: own,
      },
      [...DATA_HEADERS, ...headers],
      problem.code,
    );
  }

  private get about() {
    return { request_id: this.requestId, endpoint: this.endpoint?.id ?? null };
  }

  private report(error: unknown, problem: Problem): void {
    const { log } = this.services;
    const about = { ...this.about, code: problem.code };
    if (isFault(error)) {
      this.services.disk?.note(error);
      log.error('A request failed', { ...about, error: problem.cause ?? error });
    } else if (this.endpoint && !canRefuseWith(this.endpoint, problem)) log.warn('An undeclared refusal', about);
  }
}

/** A Problem that needs response headers of its own, such as Allow. */
export class HttpRefusal extends Problem {
  headers: Readonly<Record<string, HeaderValue>> = {};
}

/** The codes with which the kit may refuse on any endpoint. */
const BY_THE_KIT: readonly string[] = [
  'MALFORMED_BODY',
  'VALIDATION_ERROR',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'UNAUTHORIZED',
  'KEY_EXPIRED',
  'KEY_NETWORK_REFUSED',
  'FORBIDDEN',
  'ACCOUNT_SUSPENDED',
  'ADMIN_REQUIRED',
  'FACTOR_REQUIRED',
  'KEY_UNBOUND',
  'CROSS_ORIGIN_SESSION',
  'RATE_LIMIT_EXCEEDED',
  'DAILY_QUOTA_EXCEEDED',
  'SERVICE_UNAVAILABLE',
  'INTERNAL_ERROR',
];

function canRefuseWith({ problems }: Endpoint, { code }: Problem): boolean {
  return problems.includes(code) || BY_THE_KIT.includes(code);
}

function addOwn(fields: string[], common: readonly string[], own: Readonly<Record<string, HeaderValue>>): void {
  for (let i = 0; i + 1 < common.length; i += 2) {
    const name = common[i] ?? '';
    if (!Object.hasOwn(own, name)) fields.push(name, common[i + 1] ?? '');
  }
  for (const [name, value] of Object.entries(own)) {
    for (const one of Array.isArray(value) ? value : [value]) fields.push(name, String(one));
  }
}
