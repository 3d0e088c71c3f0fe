import { describe } from '@jest/globals';
import { decisionAdapters } from './decisions/adapters.ts';
import { benchOn } from './decisions/bench.ts';
import { digestContract } from './digests.ts';
import { eventStoreContract } from './event-store.ts';

describe.each(decisionAdapters)('$name: events', (adapter) => eventStoreContract.promises(benchOn(adapter)));

describe.each(decisionAdapters)('$name: digests', (adapter) => digestContract.promises(benchOn(adapter)));
