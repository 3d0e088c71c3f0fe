import { describe } from '@jest/globals';
import { decisionAdapters } from './decisions/adapters.ts';
import { workflowStoreContract } from './workflows/workflow-store.ts';

describe.each(decisionAdapters)('$name: workflows', workflowStoreContract);
