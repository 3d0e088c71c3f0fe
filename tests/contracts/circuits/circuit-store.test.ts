import { describe } from '@jest/globals';
import { decisionAdapters } from '../decisions/adapters.ts';
import { circuitStoreContract } from './circuit-store.ts';

describe.each(decisionAdapters)('$name: circuits', circuitStoreContract);
