import type { z } from 'zod';
import type * as Accounts from '../../../shapes/accounts/accounts.ts';
import type * as ApiKeys from '../../../shapes/accounts/api-keys.ts';
import type * as Dashboard from '../../../shapes/accounts/dashboard.ts';
import type * as Factors from '../../../shapes/accounts/factors.ts';
import type * as OwnerSettings from '../../../shapes/accounts/owner-settings.ts';
import type * as Passkeys from '../../../shapes/accounts/passkeys.ts';
import type * as Quota from '../../../shapes/accounts/quota.ts';
import type * as SecurityEvents from '../../../shapes/accounts/security-events.ts';
import type * as Cohort from '../../../shapes/cohorts/cohort.ts';
import type * as Plans from '../../../shapes/cohorts/plans.ts';
import type * as OwnRecords from '../../../shapes/decisions/own-records.ts';
import type * as TrackRecord from '../../../shapes/decisions/track-record.ts';
import type * as Webhooks from '../../../shapes/events/webhooks.ts';

/** What the page reads of a reply: the shape that the service checks it by. Times are RFC 3339. */
export type Reply<Shape extends z.ZodType> = z.output<Shape>;

/** The replies and bodies by their names in `/openapi.json`. */
export interface Schemas {
  readonly AddedFactor: Reply<typeof Factors.addedFactor>;
  readonly AddedPasskey: Reply<typeof Passkeys.addedPasskey>;
  readonly Agent: Schemas['AgentList']['items'][number];
  readonly AgentList: Reply<typeof TrackRecord.agentList>;
  readonly ApiKey: Reply<typeof ApiKeys.keyInfo>;
  readonly ApiKeyPage: Reply<typeof ApiKeys.keyList>;
  readonly BegunTotp: Reply<typeof Factors.begunTotp>;
  readonly Capabilities: Reply<typeof Quota.capabilities>;
  readonly CohortOverview: Reply<typeof Cohort.overview>;
  readonly CountByState: Schemas['Dashboard']['decisions']['by_state'];
  readonly CreatedKey: Reply<typeof ApiKeys.createdKey>;
  readonly Dashboard: Reply<typeof Dashboard.dashboard>;
  readonly EmailConfirmed: Reply<typeof Accounts.emailConfirmed>;
  readonly ErasureTakenBack: Reply<typeof OwnerSettings.takenBack>;
  readonly FactorList: Reply<typeof Factors.factorList>;
  readonly LegalStatus: Reply<typeof OwnerSettings.legalStatus>;
  readonly ListedPlan: Reply<typeof Plans.listedPlan>;
  readonly NewRecoveryCodes: Reply<typeof Factors.newRecoveryCodes>;
  readonly OwnSecurityEvent: Reply<typeof SecurityEvents.ownEvent>;
  readonly OwnSecurityEventPage: Reply<typeof SecurityEvents.ownEventPage>;
  readonly OwnerDecisionPage: Reply<typeof OwnRecords.ownerRecordPage>;
  readonly OwnerDecisionSummary: Reply<typeof OwnRecords.ownerSummary>;
  readonly Passkey: Reply<typeof Factors.passkey>;
  readonly PasskeyAssertion: z.input<typeof Passkeys.passkeyAssertion>;
  readonly PasskeyAttestation: z.input<typeof Passkeys.passkeyAttestation>;
  readonly PasskeyCreationOptions: Reply<typeof Passkeys.creationOptions>;
  readonly PasskeyRequestOptions: Reply<typeof Passkeys.requestOptions>;
  readonly PasswordChanged: Reply<typeof Accounts.passwordChanged>;
  readonly PasswordResetAccepted: Reply<typeof Accounts.resetAccepted>;
  readonly PasswordResetDone: Reply<typeof Accounts.resetDone>;
  readonly PlannedQuery: Reply<typeof Plans.plannedQuery>;
  readonly Preferences: Reply<typeof OwnerSettings.preferences>;
  readonly PublicCohort: Reply<typeof Cohort.publicCohortReply>;
  readonly QuickSetupReply: Reply<typeof Accounts.quickSetupReply>;
  readonly ScheduledErasure: Reply<typeof OwnerSettings.scheduledErasure>;
  readonly Session: Reply<typeof Factors.session>;
  readonly SessionPage: Reply<typeof Factors.sessionList>;
  readonly StatedPlan: Reply<typeof Plans.statedPlan>;
  readonly Webhook: Reply<typeof Webhooks.webhookInfo>;
  readonly WebhookDelivery: Reply<typeof Webhooks.deliveryInfo>;
  readonly WebhookPage: Reply<typeof Webhooks.webhookList>;
  readonly WebhookSecret: Reply<typeof Webhooks.webhookSecret>;
}
