import type { ResponseConfig } from '@asteasolutions/zod-to-openapi';
import type { Endpoint, ReplyDefinition } from '../kit/endpoint.ts';
import { documentedReplies } from '../kit/reply/shared-reply.ts';
import { commonHeaders } from './components.ts';
import type { SchemaComponents } from './schemas.ts';

/** The successful replies of an endpoint, by status. */
export function repliesOf(endpoint: Endpoint, schemas: SchemaComponents): Record<string, ResponseConfig> {
  const replies = Object.entries(documentedReplies(endpoint));
  return Object.fromEntries(replies.map(([status, reply]) => [status, replyOf(reply, schemas)]));
}

function replyOf(reply: ReplyDefinition, schemas: SchemaComponents): ResponseConfig {
  const { description, schema, example, contentType = 'application/json', otherTypes = [] } = reply;
  const own = Object.entries(reply.headers ?? {}).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' as const } },
  ]);
  const headers = { ...commonHeaders(), ...Object.fromEntries(own) };
  if (!schema) return { description, headers };
  const isJson = contentType.startsWith('application/json');
  const media = isJson
    ? { schema: schemas.sent(schema), ...(example === undefined ? {} : { example: asSent(example) }) }
    : { schema: { type: 'string' as const }, ...(typeof example === 'string' ? { example } : {}) };
  const others = otherTypes.map((type) => [withoutParameters(type), { schema: { type: 'string' as const } }]);
  return { description, headers, content: { [withoutParameters(contentType)]: media, ...Object.fromEntries(others) } };
}

function withoutParameters(mediaType: string): string {
  return mediaType.replace(/;.*/, '');
}

/** The example in its JSON form: Dates as text, absent members left out. */
export function asSent(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
