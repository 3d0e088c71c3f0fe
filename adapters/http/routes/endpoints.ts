import type { EventStreams } from '../../../application/events/event-stream.ts';
import { eventStreams } from '../../../application/events/event-streams.ts';
import type { Ports } from '../../../application/ports.ts';
import type { Endpoint } from '../kit/endpoint.ts';
import { accountEndpoints } from './admin/accounts.ts';
import { auditLogEndpoint, securityEventsEndpoint } from './admin/audit.ts';
import { listQuarantinedEndpoint, quarantineDecisionEndpoint, releaseDecisionEndpoint } from './admin/decisions.ts';
import { listInstrumentsEndpoint, refreshInstrumentEndpoint } from './admin/instruments.ts';
import { probeSourcesEndpoint, requestBackupEndpoint } from './admin/service-actions.ts';
import { readMinutesEndpoint, readStatusEndpoint } from './admin/status.ts';
import { findInstrumentsEndpoint } from './agent/find-instruments.ts';
import { addNoteEndpoint, emptyNoteEndpoint } from './agent/notes.ts';
import { planEndpoints } from './agent/plans.ts';
import { decisionEndpoints } from './agent/read-decisions.ts';
import { recallEndpoint } from './agent/recall.ts';
import { submitDecisionEndpoint, submitDecisionGroupEndpoint } from './agent/submit-decision.ts';
import { backtestEndpoints } from './backtests.ts';
import { circuitEndpoints, pegHistoryEndpoint, publicCircuitsEndpoint } from './circuits.ts';
import { publicCohortEndpoint, wisdomEndpoint } from './cohorts.ts';
import { agentEventsEndpoint, ownerEventsEndpoint, ownSecurityEventsEndpoint } from './events.ts';
import { listNodesEndpoint, readNodeEndpoint } from './nodes.ts';
import { agentEndpoints } from './owner/agents.ts';
import { keyEndpoints } from './owner/auth/api-keys.ts';
import { factorEndpoints } from './owner/auth/factors.ts';
import { passkeyEndpoints } from './owner/auth/passkeys.ts';
import { logoutEndpoint, reauthenticateEndpoint, sessionEndpoints } from './owner/auth/sessions.ts';
import { ownDecisionEndpoints } from './owner/decisions.ts';
import { digestEndpoints } from './owner/digest.ts';
import { ownDataEndpoints } from './owner/own-data.ts';
import { changePasswordEndpoint, settingsEndpoints } from './owner/settings.ts';
import { webhookEndpoints } from './owner/webhooks.ts';
import { workflowEndpoints } from './owner/workflows.ts';
import { atlasNetworkEndpoint, atlasSeedsEndpoint } from './public/atlas.ts';
import { deviceEndpoints } from './public/auth/idp/device.ts';
import { providerEndpoints } from './public/auth/idp/redirect.ts';
import { authStatusEndpoint, loginEndpoints } from './public/auth/login.ts';
import { mailedLinkEndpoints, requestConfirmationEndpoint } from './public/auth/mailed-links.ts';
import { registrationEndpoints } from './public/auth/register.ts';
import { publicDecisionEndpoints } from './public/decisions.ts';
import { publicLogEndpoints } from './public/log.ts';
import { securityEndpoints } from './public/securities.ts';
import {
  exportSkillEndpoint,
  exportSnapshotEndpoint,
  marketplaceEndpoint,
  readSnapshotEndpoint,
} from './public/workflows.ts';

/** Every endpoint of the contract that is served, in the order of the reference. `streams`: those of this process. */
export function endpointsOf(ports: Ports, streams: EventStreams = eventStreams(ports)): readonly Endpoint[] {
  const submit = submitDecisionEndpoint(ports);
  const wisdom = wisdomEndpoint(ports);
  const agents = [
    submit,
    submitDecisionGroupEndpoint(ports),
    ...decisionEndpoints(ports),
    addNoteEndpoint(ports),
    wisdom,
    recallEndpoint(ports),
    ...planEndpoints(ports),
    ...backtestEndpoints(ports),
    findInstrumentsEndpoint(ports),
    agentEventsEndpoint(ports, streams),
  ];
  return [
    ...registrationEndpoints(ports),
    ...loginEndpoints(ports),
    ...providerEndpoints(ports),
    ...deviceEndpoints(ports),
    ...mailedLinkEndpoints(ports),
    requestConfirmationEndpoint(ports),
    logoutEndpoint(ports),
    reauthenticateEndpoint(ports),
    ...factorEndpoints(ports, passkeyEndpoints(ports)),
    ...sessionEndpoints(ports),
    ownSecurityEventsEndpoint(ports),
    ...ownDataEndpoints(ports),
    authStatusEndpoint(ports),
    changePasswordEndpoint(ports),
    ...settingsEndpoints(ports),
    ...keyEndpoints(ports),
    ...agentEndpoints(ports),
    ...ownDecisionEndpoints(ports),
    emptyNoteEndpoint(ports),
    ownerEventsEndpoint(ports, streams),
    ...digestEndpoints(ports),
    ...(ports.webhookSender === null ? [] : webhookEndpoints(ports)),
    ...workflowEndpoints(ports),
    ...agents,
    ...publicDecisionEndpoints(ports),
    ...publicLogEndpoints(ports),
    ...securityEndpoints(ports),
    atlasNetworkEndpoint(ports),
    atlasSeedsEndpoint(ports, wisdom),
    publicCohortEndpoint(ports),
    publicCircuitsEndpoint(ports),
    marketplaceEndpoint(ports),
    readSnapshotEndpoint(ports),
    exportSnapshotEndpoint(ports),
    exportSkillEndpoint(
      ports,
      submit,
      agents.filter(({ path }) => path.startsWith('/api/v1/agent/')),
    ),
    listNodesEndpoint(),
    readNodeEndpoint(),
    quarantineDecisionEndpoint(ports),
    refreshInstrumentEndpoint(ports),
    ...circuitEndpoints(ports),
    securityEventsEndpoint(ports),
    readStatusEndpoint(ports),
    readMinutesEndpoint(ports),
    probeSourcesEndpoint(ports),
    requestBackupEndpoint(ports),
    pegHistoryEndpoint(ports),
    ...accountEndpoints(ports),
    auditLogEndpoint(ports),
    listQuarantinedEndpoint(ports),
    releaseDecisionEndpoint(ports),
    listInstrumentsEndpoint(ports),
  ];
}
