import { describe } from '@jest/globals';
import { decisionAdapters } from '../decisions/adapters.ts';
import { linkStoreContract } from './link-store.ts';

describe.each(decisionAdapters)('$name: one-time links', linkStoreContract);
