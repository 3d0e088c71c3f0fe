import { describe } from '@jest/globals';
import { keyRecordsContract } from './accounts/api-key-records.ts';
import { apiKeyStoreContract } from './accounts/api-key-store.ts';
import { identityStoreContract } from './accounts/identity-store.ts';
import { ownerStoreContract } from './accounts/owner-store.ts';
import { profileStoreContract } from './accounts/profile-store.ts';
import { suspensionContract } from './accounts/suspension.ts';
import { adapters } from './adapters.ts';
import { auditLogContract } from './audit-log.ts';
import { clockContract } from './clock.ts';
import { barCacheContract } from './market/bar-cache.ts';
import { instrumentStoreContract } from './market/instrument-store.ts';
import { sourceHealthContract } from './market/source-health.ts';
import { symbolStoreContract } from './market/symbol-store.ts';
import { processStoreContract } from './process-store.ts';
import { transactionContract } from './transaction.ts';

const contracts = [
  ownerStoreContract,
  apiKeyStoreContract,
  profileStoreContract,
  suspensionContract,
  keyRecordsContract,
  identityStoreContract,
  instrumentStoreContract,
  barCacheContract,
  clockContract,
  auditLogContract,
  symbolStoreContract,
  sourceHealthContract,
  processStoreContract,
  transactionContract,
];

for (const adapter of adapters) {
  for (const contract of contracts) {
    describe(`${adapter.name}: ${contract.name}`, () => contract.promises(adapter.open));
  }
}
