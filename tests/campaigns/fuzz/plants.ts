import type { Received, Send } from './send.ts';

/** A service with one fault: what it would answer, changed on the way. */
export interface Plant {
  /** Begins the finding that it must lead to, behind the operation. */
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
  'a header less': {
    found: /no header x-quota-remaining/,
    plant: answering(({ headers: { 'x-quota-remaining': _left, ...headers }, ...rest }) => ({ ...rest, headers })),
  },
  'a member more': {
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
  'lets strangers in': {
    found: /is let in|the status 204 is not documented/,
    plant: answering((received) =>
      received.status === 401 ? { ...received, status: 204, body: Buffer.alloc(0) } : received,
    ),
  },
  'never answers': { found: /no answer/, plant: () => () => Promise.reject(new Error('gone')) },
};

const REFUSAL = JSON.stringify({
  error: {
    code: 'VALIDATION_ERROR',
    category: 'input_invalid',
    message: 'No.',
    suggestion: 'No.',
    retry_after_seconds: null,
    request_id: 'x',
    details: [{ path: 'market', message: 'is not liked' }],
  },
});

function answering(change: (received: Received) => Received): (send: Send) => Send {
  return (send) => async (sent) => change(await send(sent));
}

function withText(received: Received, change: (text: string) => string): Received {
  return { ...received, body: Buffer.from(change(received.body.toString())) };
}

/** As a reader would that passes over what it does not know: the campaign adds such members last, with the value 1. */
function withoutUnknown(body: Buffer): Buffer {
  return Buffer.from(body.toString().replaceAll(/,"[^"]*":1(?=\})/g, ''));
}
