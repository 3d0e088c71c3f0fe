import { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import type { Endpoint } from './endpoint.ts';
import { HttpExchange, type Services } from './exchange.ts';
import type { InputFault } from './input/input-faults.ts';
import { ClientGone } from './input/read-body.ts';
import { endpointAnswer } from './serve-endpoint.ts';

/** The parts of a request to an endpoint, as texts. */
export interface EndpointCall {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** In addition to those of the enclosing request; lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: string;
  /** What the other protocol cannot write as texts; the endpoint refuses it at the place where it judges its input. */
  readonly faults?: readonly InputFault[];
}

/** The reply of an endpoint, which may be a refusal with its envelope. */
export interface CalledReply {
  readonly status: number;
  readonly body: string | Uint8Array;
}

/** What an endpoint may read of the enclosing request. Cookies are not among them. */
const PASSED_ON = ['x-api-key', 'authorization', 'user-agent', 'host'] as const;

/**
 * Calls an endpoint inside a request of another protocol: the same code admits, counts, judges and answers it as over
 * HTTP. The enclosing exchange takes over how the call was counted. The call is logged as the enclosing request.
 */
export function endpointCaller(endpoint: Endpoint, services: Services) {
  const quiet = { ...services, observe: undefined };
  const answer = endpointAnswer(endpoint, quiet);
  return async (outer: HttpExchange, call: EndpointCall): Promise<CalledReply> => {
    const response = new CapturedResponse();
    const inner = new HttpExchange(
      innerRequest(outer, endpoint, call),
      response as unknown as Response,
      quiet,
      endpoint,
    );
    await answer(inner, call.faults);
    outer.adopt(inner);
    if (response.captured === null) throw new ClientGone();
    return response.captured;
  };
}

function innerRequest({ request, requestId }: HttpExchange, { method, path }: Endpoint, call: EndpointCall): Request {
  const { params = {}, query = {}, headers = {}, body = '' } = call;
  const bytes = Buffer.from(body);
  const passed = PASSED_ON.flatMap((name) =>
    request.headers[name] === undefined ? [] : [[name, request.headers[name]]],
  );
  const ofBody = body === '' ? {} : { 'content-type': 'application/json', 'content-length': String(bytes.length) };
  const search = new URLSearchParams(query).toString();
  return Object.assign(Readable.from(bytes.length > 0 ? [bytes] : []), {
    method,
    path,
    url: search === '' ? path : `${path}?${search}`,
    params,
    headers: { ...Object.fromEntries(passed), ...headers, ...ofBody, 'x-request-id': requestId },
    socket: request.socket,
    ip: request.ip,
  }) as unknown as Request;
}

/** Stands for the response of a call: it holds what an exchange sends. */
class CapturedResponse {
  captured: CalledReply | null = null;
  headersSent = false;
  private status = 0;

  writeHead(status: number): void {
    this.headersSent = true;
    this.status = status;
  }

  end(body: string | Uint8Array = ''): void {
    this.captured = { status: this.status, body };
  }

  /** An exchange destroys the response when it fails after the head; nothing was sent here. */
  destroy(): void {
    this.captured = null;
  }
}
