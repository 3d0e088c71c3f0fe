import { describe } from '@jest/globals';
import { decisionAdapters } from './decisions/adapters.ts';
import { benchOn } from './decisions/bench.ts';
import { planContract } from './plan-store.ts';

describe.each(decisionAdapters)('$name: plans', (adapter) => planContract.promises(benchOn(adapter)));
