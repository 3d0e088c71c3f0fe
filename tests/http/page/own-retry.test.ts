import { describe, expect, test } from '@jest/globals';
import { ownRetryAfter, RefusedRequest, refusalOf } from '../../../adapters/http/page/browser/kit/refused-request.ts';

function refusal(status: number, wait: number | null, isReading = true): RefusedRequest {
  return new RefusedRequest({ status, wait, isReading, message: 'Refused.', suggestion: 'Wait.' });
}

describe('what the page reads again by itself', () => {
  test.each([
    ['the window of a second is used up', 429, 1, 1],
    ['the service cannot be reached by its database', 503, 5, 5],
    ['the longest wait', 429, 10, 10],
    ['now, but not at once', 503, 0, 1],
    ['a longer wait', 429, 11, null],
    ['a pool of a day is empty', 429, 40_000, null],
    ['no wait is named', 503, null, null],
    ['an error of the service', 500, 1, null],
    ['an answer that will not change', 404, 1, null],
    ['the service cannot be reached', 0, null, null],
  ])('%s: %i after %p s is read again after %p s', (_, status, wait, seconds) => {
    expect(ownRetryAfter(refusal(status, wait), 0)).toBe(seconds);
  });

  test('is read three times in a row, and then left to the reader', () => {
    expect([0, 1, 2, 3, 4].map((attempt) => ownRetryAfter(refusal(429, 1), attempt))).toEqual([1, 1, 1, null, null]);
  });

  test('is never what a person sent', () => {
    expect(ownRetryAfter(refusal(429, 1, false), 0)).toBeNull();
    expect(ownRetryAfter(refusal(503, 5, false), 0)).toBeNull();
  });

  test('is never an error of the page itself', () => {
    expect(ownRetryAfter(new TypeError('undefined is not a function'), 0)).toBeNull();
  });
});

describe('the refusal that a reply contains', () => {
  const envelope = { error: { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many.', retry_after_seconds: 2 } };

  test.each([
    ['GET', true],
    ['POST', false],
    ['PUT', false],
    ['PATCH', false],
    ['DELETE', false],
  ])('of %s: whether it only read is %p', async (method, isReading) => {
    const found = await refusalOf(Response.json(envelope, { status: 429 }), method);
    expect([found.isReading, found.wait, found.message]).toEqual([isReading, 2, 'Too many.']);
  });

  test.each([
    ['7', 7],
    ['Wed, 21 Oct 2026 07:28:00 GMT', null],
    ['-1', null],
  ])('has the seconds of Retry-After of a proxy: %s', async (header, wait) => {
    const reply = new Response('<h1>Unavailable</h1>', { status: 503, headers: { 'retry-after': header } });
    expect((await refusalOf(reply, 'GET')).wait).toBe(wait);
  });

  test('keeps null where the service says that no wait ends it', async () => {
    const error = { ...envelope.error, retry_after_seconds: null };
    const reply = Response.json({ error }, { status: 503, headers: { 'retry-after': '3' } });
    expect((await refusalOf(reply, 'GET')).wait).toBeNull();
  });
});
