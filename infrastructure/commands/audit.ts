import { ownerNamed } from '../../application/accounts/operators/list-accounts.ts';
import { quarantineDecision, releaseDecision } from '../../application/decisions/moderate-decision.ts';
import { EVENT_RESULTS, SECURITY_EVENT_KINDS, type StoredSecurityEvent } from '../../domain/accounts/security-event.ts';
import { headText, type LoggedEntry } from '../../domain/audit-log.ts';
import { OWNER_ID } from '../../domain/identifiers.ts';
import { MODERATION } from '../../domain/limits.ts';
import { hexOf } from '../../domain/log/encoding.ts';
import { rfc3339 } from '../../domain/time.ts';
import { operatorName } from '../operator-name.ts';
import {
  asSent,
  type CommandContext,
  command,
  dateIn,
  defaulted,
  FLAG,
  limitIn,
  oneOf,
  option,
  ownerIn,
  RECORD,
  rest,
  UsageError,
} from './command.ts';
import { type Columns, tableOf } from './text.ts';

const LIMIT = defaulted('N', '50', limitIn);

/** What operators do to decisions, and the two records of what happened: the newest entries last, where a terminal shows them. */
export const AUDIT_COMMANDS = [
  command({
    name: 'audit',
    usage: '[--since TIME] [--subject SUBJECT] [--actor ACTOR] [--limit N] | --head [--day DAY]',
    summary:
      'show the newest entries of the audit log (default 50), the newest last; --head: its head, to be kept elsewhere, ' +
      'or the one that the evidence log has of a UTC day, with what opens its leaf',
    json:
      '{ entries: [{ at, actor, action, subject, detail }] }, the newest last; with --head { head }, with --day also ' +
      '{ day, origin, index: of the leaf, salt }',
    takes: {
      ...{ since: option('TIME', dateIn), subject: option('SUBJECT', asSent), actor: option('ACTOR', asSent) },
      ...{ limit: LIMIT, head: FLAG, day: option('DAY', asSent) },
    },
    check({ head, day }) {
      if (day !== undefined && !(head && UTC_DAY.test(day)))
        throw new UsageError(`--day ${day}: send --head and a UTC date such as 2026-03-02.`);
    },
    async run({ limit, head, day, ...filter }, context) {
      if (day !== undefined) return loggedHead(context, day);
      if (head) return newestHead(context);
      const entries = (await context.storage.audit.list(filter, limit)).toReversed();
      return { text: tableOf(ENTRY_COLUMNS, entries), report: { entries } };
    },
  }),
  command({
    name: 'security-events',
    summary:
      'show the newest security events (default 50), the newest last: logins, lockouts, keys, refused admin calls',
    json:
      '{ events: [{ at, last_at, count, kind, result, owner_id, actor, subject, request_id, network, client }] }, the ' +
      'newest last',
    takes: {
      owner: option('OWNER', ownerIn),
      kind: option('KIND', oneOf(SECURITY_EVENT_KINDS)),
      result: option(EVENT_RESULTS.join('|'), oneOf(EVENT_RESULTS)),
      ...{ since: option('TIME', dateIn), limit: LIMIT },
    },
    async run({ owner, limit, ...filter }, { storage }) {
      const owner_id = owner === undefined ? undefined : await ownerId(storage, owner);
      const events = (await storage.securityEvents.list({ ...filter, owner_id }, null, limit)).toReversed();
      const report = { events: events.map(({ seq: _, ...event }) => event) };
      return { text: tableOf(EVENT_COLUMNS, events), report };
    },
  }),
  command({
    name: 'quarantine',
    summary: 'hide a decision from everyone but its owner, who sees the reason',
    takes: { record_id: RECORD, reason: rest('REASON', false, quarantineReasonIn) },
    async run({ record_id, reason }, { storage }) {
      const changed = await quarantineDecision(storage, record_id, reason, operatorName());
      return `${record_id}: is under quarantine${changed ? ' now' : ', as before'}`;
    },
  }),
  command({
    name: 'release',
    summary: 'end the quarantine of a decision: a graded one has its outcome again, any other is verified again',
    takes: { record_id: RECORD, reason: rest('REASON', true, releaseReasonIn) },
    async run({ record_id, reason }, { storage }) {
      const { changed, lifecycle_state } = await releaseDecision(storage, record_id, operatorName(), reason || null);
      return `${record_id}: is ${lifecycle_state}${changed ? ' now' : ', as before; it was not under quarantine'}`;
    },
  }),
];

const ENTRY_COLUMNS: Columns<LoggedEntry> = {
  at: ({ at }) => rfc3339(at),
  actor: ({ actor }) => actor,
  action: ({ action }) => action,
  subject: ({ subject }) => subject,
  detail: ({ detail }) => JSON.stringify(detail),
};

const EVENT_COLUMNS: Columns<StoredSecurityEvent> = {
  at: ({ at }) => rfc3339(at),
  count: ({ count }) => String(count),
  kind: ({ kind }) => kind,
  result: ({ result }) => result,
  owner: ({ owner_id }) => owner_id ?? '-',
  by: ({ actor }) => actor ?? '-',
  subject: ({ subject }) => subject ?? '-',
  client: ({ client }) => client,
  network: ({ network }) => network ?? '-',
};

async function newestHead({ storage }: CommandContext) {
  const head = await storage.audit.head();
  return { text: head ? headText(head) : 'The audit log is empty.', report: { head: head && headText(head) } };
}

/** What an auditor needs to compute the leaf of a day (docs/log-format.md). */
async function loggedHead({ storage }: CommandContext, day: string) {
  const logged = (await storage.log.heads()).findLast((each) => each.day === day);
  const log = logged && (await storage.log.find(logged.log));
  if (!logged || !log) return { text: `The evidence log has no head of the audit log of ${day}.`, failed: true };
  const [head, salt] = [headText(logged.head), hexOf(logged.salt)];
  const report = { head, day, origin: log.origin, index: logged.index, salt };
  return { text: `${head}\nleaf ${logged.index} of ${log.origin}\nsalt ${salt}`, report };
}

/** @throws UsageError */
function quarantineReasonIn(reason: string): string {
  const { quarantineReasonLength: most } = MODERATION;
  if (reason !== '' && [...reason].length <= most) return reason;
  throw new UsageError(`Send a reason of 1 to ${most} characters.`);
}

/** @throws UsageError */
function releaseReasonIn(reason: string): string {
  if ([...reason].length <= MODERATION.releaseReasonLength) return reason;
  throw new UsageError(`Send a reason of at most ${MODERATION.releaseReasonLength} characters, or none.`);
}

const UTC_DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The events of a deleted owner stay under the id. */
async function ownerId(storage: Parameters<typeof ownerNamed>[0], named: string): Promise<string> {
  const id = named.toLowerCase();
  return OWNER_ID.test(id) ? id : (await ownerNamed(storage, named)).owner_id;
}
