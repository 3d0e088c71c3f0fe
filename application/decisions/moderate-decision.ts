import type { Release } from '../../domain/decisions/moderation/moderation.ts';
import { isPublic } from '../../domain/decisions/visibility.ts';
import { Problem } from '../../domain/problem.ts';
import type { Ports, Stores } from '../ports.ts';
import { noOwnRecord } from './read-own-decision.ts';

type ModerationPorts = Pick<Ports, 'transaction' | 'clock'>;

/**
 * Puts a record under quarantine, the only way to hide evidence from others (interface.md 4.1, settled.md sections 1
 * and 5). The first reason stays; the owner sees it.
 * @param reason 1 to 500 characters
 * @param actor who does it, for the audit log
 * @returns false: it was under quarantine already
 * @throws Problem NOT_FOUND, RECORD_BEING_EVALUATED
 */
export async function quarantineDecision(
  { transaction, clock }: ModerationPorts,
  record_id: string,
  reason: string,
  actor: string,
): Promise<boolean> {
  const now = await clock.now();
  return transaction(async ({ moderation, atlas, jobs, audit }) => {
    const verdict = await moderation.quarantine(record_id, reason, now);
    if (verdict === null) throw noSuchRecord(record_id);
    if (verdict === 'being_evaluated') {
      throw new Problem('RECORD_BEING_EVALUATED', `The record ${record_id} is being evaluated.`);
    }
    const changed = verdict === 'quarantined';
    if (changed) await drawAgain({ atlas, jobs });
    await audit.append({ actor, action: 'quarantine', subject: record_id, detail: { changed, reason } });
    return changed;
  });
}

/**
 * Takes a record out of quarantine: back to `evaluated` when it has its outcome, else to its verification, from where
 * it continues by itself (settled.md section 8).
 * @param actor who does it, for the audit log
 * @param reason for the audit log; null: none was given
 * @throws Problem NOT_FOUND
 */
export async function releaseDecision(
  { transaction }: Pick<ModerationPorts, 'transaction'>,
  record_id: string,
  actor: string,
  reason: string | null = null,
): Promise<Release> {
  return transaction(async ({ moderation, atlas, jobs, audit }) => {
    const release = await moderation.release(record_id);
    if (!release) throw noSuchRecord(record_id);
    if (release.changed && release.lifecycle_state === 'pending_verify') await jobs.enqueue('verify-instruments');
    if (release.changed && isPublic(release)) await drawAgain({ atlas, jobs });
    await audit.append({
      actor,
      action: 'release',
      subject: record_id,
      detail: { ...release, ...(reason !== null && { reason }) },
    });
    return release;
  });
}

/**
 * The atlas shows no seed of an instrument whose public records have changed by quarantine or release since the build.
 */
async function drawAgain({ atlas, jobs }: Pick<Stores, 'atlas' | 'jobs'>): Promise<void> {
  await atlas.expire();
  await jobs.enqueue('build-atlas');
}

function noSuchRecord(record_id: string): Problem {
  return new Problem('NOT_FOUND', `There is no record ${record_id}.`);
}

/**
 * Hides a record from its owner's default views, and from nothing else: it stays public evidence, and is evaluated and
 * counted as before (interface.md 3.1, settled.md section 1). Doing it again changes nothing.
 * @throws Problem NOT_FOUND, also for another owner's record
 */
export async function revokeDecision(
  { ownerRecords }: Pick<Ports, 'ownerRecords'>,
  owner_id: string,
  record_id: string,
  reason: string | null,
): Promise<void> {
  if (!(await ownerRecords.archive(owner_id, record_id, reason))) throw noOwnRecord(record_id);
}
