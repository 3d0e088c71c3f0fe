import { describe } from '@jest/globals';
import { decisionAdapters } from '../decisions/adapters.ts';
import { sessionStoreContract } from './session-store.ts';

describe.each(decisionAdapters)('$name: sessions', sessionStoreContract);
