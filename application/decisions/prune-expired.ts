import { BAR_CACHE } from '../../domain/limits.ts';
import type { Ports, Settings } from '../ports.ts';

/**
 * Removes what has expired or has no effect any more: idempotency keys, submission counters and cooldowns (settled.md
 * section 4); cached bars of past sessions; sessions, device sign-ins, login attempts and unfinished provider logins;
 * rate windows and daily pools, none of which opens again; old observations of pegs; the stored replies that were not read
 * for the longest time; security events of more than SECURITY_EVENTS_KEPT_DAYS. Prepares the months to come. One step that
 * fails stops no other.
 */
export async function pruneExpired({
  intake,
  barCache,
  sessions,
  logins,
  providerLogins,
  deviceSignIns,
  securityEvents,
  admission,
  circuits,
  replies,
  months,
  settings,
  clock,
}: Pick<
  Ports,
  | 'intake'
  | 'barCache'
  | 'sessions'
  | 'logins'
  | 'providerLogins'
  | 'deviceSignIns'
  | 'securityEvents'
  | 'admission'
  | 'circuits'
  | 'replies'
  | 'months'
  | 'clock'
> & { readonly settings: Pick<Settings, 'securityEventsKept'> }): Promise<void> {
  const now = await clock.now();
  const steps = [
    () => months.addMissing(),
    () => intake.prune(now),
    ...[sessions, logins, providerLogins, deviceSignIns, admission, circuits, replies].map(
      (store) => () => store.prune(),
    ),
    () => securityEvents.prune(settings.securityEventsKept),
    () => barCache.prune(now.getTime() - BAR_CACHE.keep),
  ];
  const faults: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => faults.push(error));
  if (faults.length > 0) throw faults[0];
}
