import { describe } from '@jest/globals';
import { decisionAdapters } from '../decisions/adapters.ts';
import { loginStoreContract } from './login-store.ts';

describe.each(decisionAdapters)('$name: logins', loginStoreContract);
