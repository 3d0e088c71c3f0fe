import type { Ports } from '../../../application/ports.ts';
import type { Endpoint } from '../endpoint.ts';
import { refreshInstrumentEndpoint } from './admin/refresh-instrument.ts';
import { readBatchEndpoint, readDecisionEndpoint, readStateEndpoint } from './agent/read-decisions.ts';
import { submitDecisionEndpoint } from './agent/submit-decision.ts';
import { logoutEndpoint } from './owner/auth/logout.ts';
import { loginEndpoint } from './public/auth/login.ts';
import { quickSetupEndpoint } from './public/auth/quick-setup.ts';
import { registerEndpoint } from './public/auth/register.ts';
import { publicDecisionEndpoint, publicStateEndpoint } from './public/decisions.ts';

/** Every endpoint of the contract that is served, in the order of the reference. */
export function endpointsOf(ports: Ports): readonly Endpoint[] {
  return [
    quickSetupEndpoint(ports),
    registerEndpoint(ports),
    loginEndpoint(ports),
    logoutEndpoint(ports),
    submitDecisionEndpoint(ports),
    readBatchEndpoint(ports),
    readDecisionEndpoint(ports),
    readStateEndpoint(ports),
    publicDecisionEndpoint(ports),
    publicStateEndpoint(ports),
    refreshInstrumentEndpoint(ports),
  ];
}
