import { describe } from '@jest/globals';
import { buildingContract } from './atlas/building.ts';
import { decisionAdapters } from './decisions/adapters.ts';
import { benchOn } from './decisions/bench.ts';

describe.each(decisionAdapters)('$name: atlas', (adapter) => buildingContract.promises(benchOn(adapter)));
