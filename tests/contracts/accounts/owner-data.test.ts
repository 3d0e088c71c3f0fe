import { describe } from '@jest/globals';
import { decisionAdapters } from '../decisions/adapters.ts';
import { benchOn } from '../decisions/bench.ts';
import { ownerDataContract } from './owner-data.ts';

describe.each(decisionAdapters)('$name: the data of an owner', (adapter) =>
  ownerDataContract.promises(benchOn(adapter)),
);
