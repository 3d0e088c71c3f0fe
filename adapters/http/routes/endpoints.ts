import type { EventStreams } from '../../../application/events/event-stream.ts';
import { eventStreams } from '../../../application/events/event-streams.ts';
import type { Ports } from '../../../application/ports.ts';
import type { Endpoint } from '../kit/endpoint.ts';
import {
  listAccountsEndpoint,
  readAccountEndpoint,
  resumeAccountEndpoint,
  setTierEndpoint,
  suspendAccountEndpoint,
} from './admin/accounts.ts';
import { auditLogEndpoint, securityEventsEndpoint } from './admin/audit.ts';
import { listQuarantinedEndpoint, quarantineDecisionEndpoint, releaseDecisionEndpoint } from './admin/decisions.ts';
import { listInstrumentsEndpoint, refreshInstrumentEndpoint } from './admin/instruments.ts';
import {
  circuitHistoryEndpoint,
  listCircuitsEndpoint,
  pegHistoryEndpoint,
  resolveCircuitEndpoint,
  tripCircuitEndpoint,
} from './admin/stablecoin.ts';
import { readStatusEndpoint } from './admin/status.ts';
import { agentEventsEndpoint } from './agent/events.ts';
import { findInstrumentsEndpoint } from './agent/find-instruments.ts';
import { listPlansEndpoint, planReceiptEndpoint, readPlanEndpoint, statePlanEndpoint } from './agent/plans.ts';
import {
  decisionReceiptEndpoint,
  listAgentDecisionsEndpoint,
  readBatchEndpoint,
  readDecisionEndpoint,
  readGraphEndpoint,
  readStateEndpoint,
} from './agent/read-decisions.ts';
import { submitDecisionEndpoint } from './agent/submit-decision.ts';
import { wisdomEndpoint } from './agent/wisdom.ts';
import { listNodesEndpoint, readNodeEndpoint } from './nodes.ts';
import { listAgentsEndpoint, trackRecordEndpoint } from './owner/agents.ts';
import {
  createKeyEndpoint,
  listKeysEndpoint,
  revokeKeyEndpoint,
  rotateKeyEndpoint,
  updateKeyEndpoint,
} from './owner/auth/api-keys.ts';
import { requestConfirmationEndpoint } from './owner/auth/email.ts';
import {
  beginTotpEndpoint,
  cancelFactorResetEndpoint,
  confirmTotpEndpoint,
  listFactorsEndpoint,
  removeTotpEndpoint,
  renewRecoveryCodesEndpoint,
} from './owner/auth/factors.ts';
import {
  addPasskeyEndpoint,
  passkeyCreationEndpoint,
  removePasskeyEndpoint,
  renamePasskeyEndpoint,
} from './owner/auth/passkeys.ts';
import { logoutEndpoint, reauthenticateEndpoint } from './owner/auth/session.ts';
import { endOtherSessionsEndpoint, endSessionEndpoint, listSessionsEndpoint } from './owner/auth/sessions.ts';
import { dashboardEndpoint } from './owner/dashboard.ts';
import {
  listDecisionsEndpoint,
  readOwnDecisionEndpoint,
  readOwnStateEndpoint,
  revokeDecisionEndpoint,
} from './owner/decisions.ts';
import { ownerEventsEndpoint, ownSecurityEventsEndpoint } from './owner/events.ts';
import { archiveAgentEndpoint, removeAgentEndpoint, restoreAgentEndpoint } from './owner/manage-agents.ts';
import {
  exportEndpoint,
  readErasureEndpoint,
  recordProofEndpoint,
  scheduleErasureEndpoint,
  takeBackErasureEndpoint,
} from './owner/own-data.ts';
import { changePasswordEndpoint } from './owner/password.ts';
import { acceptLegalEndpoint, legalStatusEndpoint, preferencesEndpoint } from './owner/settings.ts';
import {
  listDeliveriesEndpoint,
  resendDeliveryEndpoint,
  resendFailedEndpoint,
  testWebhookEndpoint,
} from './owner/webhook-deliveries.ts';
import {
  changeWebhookEndpoint,
  createWebhookEndpoint,
  listWebhooksEndpoint,
  readWebhookEndpoint,
  removeWebhookEndpoint,
  rotateWebhookSecretEndpoint,
} from './owner/webhooks.ts';
import { exportWorkflowEndpoint, importWorkflowEndpoint } from './owner/workflow-files.ts';
import { listSnapshotsEndpoint, publishWorkflowEndpoint, workflowUsageEndpoint } from './owner/workflow-snapshots.ts';
import {
  createWorkflowEndpoint,
  deleteWorkflowEndpoint,
  forkWorkflowEndpoint,
  listWorkflowsEndpoint,
  readWorkflowEndpoint,
  updateWorkflowEndpoint,
} from './owner/workflows.ts';
import { atlasNetworkEndpoint, atlasSeedsEndpoint } from './public/atlas.ts';
import { pollDeviceEndpoint, startDeviceEndpoint } from './public/auth/idp/device.ts';
import {
  providerCallbackEndpoint,
  providerLogoutEndpoint,
  providerRedirectEndpoint,
} from './public/auth/idp/redirect.ts';
import { loginEndpoint, passkeyLoginEndpoint, passkeyOptionsEndpoint } from './public/auth/login.ts';
import { confirmEmailEndpoint, confirmResetEndpoint, requestResetEndpoint } from './public/auth/mailed-links.ts';
import { quickSetupEndpoint, registerEndpoint } from './public/auth/register.ts';
import { authStatusEndpoint } from './public/auth/status.ts';
import { publicCohortEndpoint } from './public/cohorts.ts';
import {
  newestDecisionsEndpoint,
  publicDecisionEndpoint,
  publicGraphEndpoint,
  publicStateEndpoint,
} from './public/decisions.ts';
import { decisionProofEndpoint, loggedRecordEndpoint } from './public/log.ts';
import { publicCircuitsEndpoint } from './public/stablecoin.ts';
import { exportSkillEndpoint, exportSnapshotEndpoint } from './public/workflow-files.ts';
import { marketplaceEndpoint, readSnapshotEndpoint } from './public/workflows.ts';

/** Every endpoint of the contract that is served, in the order of the reference. `streams`: those of this process. */
export function endpointsOf(ports: Ports, streams: EventStreams = eventStreams(ports)): readonly Endpoint[] {
  const submit = submitDecisionEndpoint(ports);
  const wisdom = wisdomEndpoint(ports);
  const agents = [
    submit,
    listAgentDecisionsEndpoint(ports),
    readBatchEndpoint(ports),
    readDecisionEndpoint(ports),
    readStateEndpoint(ports),
    readGraphEndpoint(ports),
    decisionReceiptEndpoint(ports),
    wisdom,
    statePlanEndpoint(ports),
    listPlansEndpoint(ports),
    readPlanEndpoint(ports),
    planReceiptEndpoint(ports),
    findInstrumentsEndpoint(ports),
    agentEventsEndpoint(ports, streams),
  ];
  return [
    quickSetupEndpoint(ports),
    registerEndpoint(ports),
    loginEndpoint(ports),
    passkeyOptionsEndpoint(ports),
    passkeyLoginEndpoint(ports),
    providerRedirectEndpoint(ports),
    providerCallbackEndpoint(ports),
    providerLogoutEndpoint(ports),
    startDeviceEndpoint(ports),
    pollDeviceEndpoint(ports),
    requestResetEndpoint(ports),
    confirmResetEndpoint(ports),
    confirmEmailEndpoint(ports),
    requestConfirmationEndpoint(ports),
    logoutEndpoint(ports),
    reauthenticateEndpoint(ports),
    listFactorsEndpoint(ports),
    beginTotpEndpoint(ports),
    confirmTotpEndpoint(ports),
    removeTotpEndpoint(ports),
    passkeyCreationEndpoint(ports),
    addPasskeyEndpoint(ports),
    renamePasskeyEndpoint(ports),
    removePasskeyEndpoint(ports),
    renewRecoveryCodesEndpoint(ports),
    cancelFactorResetEndpoint(ports),
    listSessionsEndpoint(ports),
    endSessionEndpoint(ports),
    endOtherSessionsEndpoint(ports),
    ownSecurityEventsEndpoint(ports),
    exportEndpoint(ports),
    recordProofEndpoint(ports),
    scheduleErasureEndpoint(ports),
    readErasureEndpoint(ports),
    takeBackErasureEndpoint(ports),
    authStatusEndpoint(ports),
    changePasswordEndpoint(ports),
    legalStatusEndpoint(ports),
    acceptLegalEndpoint(ports),
    preferencesEndpoint(ports),
    listKeysEndpoint(ports),
    createKeyEndpoint(ports),
    updateKeyEndpoint(ports),
    revokeKeyEndpoint(ports),
    rotateKeyEndpoint(ports),
    dashboardEndpoint(ports),
    listAgentsEndpoint(ports),
    trackRecordEndpoint(ports),
    archiveAgentEndpoint(ports),
    restoreAgentEndpoint(ports),
    removeAgentEndpoint(ports),
    listDecisionsEndpoint(ports),
    readOwnDecisionEndpoint(ports),
    readOwnStateEndpoint(ports),
    revokeDecisionEndpoint(ports),
    ownerEventsEndpoint(ports, streams),
    ...(ports.webhookSender === null ? [] : webhookEndpoints(ports)),
    listWorkflowsEndpoint(ports),
    createWorkflowEndpoint(ports),
    importWorkflowEndpoint(ports),
    readWorkflowEndpoint(ports),
    updateWorkflowEndpoint(ports),
    deleteWorkflowEndpoint(ports),
    forkWorkflowEndpoint(ports),
    listSnapshotsEndpoint(ports),
    publishWorkflowEndpoint(ports),
    workflowUsageEndpoint(ports),
    exportWorkflowEndpoint(ports),
    ...agents,
    newestDecisionsEndpoint(ports),
    publicDecisionEndpoint(ports),
    publicStateEndpoint(ports),
    publicGraphEndpoint(ports),
    decisionProofEndpoint(ports),
    loggedRecordEndpoint(ports),
    atlasNetworkEndpoint(ports),
    atlasSeedsEndpoint(ports, wisdom),
    publicCohortEndpoint(ports),
    publicCircuitsEndpoint(ports),
    marketplaceEndpoint(ports),
    readSnapshotEndpoint(ports),
    exportSnapshotEndpoint(ports),
    exportSkillEndpoint(ports, submit, agents),
    listNodesEndpoint(),
    readNodeEndpoint(),
    quarantineDecisionEndpoint(ports),
    refreshInstrumentEndpoint(ports),
    listCircuitsEndpoint(ports),
    tripCircuitEndpoint(ports),
    resolveCircuitEndpoint(ports),
    circuitHistoryEndpoint(ports),
    securityEventsEndpoint(ports),
    readStatusEndpoint(ports),
    pegHistoryEndpoint(ports),
    listAccountsEndpoint(ports),
    readAccountEndpoint(ports),
    suspendAccountEndpoint(ports),
    resumeAccountEndpoint(ports),
    setTierEndpoint(ports),
    auditLogEndpoint(ports),
    listQuarantinedEndpoint(ports),
    releaseDecisionEndpoint(ports),
    listInstrumentsEndpoint(ports),
  ];
}

function webhookEndpoints(ports: Ports): readonly Endpoint[] {
  return [
    listWebhooksEndpoint(ports),
    createWebhookEndpoint(ports),
    readWebhookEndpoint(ports),
    changeWebhookEndpoint(ports),
    removeWebhookEndpoint(ports),
    rotateWebhookSecretEndpoint(ports),
    testWebhookEndpoint(ports),
    listDeliveriesEndpoint(ports),
    resendDeliveryEndpoint(ports),
    resendFailedEndpoint(ports),
  ];
}
