import type { Request, Response } from 'express';
import { replyJson, StreamedReply, WrittenReply } from '../../../application/json-text.ts';
import { urgently } from '../../../application/pause.ts';
import { clientAddress, clientNetwork } from './caller/client-network.ts';
import { cookieOf, ownOrigin, presentedCredential } from './caller/credentials.ts';
import { admitTo, refuseCredential } from './caller/request-admission.ts';
import type { AnyReply, Auth, Endpoint, Input, Permission } from './endpoint.ts';
import { type Content, HttpExchange, type Services } from './exchange.ts';
import type { InputFault } from './input/input-faults.ts';
import { inputReader } from './input/read-input.ts';
import { checkedBy, PushedReply } from './reply/pushed-reply.ts';
import { sharedReply } from './reply/static-reply.ts';

/**
 * The Express handler of an endpoint: credential, rate and pool, shape, use case in this order (settled.md section 4).
 */
export function serveEndpoint(endpoint: Endpoint, services: Services): (request: Request, response: Response) => void {
  const answer = endpointAnswer(endpoint, services);
  return (request, response) => {
    void answer(new HttpExchange(request, response, services, endpoint));
  };
}

/** Answers an exchange of the endpoint; it never rejects. @returns also takes faults that were found before, see `inputReader` */
export function endpointAnswer(
  endpoint: Endpoint,
  services: Services,
): (exchange: HttpExchange, faults?: readonly InputFault[]) => Promise<void> {
  const readInput = inputReader(endpoint);
  const contentOf = replyWriter(endpoint);
  // Not while the body arrives, which may take a slow client long.
  const withHaste: <T>(work: Promise<T> | T) => Promise<T> | T = endpoint.isUrgent ? urgently : (work) => work;
  return answer;

  async function answer(exchange: HttpExchange, faults?: readonly InputFault[]): Promise<void> {
    try {
      const { request } = exchange;
      const { credentials, address } = services;
      const head = readInput(request, faults);
      const credential = presentedCredential(request, credentials);
      const caller = await withHaste(admitTo(endpoint, exchange, services, credential, head));
      await refuseCredential(endpoint, exchange, services, credential, caller);
      refuseGrowth(endpoint, services);
      const parts = await head.readAll();
      const visit = {
        requestId: exchange.requestId,
        isHead: request.method === 'HEAD',
        get network() {
          return clientNetwork(address(request));
        },
        get from() {
          return clientAddress(address(request));
        },
        prefers: (type: string) => preferredType(request, type),
        get source() {
          return exchange.source;
        },
        get origin() {
          return ownOrigin(request, credentials);
        },
        host: request.headers.host ?? '',
        credential,
        cookie: (name: string) => cookieOf(request, name),
        sessionCookie: credentials.sessionCookie,
      };
      const input = Object.assign(visit, parts, { caller });
      const reply = await withHaste(
        endpoint.handle(input as Input<Auth, Permission, unknown, unknown, unknown, unknown>),
      );
      const { body } = reply;
      if (body instanceof PushedReply) return exchange.push(headOf(endpoint, reply, body), body);
      if (body instanceof StreamedReply) return await exchange.stream(headOf(endpoint, reply, body), body);
      const content = sharedReply(endpoint, request, contentOf(reply));
      if (content.status >= 400) await exchange.giveBack();
      exchange.send(content);
    } catch (error) {
      await exchange.giveBack();
      exchange.refuse(error);
    }
  }
}

/** @throws Problem SERVICE_UNAVAILABLE while the disk has too little room for what the endpoint adds */
function refuseGrowth({ grows }: Endpoint, { disk }: Services): void {
  const refusal = grows ? (disk?.refusal() ?? null) : null;
  if (refusal) throw refusal;
}

/** The status and headers of a reply whose body is a stream. */
function headOf(
  { id, replies }: Endpoint,
  { status, headers }: AnyReply,
  stream: StreamedReply | PushedReply,
): Omit<Content, 'body'> {
  const { contentType, otherTypes = [] } = replies[status] ?? {};
  const type = stream.contentType ?? contentType;
  if (type === undefined || (type !== contentType && !otherTypes.includes(type))) {
    throw new Error(`${id} does not declare the content type ${type} for the stream of the reply ${status}`);
  }
  return { status, headers, type };
}

/** The reply in the form in which it is sent; one against its schema is 500. */
function replyWriter(endpoint: Endpoint): (reply: AnyReply) => Content {
  const checks = new Map(
    Object.entries(endpoint.replies).flatMap(([status, { schema }]) =>
      schema ? [[Number(status), checkedBy(schema, `${endpoint.id}: the reply ${status}`)] as const] : [],
    ),
  );
  return ({ status, headers, body }) => {
    const definition = endpoint.replies[status];
    if (!definition) throw new Error(`${endpoint.id} declares no reply ${status}`);
    const { contentType: type = 'application/json; charset=utf-8' } = definition;
    if (body instanceof WrittenReply) return { status, headers, type, body: body.json };
    const checked = checks.get(status);
    if (!checked) return { status, headers };
    const data = checked(body);
    const isText = typeof data === 'string' || data instanceof Uint8Array;
    return { status, headers, type, body: definition.contentType && isText ? data : replyJson(data) };
  };
}

/** Whether the client wants this media type rather than JSON, which it gets wherever it names neither. */
function preferredType(request: Request, type: string): boolean {
  return request.headers.accept !== undefined && request.accepts(['application/json', type]) === type;
}
