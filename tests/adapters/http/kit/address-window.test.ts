import { expect, test } from '@jest/globals';
import { addressWindow } from '../../../../adapters/http/kit/address-window.ts';
import { MINUTE } from '../../../../domain/time.ts';

test('each address has its files a minute, and then waits for the next minute', () => {
  let at = 10 * MINUTE;
  const count = addressWindow(2, 'files', () => at);
  count('one');
  count('one');
  count('other');
  at += MINUTE - 1_500;
  expect(() => count('one')).toThrow(
    expect.objectContaining({ code: 'RATE_LIMIT_EXCEEDED', retry_after_seconds: 2 }) as unknown as Error,
  );
  count('other');
  at += 1_500;
  count('one');
});
