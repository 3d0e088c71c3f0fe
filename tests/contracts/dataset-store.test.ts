import { describe } from '@jest/globals';
import { publishingContract } from './datasets/publishing.ts';
import { decisionAdapters } from './decisions/adapters.ts';
import { benchOn } from './decisions/bench.ts';

describe.each(decisionAdapters)('$name: datasets', (adapter) => publishingContract.promises(benchOn(adapter)));
