import { headText } from '../../../domain/audit-chain.ts';
import type { LoggedEntry } from '../../../domain/audit-log.ts';
import { hexOf } from '../../../domain/log/encoding.ts';
import { rfc3339 } from '../../../domain/time.ts';
import { argumentsIn, limitIn, sinceIn } from '../arguments.ts';
import { type Command, type CommandContext, type ExitCode, UsageError } from '../command.ts';
import { table } from '../text/text-table.ts';

const OPTIONS = {
  since: { type: 'string' },
  subject: { type: 'string' },
  actor: { type: 'string' },
  limit: { type: 'string', default: '50' },
  head: { type: 'boolean', default: false },
  day: { type: 'string' },
} as const;

/** The actions of operators and the changes of API keys, the newest last, where a terminal shows it. */
export const auditCommand: Command = {
  usage: '[--since TIME] [--subject SUBJECT] [--actor ACTOR] [--limit N] | --head [--day DAY]',
  summary:
    'show the newest entries of the audit log (default 50), the newest last; --head: its head, to be kept elsewhere, ' +
    'or the one that the evidence log has of a UTC day, with what opens its leaf',
  json:
    '{ entries: [{ at, actor, action, subject, detail }] }, the newest last; with --head { head }, with --day also ' +
    '{ day, origin, index: of the leaf, salt }',
  read(args) {
    const { positionals, values } = argumentsIn(args, OPTIONS);
    if (positionals.length > 0) throw new UsageError('This command takes options only.');
    if (values.day !== undefined && !(values.head && DAY.test(values.day)))
      throw new UsageError(`--day ${values.day}: send --head and a UTC date such as 2026-03-02.`);
    const { day } = values;
    if (day !== undefined) return (context) => printLoggedHead(context, day);
    if (values.head) return printHead;
    const { subject, actor } = values;
    const since = sinceIn(values.since);
    const limit = limitIn(values.limit);
    return async ({ storage, print, report }) => {
      const entries = (await storage.audit.list({ since, subject, actor }, limit)).toReversed();
      print(table(['at', 'actor', 'action', 'subject', 'detail'], entries.map(cellsOf)));
      report({ entries });
      return 0;
    };
  },
};

async function printHead({ storage, print, report }: CommandContext): Promise<ExitCode> {
  const head = await storage.audit.head();
  print(head ? headText(head) : 'The audit log is empty.');
  report({ head: head && headText(head) });
  return 0;
}

/** What an auditor needs to compute the leaf of a day (docs/log.md). */
async function printLoggedHead({ storage, print, report }: CommandContext, day: string): Promise<ExitCode> {
  const logged = (await storage.log.heads()).findLast((each) => each.day === day);
  const log = logged && (await storage.log.find(logged.log));
  if (!logged || !log) {
    print(`The evidence log has no head of the audit log of ${day}.`);
    return 1;
  }
  const [head, salt] = [headText(logged.head), hexOf(logged.salt)];
  print(`${head}\nleaf ${logged.index} of ${log.origin}\nsalt ${salt}`);
  report({ head, day, origin: log.origin, index: logged.index, salt });
  return 0;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

function cellsOf({ at, actor, action, subject, detail }: LoggedEntry): readonly string[] {
  return [rfc3339(at), actor, action, subject, JSON.stringify(detail)];
}
