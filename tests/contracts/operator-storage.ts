import type { PostgresStorage } from '../../adapters/postgres/storage.ts';
import type { Storage } from '../../application/ports.ts';

/** What commands of operators change as the owner of the schema, and the service's role may not. */
export type OperatorStorage = Pick<Storage, 'ownerAdministration' | 'transaction'>;

/** Opens that storage at its first use. */
export function operatorStorage(
  open: () => Promise<PostgresStorage>,
): OperatorStorage & Pick<PostgresStorage, 'close'> {
  let opened: Promise<PostgresStorage> | undefined;
  const storage = () => {
    opened ??= open();
    return opened;
  };
  return {
    ownerAdministration: {
      setRole: async (...change) => (await storage()).ownerAdministration.setRole(...change),
      setTier: async (...change) => (await storage()).ownerAdministration.setTier(...change),
      suspend: async (owner_id) => (await storage()).ownerAdministration.suspend(owner_id),
      resume: async (owner_id) => (await storage()).ownerAdministration.resume(owner_id),
      remove: async (owner_id) => (await storage()).ownerAdministration.remove(owner_id),
    },
    transaction: async (work) => (await storage()).transaction(work),
    close: async () => (await opened)?.close(),
  };
}
