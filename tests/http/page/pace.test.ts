import { afterEach, describe, expect, test } from '@jest/globals';
import { paced } from '../../../adapters/http/page/browser/kit/pace.ts';

/** Requests that the pace lets go, in this order; each is answered by the test. */
const sent: ((reply: Response) => void)[] = [];
/** The end of the window of the service, in seconds: each test has a later one. */
let reset = Math.floor(Date.now() / 1_000) + 2;

function send(path = '/api/v1/owner/dashboard'): Promise<Response> {
  return paced(path, () => new Promise((resolve) => sent.push(resolve)));
}

/**
 * A reply that was counted in the window, up to two seconds before its end.
 * @param at when, in seconds of the service's clock
 */
function reply(remaining: number, end = reset, at = end - 2): Response {
  const date = new Date(at * 1_000).toUTCString();
  return new Response(null, {
    headers: { date, 'x-ratelimit-remaining': String(remaining), 'x-ratelimit-reset': String(end) },
  });
}

async function answer(index: number, with_: Response): Promise<void> {
  sent[index]?.(with_);
  await new Promise((done) => setImmediate(done));
}

describe('the pace of the page', () => {
  let all: Promise<Response>[] = [];
  // Those that wait go on in a later window, which has room.
  afterEach(async () => {
    reset += 10;
    let areSent = false;
    const ended = Promise.all(all).then(() => {
      areSent = true;
    });
    while (!areSent) {
      for (const resolve of sent.splice(0)) resolve(reply(100));
      await new Promise((done) => setTimeout(done, 20));
    }
    await ended;
    reset += 10;
  });

  test('sends four before the first reply, and as many as it leaves room for after it', async () => {
    const path = '/api/v1/public/decisions';
    all = Array.from({ length: 12 }, () => send(path));
    expect(sent).toHaveLength(4);
  });

  test('takes the least of what the replies of one window report, in whatever order they come', async () => {
    all = [send(), send(), send(), send()];
    await answer(3, reply(6));
    await answer(0, reply(9));
    all.push(...Array.from({ length: 10 }, () => send()));
    // Two of the first four are under way, and six fit: four more go.
    expect(sent).toHaveLength(8);
  });

  test('a late reply of an earlier window changes nothing', async () => {
    all = [send(), send()];
    await answer(0, reply(3));
    await answer(1, reply(9, reset - 1));
    all.push(...Array.from({ length: 6 }, () => send()));
    expect(sent).toHaveLength(5);
  });

  test('a later reply counts, also where a refusal named a later end', async () => {
    all = [send(), send()];
    await answer(0, reply(0, reset + 4, reset - 3));
    await answer(1, reply(3));
    all.push(...Array.from({ length: 6 }, () => send()));
    expect(sent).toHaveLength(5);
  });

  test('a later window has its own room', async () => {
    all = [send(), send()];
    await answer(0, reply(0));
    await answer(1, reply(9, reset + 1));
    all.push(...Array.from({ length: 6 }, () => send()));
    expect(sent).toHaveLength(8);
  });
});
