import type { AccountFilter, ListedAccount } from '../../../domain/accounts/operators/owner-administration.ts';
import type { Owner } from '../../../domain/accounts/owner.ts';
import { OWNER_ID } from '../../../domain/identifiers.ts';
import { Problem } from '../../../domain/problem.ts';
import { type CursorPage, type CursorQuery, cutPage, sealCursor, sealedPlace } from '../../page-cursor.ts';
import type { Ports, Stores } from '../../ports.ts';

/**
 * A page of the accounts that match, the youngest first.
 * @throws Problem VALIDATION_ERROR for a cursor of another query
 */
export async function listAccounts(
  { accounts, settings }: Pick<Ports, 'accounts' | 'settings'>,
  { cursor, limit, ...filter }: AccountFilter & CursorQuery,
): Promise<CursorPage<ListedAccount>> {
  const about = ['accounts', filter];
  const before = sealedPlace(settings.sessionSecret, about, cursor) as string | null;
  const { rows: items, last } = await cutPage((most) => accounts.list(filter, before, most), limit);
  return { items, next_cursor: last ? sealCursor(settings.sessionSecret, about, last.owner_id) : null };
}

/** One account, as the list has it. @throws Problem NOT_FOUND */
export async function readAccount({ accounts }: Pick<Ports, 'accounts'>, owner_id: string): Promise<ListedAccount> {
  const found = await accounts.list({ find: owner_id }, null, 2);
  const account = found.find((each) => each.owner_id === owner_id.toLowerCase());
  if (!account) throw noOwner(owner_id);
  return account;
}

/**
 * The owner that an operator names (settled.md section 8).
 * @param named an owner_id, or the email of a password account
 * @throws Problem NOT_FOUND
 */
export async function ownerNamed({ owners }: Pick<Stores, 'owners'>, named: string): Promise<Owner> {
  const id = named.toLowerCase();
  const owner = OWNER_ID.test(id) ? await owners.find(id) : await owners.findByEmail(named);
  if (!owner) throw noOwner(named);
  return owner;
}

/** The refusal for an owner who does not exist, or no longer. */
export function noOwner(named: string): Problem {
  return new Problem('NOT_FOUND', `There is no owner ${named}.`);
}
