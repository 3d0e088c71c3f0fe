import { describe } from '@jest/globals';
import { decisionAdapters } from './decisions/adapters.ts';
import { benchOn } from './decisions/bench.ts';
import { nameStoreContract } from './market/name-store.ts';

describe.each(decisionAdapters)('$name: names', (adapter) => nameStoreContract.promises(benchOn(adapter)));
