import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { deleteOwner } from '../../../../application/accounts/operators/delete-owner.ts';
import type { Storage } from '../../../../application/ports.ts';
import type { Owner } from '../../../../domain/accounts/owner.ts';
import { anOwner } from '../../../builders/accounts.ts';
import { anAcceptance } from '../../../contracts/accounts/profile-store.ts';
import { aLoginOf } from '../../../contracts/accounts/security-event-store.ts';
import { race } from '../../../contracts/adapters.ts';
import {
  type OpenedDatabase,
  type OpenedDecisions,
  onMemory,
  onPostgres,
} from '../../../contracts/decisions/adapters.ts';

const STORAGES = [
  { name: 'memory', open: onMemory },
  { name: 'postgres', open: (): Promise<OpenedDecisions> => onPostgres(10) },
];

describe.each(STORAGES)('the deletion of an owner, on $name', ({ open }) => {
  let opened: OpenedDecisions;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  test('of 20 concurrent calls one deletes, and the others get NOT_FOUND; the audit log has one entry, and security events stay', async () => {
    const { storage, operators } = opened;
    const { owner_id } = await known(storage);
    await storage.securityEvents.append(aLoginOf(owner_id));
    const results = await race(20, () =>
      deleteOwner(operators, owner_id, 'command line').then(
        () => 'deleted',
        ({ code }) => code,
      ),
    );
    expect(results.toSorted()).toEqual([...Array(19).fill('NOT_FOUND'), 'deleted']);
    expect((await storage.audit.about(owner_id, 100)).map(({ action }) => action)).toEqual([
      'erase_records',
      'delete_owner',
    ]);
    expect(await storage.securityEvents.list({ owner_id }, null, 100)).toMatchObject([
      { kind: 'records_erased', result: 'success', actor: null, count: 1 },
      { kind: 'account_deleted', result: 'success', actor: 'command line', count: 1 },
      { kind: 'login' },
    ]);
  });
});

describe('the deletion of an owner during an addition', () => {
  let opened: OpenedDatabase;
  beforeAll(async () => {
    opened = await onPostgres(4);
  });
  afterAll(() => opened.close());

  const isAnybodyWaiting = async (): Promise<boolean> => {
    const { rows } = await opened.owner.query(
      `select from pg_locks join pg_stat_activity using (pid) where datname = current_database() and not granted`,
    );
    return rows.length > 0;
  };

  test('waits for the addition, and returns and logs its removal', async () => {
    const { storage, operators } = opened;
    const { owner_id } = await known(storage);
    const [added, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const adding = storage.transaction(async ({ profiles }) => {
      await profiles.accept(owner_id, anAcceptance());
      added.resolve();
      await end.promise;
    });
    await added.promise;
    const deletion = deleteOwner(operators, owner_id, 'command line');
    while (!(await isAnybodyWaiting())) await new Promise((resolve) => setTimeout(resolve, 5));
    end.resolve();
    await adding;
    expect((await deletion).removed).toMatchObject({ legal_acceptances: 1 });
    const [, entry] = await storage.audit.about(owner_id, 2);
    expect(entry?.detail).toMatchObject({ removed: { legal_acceptances: 1 } });
  });
});

async function known({ owners }: Storage): Promise<Owner> {
  const owner = anOwner();
  await owners.add(owner);
  return owner;
}
