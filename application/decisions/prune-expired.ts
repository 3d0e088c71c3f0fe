import { BAR_CACHE } from '../../domain/limits.ts';
import type { Ports } from '../ports.ts';

/**
 * Forgets idempotency keys that have expired, and counters and cooldowns that decide nothing any more (settled.md section 4);
 * cached bars, too, that go with sessions long past, and logins and device sign-ins that are over,
 * attempts to log in that hold nobody off any more, and browsers that never came back from the identity provider; rate
 * windows and daily pools that are over, so that none of them opens again; old observations of pegs.
 */
export async function pruneExpired({
  intake,
  barCache,
  sessions,
  logins,
  providerLogins,
  deviceSignIns,
  admission,
  circuits,
  clock,
}: Pick<
  Ports,
  | 'intake'
  | 'barCache'
  | 'sessions'
  | 'logins'
  | 'providerLogins'
  | 'deviceSignIns'
  | 'admission'
  | 'circuits'
  | 'clock'
>): Promise<void> {
  const now = await clock.now();
  await intake.prune(now);
  await sessions.prune();
  await logins.prune();
  await providerLogins.prune();
  await deviceSignIns.prune();
  await admission.prune();
  await circuits.prune();
  await barCache.prune(now.getTime() - BAR_CACHE.keep);
}
