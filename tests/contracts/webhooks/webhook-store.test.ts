import { describe } from '@jest/globals';
import { decisionAdapters } from '../decisions/adapters.ts';
import { benchOn } from '../decisions/bench.ts';
import { webhookContract } from './webhook-store.ts';

describe.each(decisionAdapters)('$name: webhooks', (adapter) => webhookContract.promises(benchOn(adapter)));
