import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { hmacSha256 } from '../../../application/sha256.ts';
import { secretOfKey, signatureHeaders } from '../../../domain/webhooks/delivery.ts';

const timestamp = new Date();
const id = '01935c1e-7d3a-7b0c-8c1e-5a2f9e0d4b6a';
const body = '{"type":"decision.graded","data":{"note":"Größe – 寸法"}}';
const sign = (secrets: readonly string[], sent = body) =>
  signatureHeaders({ id, timestamp, body: sent, secrets }, hmacSha256);

describe('standardwebhooks', () => {
  test.each([24, 32, 64])('verifies our signature by a key of %d bytes', (length) => {
    const secret = secretOfKey(randomBytes(length));
    expect(new Webhook(secret).verify(body, sign([secret]))).toEqual(JSON.parse(body));
  });

  test('makes the same signature', () => {
    const secret = secretOfKey(randomBytes(32));
    expect(sign([secret])['webhook-signature']).toBe(new Webhook(secret).sign(id, timestamp, body));
  });

  test('verifies by either secret while one replaces the other, and by no third one', () => {
    const [next, former, other] = Array.from({ length: 3 }, () => secretOfKey(randomBytes(32)));
    const headers = sign([next ?? '', former ?? '']);
    expect(headers['webhook-signature']).toMatch(/^v1,[\w+/]{43}= v1,[\w+/]{43}=$/);
    for (const secret of [next, former]) expect(new Webhook(secret ?? '').verify(body, headers)).toBeTruthy();
    expect(() => new Webhook(other ?? '').verify(body, headers)).toThrow('No matching signature');
  });

  test.each([
    ['body', { body: body.replace('graded', 'closed') }],
    ['id', { 'webhook-id': 'another' }],
    ['time', { 'webhook-timestamp': String(Math.floor(timestamp.getTime() / 1_000) + 1) }],
  ])('refuses another %s', (_, changed) => {
    const secret = secretOfKey(randomBytes(32));
    const { body: received, ...headers } = { body, ...sign([secret]), ...changed };
    expect(() => new Webhook(secret).verify(received, headers)).toThrow('No matching signature');
  });
});

test('the signature of the example in the specification, by its id and time', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const sent = signatureHeaders(
    {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: new Date(1_614_265_330_999),
      body: '{"test": 2432232314}',
      secrets: [secret],
    },
    hmacSha256,
  );
  expect(sent).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test.each([
  ['without its prefix', randomBytes(32).toString('base64')],
  ['of 23 bytes', `whsec_${randomBytes(23).toString('base64')}`],
  ['of 65 bytes', `whsec_${randomBytes(65).toString('base64')}`],
  ['that is no base64', 'whsec_!!!!'],
  ['that is empty', ''],
])('a secret %s is refused, and not in the message', (_, secret) => {
  expect(() => sign([secret])).toThrow(RangeError);
  expect(() => sign([secret])).toThrow(/^A secret of a webhook is whsec_ and base64 of 24 to 64 bytes\.$/);
});

test.each(['a.b', '', 'a b', 'a\nb'])('the id %j is refused', (unfit) => {
  expect(() => signatureHeaders({ id: unfit, timestamp, body, secrets: [] }, hmacSha256)).toThrow(RangeError);
});
