import { describe } from '@jest/globals';
import { decisionAdapters } from './decisions/adapters.ts';
import { mailStoreContract } from './mail-store.ts';

describe.each(decisionAdapters)('$name: mails', mailStoreContract);
