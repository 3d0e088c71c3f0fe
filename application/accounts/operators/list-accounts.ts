import type { AccountFilter, ListedAccount } from '../../../domain/accounts/operators/account-reader.ts';
import { type CursorPage, type CursorQuery, cutPage, sealCursor, sealedPlace } from '../../page-cursor.ts';
import type { Ports } from '../../ports.ts';
import { noOwner } from './owner-named.ts';

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
