import type { LoggedEntry } from '../../domain/audit-log.ts';
import { rfc3339 } from '../../domain/time.ts';
import { argumentsIn } from './arguments.ts';
import { type Command, UsageError } from './command.ts';
import { table } from './text-table.ts';

const OPTIONS = {
  since: { type: 'string' },
  subject: { type: 'string' },
  actor: { type: 'string' },
  limit: { type: 'string', default: '50' },
} as const;

const MOST = 10_000;

/** What operators have done, and what became of keys: the newest at the end, where a terminal shows it. */
export const auditCommand: Command = {
  usage: '[--since TIME] [--subject SUBJECT] [--actor ACTOR] [--limit N]',
  summary: 'show the newest entries of the audit log (default 50), the newest last',
  read(args) {
    const { positionals, values } = argumentsIn(args, OPTIONS);
    if (positionals.length > 0) throw new UsageError('This command takes options alone.');
    const { subject, actor } = values;
    const since = timeIn(values.since);
    const limit = limitIn(values.limit);
    return async ({ storage, print }) => {
      const entries = await storage.audit.list({ since, subject, actor }, limit);
      print(table(['at', 'actor', 'action', 'subject', 'detail'], entries.toReversed().map(cellsOf)));
      return 0;
    };
  },
};

function timeIn(sent: string | undefined): Date | undefined {
  if (sent === undefined) return undefined;
  const at = new Date(sent);
  if (/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}.*(Z|[+-]\d{2}:\d{2}))?$/.test(sent) && !Number.isNaN(at.getTime())) return at;
  throw new UsageError(`--since ${sent}: send a UTC date or a time such as 2026-03-02T12:00Z.`);
}

function limitIn(sent: string): number {
  const limit = /^\d{1,5}$/.test(sent) ? Number(sent) : 0;
  if (limit >= 1 && limit <= MOST) return limit;
  throw new UsageError(`--limit ${sent}: send a number from 1 to ${MOST}.`);
}

function cellsOf({ at, actor, action, subject, detail }: LoggedEntry): readonly string[] {
  return [rfc3339(at), actor, action, subject, JSON.stringify(detail)];
}
