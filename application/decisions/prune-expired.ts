import type { Ports } from '../ports.ts';

/** Forgets idempotency keys after 48 h, and counters and cooldowns that decide nothing any more (settled.md section 4). */
export async function pruneExpired({ decisions, clock }: Ports): Promise<void> {
  await decisions.prune(await clock.now());
}
