import { MINUTE } from '../../domain/time.ts';
import { sequence } from './kept-logs.ts';
import type { TestService } from './service.ts';

/** Appends everything that has happened up to now to the evidence log, and signs it; it takes minutes of the clock. */
export async function logAll({ ports, arrange }: Pick<TestService, 'ports' | 'arrange'>): Promise<void> {
  // An outcome is in a later batch than its decision.
  for (let i = 0; i < 3; i += 1) {
    await arrange.advance(2 * MINUTE);
    await sequence(ports);
  }
}

/** The text of the opening in a proof file; empty for any other text. */
export function opened(proof: string): string {
  const [, extra = ''] = /^extra (.*)$/m.exec(proof) ?? [];
  return Buffer.from(extra, 'base64').toString();
}
