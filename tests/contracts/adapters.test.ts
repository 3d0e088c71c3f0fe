import { describe } from '@jest/globals';
import { adapters } from './adapters.ts';
import { keyRecordsContract } from './api-key-records.ts';
import { apiKeyStoreContract } from './api-key-store.ts';
import { auditLogContract } from './audit-log.ts';
import { barCacheContract } from './bar-cache.ts';
import { clockContract } from './clock.ts';
import { identityStoreContract } from './identity-store.ts';
import { instrumentStoreContract } from './instrument-store.ts';
import { ownerStoreContract } from './owner-store.ts';
import { processStoreContract } from './process-store.ts';
import { profileStoreContract } from './profile-store.ts';
import { sourceHealthContract } from './source-health.ts';
import { suspensionContract } from './suspension.ts';
import { symbolStoreContract } from './symbol-store.ts';
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
