import type { ExpiringKey } from '../../domain/events/event.ts';
import { BAR_CACHE, EVENTS } from '../../domain/limits.ts';
import { type MailSettings, queueNotice } from '../mail/queue-mail.ts';
import type { Ports, Settings, Stores } from '../ports.ts';
import { readFaultyAgain } from './note-faults.ts';

/**
 * Removes what has expired or has no effect any more: idempotency keys, submission counters and cooldowns (settled.md
 * section 4); cached bars of past sessions; sessions, device sign-ins, login attempts, unfinished provider logins and challenges for
 * passkeys;
 * rate windows and daily pools, none of which opens again; old observations of pegs; the stored replies that were not read
 * for the longest time; security events of more than SECURITY_EVENTS_KEPT_DAYS; old events of the feed, and old deliveries of
 * webhooks; expired links, and old mails. Writes the events of keys that expire soon. Prepares the months to come. Reads the
 * records again that could not be read in full. One step that fails stops no other.
 * @throws AggregateError of a `StepFault` for each step that failed
 */
export async function pruneExpired({
  intake,
  barCache,
  sessions,
  logins,
  providerLogins,
  passkeys,
  deviceSignIns,
  securityEvents,
  events,
  transaction,
  mailSender,
  deliveries,
  links,
  mails,
  admission,
  circuits,
  replies,
  months,
  settings,
  processes,
  decisions,
  graph,
  clock,
}: Pick<
  Ports,
  | 'intake'
  | 'barCache'
  | 'sessions'
  | 'logins'
  | 'providerLogins'
  | 'passkeys'
  | 'deviceSignIns'
  | 'securityEvents'
  | 'events'
  | 'transaction'
  | 'mailSender'
  | 'deliveries'
  | 'links'
  | 'mails'
  | 'admission'
  | 'circuits'
  | 'replies'
  | 'months'
  | 'processes'
  | 'decisions'
  | 'graph'
  | 'clock'
> & { readonly settings: Pick<Settings, 'securityEventsKept' | 'sessionSecret'> }): Promise<void> {
  const now = await clock.now();
  const steps: Readonly<Record<string, () => Promise<unknown>>> = {
    months: () => months.addMissing(),
    intake: () => intake.prune(now),
    sessions: () => sessions.prune(),
    logins: () => logins.prune(),
    provider_logins: () => providerLogins.prune(),
    passkey_challenges: () => passkeys.pruneChallenges(),
    device_sign_ins: () => deviceSignIns.prune(),
    admission: () => admission.prune(),
    circuits: () => circuits.prune(),
    replies: () => replies.prune(),
    security_events: () => securityEvents.prune(settings.securityEventsKept),
    expiring_keys: () => noteExpiringKeys({ transaction, mailSender, settings }),
    events: () => events.prune(),
    webhook_deliveries: () => deliveries.prune(),
    one_time_links: () => links.prune(),
    mails: () => mails.prune(),
    bar_cache: () => barCache.prune(now.getTime() - BAR_CACHE.keep),
    faulty_records: () => readFaultyAgain({ processes, decisions, graph }, now),
  };
  const faults: StepFault[] = [];
  for (const [name, step] of Object.entries(steps)) {
    await step().catch((error: unknown) => faults.push(new StepFault(name, error)));
  }
  if (faults.length > 0) throw new AggregateError(faults, `Failed: ${faults.map(({ code }) => code).join(', ')}.`);
}

/** A step failed, with what it threw as `cause`. */
export class StepFault extends Error {
  override readonly name = 'StepFault';
  /** The name of the step: a word, since the log writes codes and no messages. */
  readonly code: string;

  constructor(code: string, cause: unknown) {
    super(`The step ${code} failed.`, { cause });
    this.code = code;
  }
}

export type KeyExpiryPorts = Pick<Ports, 'transaction' | 'mailSender'> & { readonly settings: MailSettings };

/**
 * Writes the events of all keys that expire soon and have had none, in transactions of `EVENTS.keysAtOnce` keys; where mail
 * is set up with a notice to each owner.
 */
export async function noteExpiringKeys(ports: KeyExpiryPorts): Promise<void> {
  const noteSome = () =>
    ports.transaction(async (stores) => {
      const keys = await stores.keyExpiry.noteExpiringKeys(EVENTS.keysAtOnce);
      if (ports.mailSender !== null) await queueNotices(stores, ports.settings, keys);
      return keys.length;
    });
  while ((await noteSome()) === EVENTS.keysAtOnce);
}

/** One for each owner, in the order of their ids, so that two processes do not wait for each other. */
async function queueNotices(stores: Stores, settings: MailSettings, keys: readonly ExpiringKey[]): Promise<void> {
  const byOwner = [...Map.groupBy(keys, ({ owner_id }) => owner_id)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [owner_id, own] of byOwner) {
    const subject = own.map(({ key_prefix }) => key_prefix).join(' ');
    await queueNotice(stores, settings, { kind: 'key_expiring', owner_id, source: null, subject });
  }
}
