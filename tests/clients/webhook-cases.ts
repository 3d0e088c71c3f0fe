import { Webhook } from 'standardwebhooks';

/** A request that a receiver gets, and what it must make of it. */
export interface WebhookCase {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly secrets: readonly string[];
  /** The id of the event; null where the request is refused. */
  readonly id: string | null;
  /** The code of the refusal; `usage` for a secret that is none. */
  readonly fault?: string;
  /** Not judged by the package `standardwebhooks`: what it does is less strict, or its clock cannot be set. */
  readonly isOurs?: boolean;
}

const secretOf = (byte: number, length: number) => `whsec_${Buffer.alloc(length, byte).toString('base64')}`;
const SECRET = secretOf(1, 32);
const FORMER = secretOf(2, 24);
const ID = '6f1c0a9d-2b7e-4853-9a41-0c5d3e7f1b28';
const EVENT = {
  id: ID,
  type: 'decision.evaluated',
  timestamp: '2026-01-30T14:30:02.000Z',
  data: { record_id: 'dec_20260129_8f3a2b1c', lifecycle_state: 'evaluated', result_bucket: 'strong_correct', ü: '✓' },
};
const BODY = JSON.stringify(EVENT);

/** Whole seconds since 1970: the time of the receiver. */
export const NOW = Math.floor(Date.now() / 1_000);

/** The headers as the package `standardwebhooks` signs. */
export function signed(secret: string, body = BODY, id = ID, seconds = NOW): Record<string, string> {
  const signature = new Webhook(secret).sign(id, new Date(seconds * 1_000), body);
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signature };
}

const right = signed(SECRET);
const signature = right['webhook-signature'] ?? '';
const forged = signed(FORMER)['webhook-signature'] ?? '';
const changed = (headers: Record<string, string>) => ({ ...right, ...headers });
const withSignature = (text: string) => changed({ 'webhook-signature': text });

/** The last character has two bits that no byte contains. */
const otherForm = `${signature.slice(0, -2)}${nextLetter(signature.at(-2) ?? '')}=`;

function nextLetter(letter: string): string {
  const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  return LETTERS[LETTERS.indexOf(letter) + 1] ?? '';
}

interface Sent {
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly secrets?: readonly string[];
  readonly isOurs?: boolean;
}

const accepted = (name: string, { headers = right, body = BODY, secrets = [SECRET], isOurs }: Sent): WebhookCase => ({
  name,
  headers,
  body: Buffer.from(body),
  secrets,
  id: headers['webhook-id'] ?? headers['Webhook-Id'] ?? null,
  ...(isOurs && { isOurs }),
});

const refused = (name: string, fault: string, sent: Sent): WebhookCase => ({
  ...accepted(name, sent),
  id: null,
  fault,
});

const cut = (text: string) => text.slice(0, -1);
const without = (name: string) => Object.fromEntries(Object.entries(right).filter(([each]) => each !== name));
const titled = Object.fromEntries(
  Object.entries(right).map(([name, value]) => [name.replaceAll(/\b\w/g, (letter) => letter.toUpperCase()), value]),
);

export const WEBHOOK_CASES: readonly WebhookCase[] = [
  accepted('a signed event', {}),
  accepted('names of headers in another case', { headers: titled }),
  accepted('a secret of 24 bytes', { headers: signed(FORMER), secrets: [FORMER] }),
  accepted('a secret of 64 bytes', { headers: signed(secretOf(3, 64)), secrets: [secretOf(3, 64)] }),
  accepted('the second of two secrets', { secrets: [FORMER, SECRET], isOurs: true }),
  accepted('two signatures, the first by another secret', { headers: withSignature(`${forged} ${signature}`) }),
  accepted('two signatures, the second by another secret', { headers: withSignature(`${signature} ${forged}`) }),
  accepted('a signature of another version before it', {
    headers: withSignature(`v1a,${signature.slice(3)} ${signature}`),
  }),
  accepted('an id of another form', { headers: signed(SECRET, BODY, 'msg_p5jXN8AQM9LWM0D4loKWxJek') }),
  accepted('a signature of just five minutes ago', { headers: signed(SECRET, BODY, ID, NOW - 300), isOurs: true }),
  accepted('a signature of a clock that is five minutes ahead', {
    headers: signed(SECRET, BODY, ID, NOW + 300),
    isOurs: true,
  }),
  refused('a signature of five minutes and a second ago', 'TIMESTAMP_TOO_OLD', {
    headers: signed(SECRET, BODY, ID, NOW - 301),
  }),
  refused('a signature of yesterday', 'TIMESTAMP_TOO_OLD', { headers: signed(SECRET, BODY, ID, NOW - 86_400) }),
  refused('a clock that is five minutes and a second ahead', 'TIMESTAMP_TOO_NEW', {
    headers: signed(SECRET, BODY, ID, NOW + 301),
    isOurs: true,
  }),
  refused('a clock that is an hour ahead', 'TIMESTAMP_TOO_NEW', { headers: signed(SECRET, BODY, ID, NOW + 3_600) }),
  refused('an old event with a new time', 'SIGNATURE_WRONG', {
    headers: { ...signed(SECRET, BODY, ID, NOW - 86_400), 'webhook-timestamp': String(NOW) },
  }),
  refused('another id', 'SIGNATURE_WRONG', { headers: changed({ 'webhook-id': `${ID}0` }) }),
  refused('a changed body', 'SIGNATURE_WRONG', { body: BODY.replace('strong_correct', 'weak_correct') }),
  refused('a body that was parsed and written again', 'SIGNATURE_WRONG', { body: JSON.stringify(EVENT, null, 1) }),
  refused('a body that is cut', 'SIGNATURE_WRONG', { body: cut(BODY) }),
  refused('an empty body', 'SIGNATURE_WRONG', { body: '' }),
  refused('a signature by another secret', 'SIGNATURE_WRONG', { headers: withSignature(forged) }),
  refused('a signature that is cut', 'SIGNATURE_WRONG', { headers: withSignature(cut(signature)) }),
  refused('a signature without its version', 'SIGNATURE_WRONG', { headers: withSignature(signature.slice(3)) }),
  refused('a signature of another version', 'SIGNATURE_WRONG', { headers: withSignature(`v2,${signature.slice(3)}`) }),
  refused('a signature in another form of Base64', 'SIGNATURE_WRONG', { headers: withSignature(otherForm) }),
  refused('a signature with the one before it in a word', 'SIGNATURE_WRONG', {
    headers: withSignature(`${forged},${signature}`),
  }),
  refused('a signature that is no Base64', 'SIGNATURE_WRONG', { headers: withSignature('v1,*') }),
  refused('a signature of nothing', 'SIGNATURE_WRONG', { headers: withSignature('v1,') }),
  refused('no id', 'HEADER_MISSING', { headers: without('webhook-id') }),
  refused('no timestamp', 'HEADER_MISSING', { headers: without('webhook-timestamp') }),
  refused('no signature', 'HEADER_MISSING', { headers: without('webhook-signature') }),
  refused('an empty signature', 'HEADER_MISSING', { headers: withSignature('') }),
  refused('an id that comes twice', 'HEADER_MISSING', { headers: changed({ 'Webhook-Id': ID }), isOurs: true }),
  refused('a timestamp that is no number', 'TIMESTAMP_INVALID', { headers: changed({ 'webhook-timestamp': 'now' }) }),
  refused('a timestamp with a fraction', 'TIMESTAMP_INVALID', {
    headers: changed({ 'webhook-timestamp': `${NOW}.5` }),
    isOurs: true,
  }),
  refused('a timestamp with a zero before it', 'TIMESTAMP_INVALID', {
    headers: changed({ 'webhook-timestamp': `0${NOW}` }),
    isOurs: true,
  }),
  refused('a timestamp below zero', 'TIMESTAMP_INVALID', { headers: changed({ 'webhook-timestamp': `-${NOW}` }) }),
  refused('a signed body that is no JSON', 'BODY_INVALID', { headers: signed(SECRET, 'no'), body: 'no' }),
  ...['null', '"text"', '[]', '{"type":1,"timestamp":"","data":{}}', '{"type":"a","data":{}}', `\ufeff${BODY}`].map(
    (body) =>
      refused(`a signed body that is no event: ${body.slice(0, 20)}`, 'BODY_INVALID', {
        headers: signed(SECRET, body),
        body,
        isOurs: true,
      }),
  ),
  ...['', 'whsec_', SECRET.slice(6), secretOf(1, 23), secretOf(1, 65), `${SECRET} `, 'whsec_????'].map((secret) =>
    refused(`a secret that is none: ${JSON.stringify(secret.slice(0, 12))} of ${secret.length}`, 'usage', {
      secrets: [secret],
      isOurs: true,
    }),
  ),
  refused('no secret', 'usage', { secrets: [], isOurs: true }),
];
