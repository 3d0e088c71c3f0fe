import { describe } from '@jest/globals';
import { decisionAdapters } from './decisions/adapters.ts';
import { benchOn } from './decisions/bench.ts';
import { killedSequencerContract } from './log/killed-sequencer.ts';
import { lifecyclePathsContract } from './log/lifecycle-paths.ts';
import { logStoreContract } from './log/log-store.ts';
import { nextLogContract } from './log/next-log.ts';
import { publicLeavesContract } from './log/public-leaves.ts';
import { signatureStoreContract } from './log/signature-store.ts';

describe.each(decisionAdapters)('$name: evidence log', (adapter) => logStoreContract(benchOn(adapter)));

describe.each(decisionAdapters)('$name: signatures of the log', (adapter) => signatureStoreContract(benchOn(adapter)));

describe.each(decisionAdapters)('$name: killed sequencer', (adapter) => killedSequencerContract(benchOn(adapter)));

describe.each(decisionAdapters)('$name: paths of the lifecycle', (adapter) => lifecyclePathsContract(benchOn(adapter)));

describe.each(decisionAdapters)('$name: next log', (adapter) => nextLogContract(benchOn(adapter)));

describe.each(decisionAdapters)('$name: public leaves', (adapter) => publicLeavesContract(benchOn(adapter)));
