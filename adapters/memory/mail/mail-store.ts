import { randomUUID } from 'node:crypto';
import { MAIL } from '../../../domain/limits.ts';
import {
  type ClaimedMail,
  hourlyLimit,
  isOnRequest,
  type MailProgress,
  type MailStore,
  type NewMail,
} from '../../../domain/mail/mail.ts';
import { HOUR } from '../../../domain/time.ts';
import { hex, type Table } from '../kit/table.ts';

export interface StoredMail extends Omit<NewMail, 'content' | 'life'>, MailProgress {
  readonly content: Uint8Array | null;
  readonly attempts: number;
  readonly token: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly ended_at: Date | null;
}

export interface MailTables {
  /** By id, in the order in which they were queued. */
  readonly mails: Table<string, StoredMail>;
}

/** Ends the mails of an owner who is deleted; the rows stay until they are pruned. */
export function endMailsOf({ mails }: MailTables, owner_id: string, now: Date): void {
  for (const mail of mails.where((row) => row.owner_id === owner_id)) {
    const ended = { content: null, due_at: null, token: null, status: 'void', ended_at: now } as const;
    mails.set(mail.mail_id, { ...mail, ...(mail.status === 'pending' ? ended : {}), owner_id: null });
  }
}

export function memoryMails({ mails }: MailTables, now: () => Date): MailStore {
  const countWith = (mail: Pick<NewMail, 'address_hash' | 'kind'>) => (row: StoredMail) =>
    hex(row.address_hash) === hex(mail.address_hash) && isOnRequest(row.kind) === isOnRequest(mail.kind);
  const held = (mail_id: string, token: string) => {
    const row = mails.get(mail_id);
    return row?.status === 'pending' && row.token === token ? row : null;
  };
  const isDue = ({ status, due_at }: StoredMail) => status === 'pending' && due_at !== null && due_at <= now();

  /** Those that count against the limit of the mail's address now. */
  const recent = (mail: StoredMail) => {
    const at = now();
    const since = at.getTime() - HOUR;
    const isSent = ({ status, ended_at }: StoredMail) =>
      status === 'sent' && ended_at !== null && ended_at.getTime() > since;
    const isLeased = ({ token, due_at }: StoredMail) => token !== null && due_at !== null && due_at > at;
    const isAlike = countWith(mail);
    return mails.where((row) => row.mail_id !== mail.mail_id && isAlike(row) && (isSent(row) || isLeased(row))).length;
  };

  return {
    async add({ life, ...mail }, limits) {
      const at = now();
      const alike = mails.where(countWith(mail)).toSorted(newestFirst);
      const frees = limits.flatMap(({ of, within, most }) => {
        const counted = alike.filter(
          (row) => (of === 'all' || row.kind === mail.kind) && row.created_at.getTime() > at.getTime() - within,
        );
        const last = counted[most - 1];
        return last ? [last.created_at.getTime() + within] : [];
      });
      if (frees.length > 0) return { admitted: false, at, free_at: new Date(Math.max(...frees)) };
      const times = { created_at: at, due_at: at, expires_at: new Date(at.getTime() + life), ended_at: null };
      const progress = { status: 'pending', failure: null, attempts: 0, token: null } as const;
      mails.set(mail.mail_id, { ...mail, ...times, ...progress });
      return { admitted: true, at, free_at: null };
    },

    async claim(limit, lease) {
      const claimed: ClaimedMail[] = [];
      for (const row of mails.where(isDue)) {
        if (recent(row) >= hourlyLimit(row.kind).most) {
          mails.set(row.mail_id, { ...row, token: null, due_at: new Date(now().getTime() + MAIL.heldBack) });
        } else if (claimed.length < limit && row.content !== null) {
          const token = randomUUID();
          const [attempts, due_at] = [row.attempts + 1, new Date(now().getTime() + lease)];
          mails.set(row.mail_id, { ...row, token, attempts, due_at });
          const { mail_id, kind, owner_id, content, created_at, expires_at } = row;
          claimed.push({ mail_id, kind, owner_id, content, attempts, created_at, expires_at, token });
        }
      }
      return claimed;
    },

    async address(mail_id, token, owner_id, content) {
      const row = held(mail_id, token);
      if (row) mails.set(mail_id, { ...row, owner_id, content });
      return row !== null;
    },

    async settle({ mail_id, token }, rule) {
      const row = held(mail_id, token);
      if (!row) return false;
      const progress = rule(now());
      const ended = progress.due_at === null ? { content: null, ended_at: now() } : {};
      mails.set(mail_id, { ...row, ...progress, ...ended, token: null });
      return true;
    },

    async nextDue() {
      const times = mails.where(({ status }) => status === 'pending').map(({ due_at }) => due_at?.getTime() ?? 0);
      return times.length === 0 ? null : new Date(Math.min(...times));
    },

    async backlog() {
      const due = mails.where(isDue);
      const failed = mails.where(({ status, failure }) => status === 'pending' && failure !== null);
      const failures = Map.groupBy(failed, ({ failure }) => failure);
      const [most] = [...failures].toSorted(([, a], [, b]) => b.length - a.length);
      return {
        ...{ due: due.length, since: firstQueued(due) },
        ...{ failed: failed.length, failed_since: firstQueued(failed), failure: most?.[0] ?? null },
      };
    },

    async prune() {
      const before = new Date(now().getTime() - MAIL.kept);
      return mails.deleteWhere(({ created_at }) => created_at <= before);
    },
  };
}

function newestFirst(a: StoredMail, b: StoredMail): number {
  return b.created_at.getTime() - a.created_at.getTime();
}

function firstQueued(mails: readonly StoredMail[]): Date | null {
  return mails.length === 0 ? null : new Date(Math.min(...mails.map(({ created_at }) => created_at.getTime())));
}
