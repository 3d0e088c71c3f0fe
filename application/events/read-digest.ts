import { type DigestLine, foldedLines, newestFirst, type ReadMark, signInLines } from '../../domain/events/digest.ts';
import { EVENTS } from '../../domain/limits.ts';
import { rfc3339 } from '../../domain/time.ts';
import { webhookLines } from '../../domain/webhooks/webhook.ts';
import { filterProblem } from '../decisions/read-track-record.ts';
import { openCursor, sealCursor } from '../page-cursor.ts';
import type { Ports } from '../ports.ts';
import type { SecretValues } from '../sealed-secret.ts';

/** What happened that concerns an owner, in few lines. */
export interface OwnDigest {
  /** The newest first. */
  readonly lines: readonly DigestLine[];
  /** When the owner read it last; null: never. */
  readonly read_at: Date | null;
  /** Sealed: `markRead` with it marks all of this as read. */
  readonly read_mark: string;
  /** Whether there were older events that are in no line. */
  readonly isCut: boolean;
}

export type DigestPorts = Pick<Ports, 'events' | 'securityEvents' | 'webhooks' | 'settings' | 'clock'>;

/** The digest of the last 30 days: of the feed, of sign-ins from new networks, and of webhooks that fail now. */
export async function readDigest(ports: DigestPorts, owner_id: string): Promise<OwnDigest> {
  const { events, securityEvents, webhooks, settings, clock } = ports;
  const [mark, now] = await Promise.all([events.readMark(owner_id), clock.lastSeen()]);
  const since = new Date(now.getTime() - EVENTS.kept);
  const [digest, ofAccount, all] = await Promise.all([
    events.digest(owner_id, mark, { since, atMost: EVENTS.digested }),
    securityEvents.list({ owner_id }, null, EVENTS.signIns),
    webhooks.list(owner_id),
  ]);
  return {
    lines: newestFirst([
      ...digest.lines,
      ...signInLines(ofAccount, since, mark),
      ...foldedLines(webhookLines(all, mark)),
    ]),
    read_at: mark?.at ?? null,
    read_mark: sealMark(settings.sessionSecret, digest.end),
    isCut: digest.isCut,
  };
}

/**
 * Marks what a digest showed as read, in all browsers of the owner. An older digest takes nothing back.
 * @throws Problem VALIDATION_ERROR for a mark that is of no digest
 */
export async function markRead(
  { events, settings }: Pick<Ports, 'events' | 'settings'>,
  owner_id: string,
  sealed: string,
): Promise<void> {
  const opened = openCursor(settings.sessionSecret, ABOUT_MARK, sealed);
  if (opened === null) throw filterProblem({ path: 'read_mark', message: 'must be the read_mark of a digest' });
  const [place, at] = opened as readonly [string, string];
  await events.setReadMark(owner_id, { place, at: new Date(at) });
}

/** The feed of all owners has one order, and a mark says nothing of what is in it. */
const ABOUT_MARK = ['read mark'];

function sealMark(secret: SecretValues, { place, at }: ReadMark): string {
  return sealCursor(secret, ABOUT_MARK, [place, rfc3339(at)]);
}
