import type { Request, Response } from 'express';
import { z } from 'zod';
import { jsonOf } from '../../../application/json-text.ts';
import { cookieOf, credentialRefusal, presentedCredential } from './caller/credentials.ts';
import { ownOrigin } from './caller/origin.ts';
import { admitTo } from './caller/request-admission.ts';
import type { AnyReply, Auth, Endpoint, Input, Permission } from './endpoint.ts';
import { type Content, HttpExchange, type Services } from './exchange.ts';
import { inputReader } from './input/read-input.ts';
import { sharedReply } from './reply/shared-reply.ts';

/**
 * The Express handler of an endpoint: credential, rate and pool, shape, use case in this order (settled.md section 4).
 */
export function serveEndpoint(endpoint: Endpoint, services: Services): (request: Request, response: Response) => void {
  const readInput = inputReader(endpoint);
  const contentOf = replyWriter(endpoint);
  return (request, response) => {
    void answer(new HttpExchange(request, response, services, endpoint));
  };

  async function answer(exchange: HttpExchange): Promise<void> {
    try {
      const { request } = exchange;
      const { credentials, address } = services;
      const head = readInput(request);
      const credential = presentedCredential(request, credentials);
      const caller = await admitTo(endpoint, exchange, services, credential, head);
      const refusal = credentialRefusal(request, endpoint, credential, caller, credentials);
      if (refusal) throw refusal;
      const parts = await head.readAll();
      const visit = {
        requestId: exchange.requestId,
        get address() {
          return address(request);
        },
        get origin() {
          return ownOrigin(request, credentials);
        },
        credential,
        cookie: (name: string) => cookieOf(request, name),
        sessionCookie: credentials.sessionCookie,
      };
      const input = Object.assign(visit, parts, { caller });
      const reply = await endpoint.handle(input as Input<Auth, Permission, unknown, unknown, unknown, unknown>);
      const content = sharedReply(endpoint, request, contentOf(reply));
      if (content.status >= 400) await exchange.giveBack();
      exchange.send(content);
    } catch (error) {
      await exchange.giveBack();
      exchange.refuse(error);
    }
  }
}

/**
 * The reply in the form in which it is sent. Its schema is a whitelist: an undeclared member is a fault of the service;
 * the reply is then 500, and the member is never sent.
 */
function replyWriter(endpoint: Endpoint): (reply: AnyReply) => Content {
  const compiled = new Map<number, z.ZodType>();
  return ({ status, headers, body }) => {
    const definition = endpoint.replies[status];
    if (!definition) throw new Error(`${endpoint.id} declares no reply ${status}`);
    const { schema, contentType = 'application/json; charset=utf-8' } = definition;
    if (!schema) return { status, headers };
    const writer = compiled.get(status) ?? z.compile(schema);
    compiled.set(status, writer);
    const result = writer.safeParse(body);
    if (!result.success)
      throw new Error(`${endpoint.id} replied ${status} against its schema: ${placesOf(result.error)}`);
    const { data } = result;
    const isText = typeof data === 'string' || data instanceof Uint8Array;
    return { status, headers, type: contentType, body: definition.contentType && isText ? data : jsonOf(data) };
  };
}

/** Place and kind of each fault without the values, which may be another owner's. */
function placesOf({ issues }: z.ZodError): string {
  return issues.map(({ path, code }) => `${path.join('.') || 'the body'} ${code}`).join(', ');
}
