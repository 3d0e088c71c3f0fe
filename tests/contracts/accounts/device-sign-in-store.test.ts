import { describe } from '@jest/globals';
import { decisionAdapters } from '../decisions/adapters.ts';
import { deviceSignInStoreContract } from './device-sign-in-store.ts';

describe.each(decisionAdapters)('$name: device sign-ins', deviceSignInStoreContract);
