import type { Storage } from '../../application/ports.ts';
import type { Moderation } from '../../domain/decisions/moderation/moderation.ts';

/** The moderation of a storage with an entry of the audit log in each transaction, without which it refuses a move. */
export function auditedModeration({ transaction }: Pick<Storage, 'transaction'>): Moderation {
  const audited = <Result>(action: string, subject: string, work: (moderation: Moderation) => Promise<Result>) =>
    transaction(async ({ moderation, audit }) => {
      const result = await work(moderation);
      await audit.append({ actor: 'a test', action, subject, detail: {} });
      return result;
    });
  return {
    quarantine: (record_id, reason, now) =>
      audited('quarantine', record_id, (moderation) => moderation.quarantine(record_id, reason, now)),
    release: (record_id) => audited('release', record_id, (moderation) => moderation.release(record_id)),
  };
}
