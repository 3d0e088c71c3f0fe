import { describe } from '@jest/globals';
import { decisionAdapters } from '../decisions/adapters.ts';
import { securityEventContract } from './security-event-store.ts';

describe.each(decisionAdapters)('$name: security events', securityEventContract);
