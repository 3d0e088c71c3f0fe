import type { Owner } from '../../../domain/accounts/owner.ts';
import type { OwnerStore } from '../../../domain/accounts/owner-store.ts';
import { rfc3339 } from '../../../domain/time.ts';
import { type Command, UsageError } from '../command.ts';
import { table } from '../text/text-table.ts';

/** Every account, the oldest first. */
export const listOwnersCommand: Command = {
  usage: '',
  summary: 'list the owners with their email, role, tier and suspension, the oldest first',
  json: '{ owners: [{ owner_id, email: null without a password account, role, tier, created_at, suspended_at: null where not suspended }] }',
  read(args) {
    if (args.length > 0) throw new UsageError('This command takes no arguments.');
    return async ({ storage, print, report }) => {
      const owners = await everyOwner(storage.owners);
      print(table(['owner_id', 'email', 'role', 'tier', 'created', 'suspended'], owners.map(cellsOf)));
      report({ owners: owners.map(entryOf) });
      return 0;
    };
  },
};

/** Only these members: a later member of an owner must not appear in the report by itself. */
function entryOf({ owner_id, email, role, tier, created_at, suspended_at }: Owner) {
  return { owner_id, email, role, tier, created_at, suspended_at };
}

const PAGE = 1_000;

async function everyOwner(store: OwnerStore): Promise<readonly Owner[]> {
  const owners: Owner[] = [];
  for (;;) {
    const page = await store.list(owners.at(-1)?.owner_id ?? null, PAGE);
    owners.push(...page);
    if (page.length < PAGE) return owners;
  }
}

function cellsOf({ owner_id, email, role, tier, created_at, suspended_at }: Owner): readonly string[] {
  const suspended = suspended_at === null ? 'no' : secondOf(suspended_at);
  return [owner_id, email ?? 'none', role, tier, secondOf(created_at), suspended];
}

function secondOf(at: Date): string {
  return `${rfc3339(at).slice(0, 19)}Z`;
}
