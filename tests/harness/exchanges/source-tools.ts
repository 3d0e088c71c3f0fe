import type { SourceTools } from '../../../adapters/market/source-client.ts';
import type { Millis } from '../../../domain/time.ts';

export interface TestTools extends SourceTools {
  readonly logged: Readonly<Record<string, unknown>>[];
  /** How long each wait would have been. */
  readonly slept: Millis[];
  advance(millis: Millis): void;
}

/**
 * A clock that stands, jumps over every wait, and draws one half. The deadline of a request is a real one, by default
 * longer than any answer on a busy machine takes.
 */
export function testTools(start: Millis, deadline = 10_000): TestTools {
  const logged: Readonly<Record<string, unknown>>[] = [];
  const slept: Millis[] = [];
  const write = (message: string, fields: Readonly<Record<string, unknown>>) =>
    void logged.push({ message, ...fields });
  let now = start;
  return {
    logged,
    slept,
    advance(millis) {
      now += millis;
    },
    deadline,
    log: { info: write, warn: write },
    timing: {
      now: () => now,
      async sleep(millis) {
        slept.push(millis);
        now += millis;
      },
      random: () => 0.5,
    },
  };
}
