import { z } from 'zod';
import { type Auth, type Endpoint, endpoint } from '../../adapters/http/kit/endpoint.ts';
import { instant, queryBoolean, queryInteger, timestamp } from '../../adapters/http/kit/input/query-values.ts';
import type { Caller } from '../../domain/caller.ts';
import { Problem } from '../../domain/problem.ts';

export const AGENT: Caller = {
  credential: 'api_key',
  owner_id: 'owner-1',
  agent_id: 'agt_000000000001',
  key_prefix: 'sbk_12345678',
  permission_mode: 'read_write',
  tier: 'free',
};
export const READER: Caller = { ...AGENT, key_prefix: 'sbk_readonly', permission_mode: 'read_only' };
export const UNBOUND: Caller = { ...AGENT, key_prefix: 'sbk_unbound0', agent_id: null };
export const OWNER: Caller = { credential: 'legacy_session', owner_id: 'owner-1', role: 'owner', tier: 'free' };
export const ADMIN: Caller = { credential: 'owner_bearer', owner_id: 'owner-2', role: 'admin', tier: 'pro' };

const note = z.strictObject({ id: z.string(), text: z.string(), at: instant() });

/** Writes notes: an endpoint that uses every part of a declaration. */
export const writeNote: Endpoint = endpoint({
  id: 'writeNote',
  method: 'POST',
  path: '/api/v1/agent/notes/{note_id}',
  summary: 'Write a note',
  description: 'Keeps a note of an agent.',
  tag: 'Notes',
  auth: ['api_key'],
  permission: 'submit',
  params: z.strictObject({
    note_id: z
      .string()
      .regex(/^n\d+$/, { error: 'must be n and digits' })
      .meta({ description: 'The note', example: 'n1' }),
  }),
  query: z.strictObject({
    dry: queryBoolean().optional().meta({ description: 'Keep nothing' }),
    copies: queryInteger(0, 10).optional().meta({ description: 'How many copies', example: '1' }),
  }),
  headers: z.object({ 'idempotency-key': z.string().min(1).max(255).optional() }),
  body: {
    schema: z.strictObject({
      text: z.string().min(1).max(20),
      at: timestamp(),
      kind: z.enum(['plain', 'urgent']).default('plain'),
      weight: z.int32().min(0).optional(),
      factors: z.array(z.union([z.string(), z.strictObject({ factor: z.string() })])).optional(),
      meta: z.record(z.string(), z.json()).optional(),
    }),
    example: { text: 'Hello', at: '2026-01-30T14:30:00Z' },
    limit: 2_048,
  },
  replies: {
    201: {
      description: 'The note is kept',
      schema: note,
      example: { id: 'n1', text: 'Hello', at: new Date('2026-01-30T14:30:00Z') },
      headers: { location: 'Where it can be read' },
    },
    204: { description: 'Nothing was kept' },
  },
  problems: ['VERSION_CONFLICT'],
  valueStatus: 422,
  async handle({ params, query, body, headers, caller, rawBody }) {
    if (query.dry) return { status: 204 };
    if (body.text === 'conflict') throw new Problem('VERSION_CONFLICT', 'It moved.');
    const text = [body.text, body.kind, query.copies, headers['idempotency-key'], caller.agent_id, rawBody.length];
    const reply = { id: params.note_id, text: text.join(' '), at: body.at };
    const leaky = body.text === 'leak' ? { ...reply, owner_id: caller.owner_id } : reply;
    return { status: 201, headers: { location: `/api/v1/agent/notes/${params.note_id}` }, body: leaky };
  },
});

/** An endpoint that throws the given error. */
export function failing(error: () => unknown, auth: Auth = 'none'): Endpoint {
  return endpoint({
    id: 'fail',
    method: 'GET',
    path: '/api/v1/public/failure',
    summary: 'Fail',
    description: 'Fails.',
    tag: 'Notes',
    auth,
    replies: {
      200: { description: 'It did not fail', schema: z.strictObject({ ok: z.boolean() }), example: { ok: true } },
    },
    problems: ['DAILY_QUOTA_EXCEEDED'],
    handle() {
      const thrown = error();
      if (thrown !== undefined) throw thrown;
      return { status: 200, body: { ok: true } };
    },
  });
}
