import { describe } from '@jest/globals';
import { decisionAdapters } from './decisions/adapters.ts';
import { benchOn } from './decisions/bench.ts';
import { killedSequencerContract } from './log/killed-sequencer.ts';
import { logStoreContract } from './log/log-store.ts';

describe.each(decisionAdapters)('$name: evidence log', (adapter) => logStoreContract(benchOn(adapter)));

describe.each(decisionAdapters)('$name: killed sequencer', (adapter) => killedSequencerContract(benchOn(adapter)));
