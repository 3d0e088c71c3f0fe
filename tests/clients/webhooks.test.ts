import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { UsageError } from '../../clients/typescript/client/errors.ts';
import { verifyWebhook, WebhookError } from '../../clients/typescript/webhooks.ts';
import { runPython } from './python/run-python.ts';
import { NOW, signed, WEBHOOK_CASES, type WebhookCase } from './webhook-cases.ts';

/** The event's id, or why there is none. */
type Judged = { readonly id: string } | { readonly fault: string };

const expected = ({ id, fault }: WebhookCase): Judged => (id === null ? { fault: fault ?? '' } : { id });

describe('a webhook, by the client for TypeScript', () => {
  test.each(WEBHOOK_CASES.map((each) => [each.name, each] as const))('%s', async (_, each) => {
    const { headers, body, secrets } = each;
    const options = { now: () => NOW * 1_000 + 999 };
    expect(await judged(verifyWebhook(headers, body, secrets, options))).toEqual(expected(each));
    // A text is its bytes in UTF-8.
    expect(await judged(verifyWebhook(headers, body.toString(), secrets, options))).toEqual(expected(each));
  });

  test('with the headers of fetch and of node:http', async () => {
    const [{ headers, body, secrets, id } = never()] = WEBHOOK_CASES;
    expect(await judged(verifyWebhook(new Headers(headers), body, secrets))).toEqual({ id });
    const received: Judged[] = [];
    const server = createServer(async (request, response) => {
      received.push(await judged(verifyWebhook(request.headers, await buffer(request), secrets)));
      response.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await fetch(url, { method: 'POST', headers, body, keepalive: false });
    server.closeAllConnections();
    server.close();
    expect(received).toEqual([{ id }]);
  });

  test('by the own clock, without options', async () => {
    const [{ body, secrets, id } = never()] = WEBHOOK_CASES;
    const headers = signed(secrets[0] ?? '', body.toString());
    expect(await judged(verifyWebhook(headers, body, secrets))).toEqual({ id });
    const old = signed(secrets[0] ?? '', body.toString(), id ?? '', NOW - 3_600);
    expect(await judged(verifyWebhook(old, body, secrets))).toEqual({ fault: 'TIMESTAMP_TOO_OLD' });
  });

  async function judged(verified: ReturnType<typeof verifyWebhook>): Promise<Judged> {
    try {
      return { id: (await verified).id };
    } catch (error) {
      return { fault: error instanceof UsageError ? 'usage' : error instanceof WebhookError ? error.code : `${error}` };
    }
  }
});

test('the client for Python judges them all the same', async () => {
  const lines = WEBHOOK_CASES.map(({ headers, body, secrets }) =>
    JSON.stringify({ headers, body: body.toString('base64'), secrets, now: NOW + 0.999 }),
  );
  const { stdout, stderr } = await runPython(
    [join(import.meta.dirname, 'python/run_webhooks.py')],
    {},
    lines.join('\n'),
  );
  expect(stderr).toBe('');
  const found = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(found.map((each, place) => [WEBHOOK_CASES[place]?.name, each])).toEqual(
    WEBHOOK_CASES.map((each) => [each.name, expected(each)]),
  );
});

test.each(WEBHOOK_CASES.filter(({ isOurs }) => !isOurs).map((each) => [each.name, each] as const))(
  'the package standardwebhooks judges the same: %s',
  (_, { headers, body, secrets, id }) => {
    const verify = () => new Webhook(secrets[0] ?? '').verify(body, headers);
    if (id === null) expect(verify).toThrow();
    else expect(verify()).toMatchObject({ type: 'decision.evaluated' });
  },
);

test('the known signature of the reference tests is accepted', async () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  const verified = verifyWebhook(headers, '{"test": 2432232314}', secret, { now: () => 1_614_265_330_000 });
  // The signature holds: the body alone is no event of this service.
  await expect(verified).rejects.toMatchObject({ code: 'BODY_INVALID' });
});

function never(): never {
  throw new Error('There are no cases.');
}
