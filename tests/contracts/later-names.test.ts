import { describe } from '@jest/globals';
import { decisionAdapters } from './decisions/adapters.ts';
import { benchOn } from './decisions/bench.ts';
import { laterNamesContract } from './market/later-names.ts';

describe.each(decisionAdapters)('$name: names learned later', (adapter) =>
  laterNamesContract.promises(benchOn(adapter)),
);
