import { describe } from '@jest/globals';
import { circuitStoreContract } from './circuit-store.ts';
import { decisionAdapters } from './decisions/adapters.ts';

describe.each(decisionAdapters)('$name: circuits', circuitStoreContract);
