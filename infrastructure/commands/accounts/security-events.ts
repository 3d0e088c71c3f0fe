import { ownerNamed } from '../../../application/accounts/operators/owner-named.ts';
import {
  EVENT_RESULTS,
  SECURITY_EVENT_KINDS,
  type StoredSecurityEvent,
} from '../../../domain/accounts/security-event.ts';
import { OWNER_ID } from '../../../domain/identifiers.ts';
import { rfc3339 } from '../../../domain/time.ts';
import { argumentsIn, limitIn, oneOf, ownerIn, sinceIn } from '../arguments.ts';
import { type Command, UsageError } from '../command.ts';
import { table } from '../text/text-table.ts';

const OPTIONS = {
  owner: { type: 'string' },
  kind: { type: 'string' },
  result: { type: 'string' },
  since: { type: 'string' },
  limit: { type: 'string', default: '50' },
} as const;

/** The security events of all accounts, the newest last, where a terminal shows it. */
export const securityEventsCommand: Command = {
  usage: '[--owner OWNER] [--kind KIND] [--result success|failure] [--since TIME] [--limit N]',
  summary: 'show the newest security events (default 50), the newest last: logins, lockouts, keys, refused admin calls',
  json:
    '{ events: [{ at, last_at, count, kind, result, owner_id, actor, subject, request_id, network, client }] }, the ' +
    'newest last',
  read(args) {
    const { positionals, values } = argumentsIn(args, OPTIONS);
    if (positionals.length > 0) throw new UsageError('This command takes options only.');
    const filter = {
      kind: values.kind === undefined ? undefined : oneOf(SECURITY_EVENT_KINDS, values.kind, '--kind'),
      result: values.result === undefined ? undefined : oneOf(EVENT_RESULTS, values.result, '--result'),
      since: sinceIn(values.since),
    };
    const limit = limitIn(values.limit);
    const named = values.owner === undefined ? undefined : ownerIn(values.owner);
    return async ({ storage, print, report }) => {
      const owner_id = named === undefined ? undefined : await ownerId(storage, named);
      const events = (await storage.securityEvents.list({ ...filter, owner_id }, null, limit)).toReversed();
      print(
        table(['at', 'count', 'kind', 'result', 'owner', 'by', 'subject', 'client', 'network'], events.map(cellsOf)),
      );
      report({ events: events.map(({ seq: _, ...event }) => event) });
      return 0;
    };
  },
};

/** The events of a deleted owner stay under the id. */
async function ownerId(storage: Parameters<typeof ownerNamed>[0], named: string): Promise<string> {
  const id = named.toLowerCase();
  return OWNER_ID.test(id) ? id : (await ownerNamed(storage, named)).owner_id;
}

function cellsOf(event: StoredSecurityEvent): readonly string[] {
  const { at, count, kind, result, owner_id, actor, subject, client, network } = event;
  return [
    rfc3339(at),
    String(count),
    kind,
    result,
    owner_id ?? '-',
    actor ?? '-',
    subject ?? '-',
    client,
    network ?? '-',
  ];
}
