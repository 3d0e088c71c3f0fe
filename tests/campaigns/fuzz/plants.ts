import type { Received } from '../stage/receive.ts';
import type { Send } from './send.ts';

/** A service with one fault: it changes requests or replies of the real one. */
export interface Plant {
  /** The operations that requests go to; by default all. */
  readonly of?: RegExp;
  /** Matches the finding that it must cause. */
  readonly found: RegExp;
  plant(send: Send): Send;
}

/** The campaign must find each of them. */
export const PLANTS: Readonly<Record<string, Plant>> = {
  'an undocumented status': {
    found: /the status 418 is not documented/,
    plant: answering((received) => (received.status === 200 ? { ...received, status: 418 } : received)),
  },
  'an undocumented code': {
    found: /is not documented/,
    plant: answering((received) => withText(received, (text) => text.replace('"UNAUTHORIZED"', '"EMAIL_TAKEN"'))),
  },
  'a missing header': {
    found: /no header x-quota-remaining/,
    plant: answering(({ headers: { 'x-quota-remaining': _removed, ...headers }, ...rest }) => ({ ...rest, headers })),
  },
  'an additional member': {
    found: /does not fit/,
    plant: answering((received) =>
      withText(received, (text) => text.replace(/^\{"items":/, '{"owner_id":"x","items":')),
    ),
  },
  'a failure': {
    found: /a failure|500 NOT_FOUND is not documented/,
    plant: answering((received) => (received.status === 404 ? { ...received, status: 500 } : received)),
  },
  'another content type': {
    found: /of another content type/,
    plant: answering((received) => ({ ...received, headers: { ...received.headers, 'content-type': 'text/html' } })),
  },
  'accepts unknown members': {
    found: /what the document forbids is accepted/,
    plant: (send) => (sent) => send({ ...sent, body: sent.body && withoutUnknown(sent.body) }),
  },
  'refuses what is allowed': {
    found: /what the document allows is refused/,
    plant: answering((received) =>
      received.status === 201 ? { ...received, status: 400, body: Buffer.from(REFUSAL) } : received,
    ),
  },
  'admits callers without a credential': {
    found: /is admitted|the status 204 is not documented/,
    plant: answering((received) =>
      received.status === 401 ? { ...received, status: 204, body: Buffer.alloc(0) } : received,
    ),
  },
  'a tool that takes null for a key': {
    of: /^submit_decision$/,
    found: /a key that was not sent is used again/,
    plant: asking((text) => text.replace('"idempotency_key":null', '"idempotency_key":"none-was-sent"')),
  },
  'a tool that takes any text for a number': {
    of: /^(list|find|query)_/,
    found: /what the document forbids is accepted/,
    plant: asking((text) => text.replaceAll(NO_NUMBER, '"$1":5')),
  },
  'a refusal by a tool without isError': {
    of: /^get_/,
    found: /no structured content/,
    plant: answering((received) => withText(received, (text) => text.replace(',"isError":true', ''))),
  },
  'a result of a tool that does not fit': {
    of: /^list_/,
    found: /structured content does not fit/,
    plant: answering((received) =>
      withText(received, (text) =>
        text.replace('"structuredContent":{"items":', '"structuredContent":{"owner_id":1,"items":'),
      ),
    ),
  },
  'never answers': { found: /no answer/, plant: () => () => Promise.reject(new Error('gone')) },
};

/** A text in place of a number that stands for none: docs/mcp.md. */
const NO_NUMBER = /"(limit|per_page)":"(?!-?\d|"|[tTfF]|\s*[[{])(?:[^"\\]|\\.)*"/g;

const REFUSAL = JSON.stringify({
  error: {
    code: 'VALIDATION_ERROR',
    category: 'input_invalid',
    message: 'No.',
    suggestion: 'No.',
    retry_after_seconds: null,
    request_id: 'x',
    details: [{ path: 'market', message: 'is not accepted' }],
  },
});

function answering(change: (received: Received) => Received): (send: Send) => Send {
  return (send) => async (sent) => change(await send(sent));
}

function asking(change: (text: string) => string): (send: Send) => Send {
  return (send) => (sent) => send({ ...sent, body: sent.body && changedText(sent.body, change) });
}

/** Bytes that are not UTF-8 stay as they are. */
function changedText(body: Buffer, change: (text: string) => string): Buffer {
  const text = body.toString();
  return Buffer.from(text).equals(body) ? Buffer.from(change(text)) : body;
}

function withText(received: Received, change: (text: string) => string): Received {
  return { ...received, body: Buffer.from(change(received.body.toString())) };
}

/** Removes unknown members, which the campaign adds last and with the value 1. */
function withoutUnknown(body: Buffer): Buffer {
  return Buffer.from(body.toString().replaceAll(/,"[^"]*":1(?=\})/g, ''));
}
