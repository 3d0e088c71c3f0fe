import type { Auth } from '../../adapters/http/kit/endpoint.ts';

export type Accepted = 'K' | 'B' | 'S';

/** Who may call, in the letters of the contract; `optional`: any of them or nobody. */
export type Access = 'none' | 'optional' | 'admin' | readonly Accepted[];

const KEY = ['K'] as const;
const ANY = ['K', 'B', 'S'] as const;
const OWNER = ['B', 'S'] as const;
const SESSION = ['S'] as const;

/** Method, path and credentials of every endpoint of interface.md 4.1 to 4.5, and of the additions of settled.md. */
export const CONTRACT: readonly (readonly [method: string, path: string, access: Access])[] = [
  ['POST', '/api/v1/admin/decisions/{record_id}/quarantine', 'admin'],
  ['POST', '/api/v1/admin/instruments/{market}/{symbol}/{venue}/{asset_class}/{quote_currency}/refresh', 'admin'],
  ['GET', '/api/v1/admin/stablecoin', 'admin'],
  ['POST', '/api/v1/admin/stablecoin/{coin}/resolve', 'admin'],
  ['POST', '/api/v1/admin/stablecoin/{coin}/trip', 'admin'],
  // settled.md 9: an addition
  ['GET', '/api/v1/admin/stablecoin/{coin}/history', 'admin'],
  ['GET', '/api/v1/admin/security-events', 'admin'],
  ['GET', '/api/v1/admin/status', 'admin'],
  ['GET', '/api/v1/admin/accounts', 'admin'],
  ['GET', '/api/v1/admin/accounts/{owner_id}', 'admin'],
  ['POST', '/api/v1/admin/accounts/{owner_id}/suspend', 'admin'],
  ['POST', '/api/v1/admin/accounts/{owner_id}/resume', 'admin'],
  ['PUT', '/api/v1/admin/accounts/{owner_id}/tier', 'admin'],
  ['GET', '/api/v1/admin/audit-log', 'admin'],
  ['GET', '/api/v1/admin/quarantined-decisions', 'admin'],
  ['POST', '/api/v1/admin/decisions/{record_id}/release', 'admin'],
  ['GET', '/api/v1/admin/instruments', 'admin'],
  ['GET', '/api/v1/admin/stablecoin/{coin}/observations', 'admin'],

  ['POST', '/api/v1/agent/decisions', KEY],
  // settled.md 5: an addition
  ['GET', '/api/v1/agent/decisions', KEY],
  ['POST', '/api/v1/agent/decisions/batch', ANY],
  ['GET', '/api/v1/agent/decisions/{record_id}', ANY],
  ['GET', '/api/v1/agent/decisions/{record_id}/graph', ANY],
  ['GET', '/api/v1/agent/decisions/{record_id}/state', ANY],
  // Additions of the evidence log (docs/log.md).
  ['GET', '/api/v1/agent/decisions/{record_id}/receipt', ANY],
  ['GET', '/api/v1/public/decisions/{record_id}/proof', 'none'],
  ['GET', '/api/v1/public/log/{index}', 'none'],
  ['GET', '/api/v1/agent/wisdom', ANY],
  ['GET', '/api/v1/agent/instruments', ANY],
  // Additions: questions that are stated before they are asked (docs/cohorts.md).
  ['POST', '/api/v1/agent/plans', KEY],
  ['GET', '/api/v1/agent/plans', ANY],
  ['GET', '/api/v1/agent/plans/{plan_id}', ANY],
  ['GET', '/api/v1/agent/plans/{plan_id}/receipt', ANY],
  // Additions: what happened to decisions (docs/events.md).
  ['GET', '/api/v1/agent/events', KEY],
  ['GET', '/api/v1/owner/events', OWNER],
  // Additions: events that are sent (docs/webhooks.md).
  ['GET', '/api/v1/owner/webhooks', OWNER],
  ['POST', '/api/v1/owner/webhooks', OWNER],
  ['GET', '/api/v1/owner/webhooks/{webhook_id}', OWNER],
  ['PATCH', '/api/v1/owner/webhooks/{webhook_id}', OWNER],
  ['DELETE', '/api/v1/owner/webhooks/{webhook_id}', OWNER],
  ['POST', '/api/v1/owner/webhooks/{webhook_id}/rotate-secret', OWNER],
  ['POST', '/api/v1/owner/webhooks/{webhook_id}/test', OWNER],
  ['POST', '/api/v1/owner/webhooks/{webhook_id}/resend-failed', OWNER],
  ['GET', '/api/v1/owner/webhooks/{webhook_id}/deliveries', OWNER],
  ['POST', '/api/v1/owner/webhooks/{webhook_id}/deliveries/{delivery_id}/resend', OWNER],

  ['GET', '/api/v1/owner/agents', OWNER],
  ['GET', '/api/v1/owner/agents/{agent_id}/track-record', OWNER],
  // Additions: agents that are archived and removed (docs/contract.md).
  ['POST', '/api/v1/owner/agents/{agent_id}/archive', OWNER],
  ['POST', '/api/v1/owner/agents/{agent_id}/restore', OWNER],
  ['DELETE', '/api/v1/owner/agents/{agent_id}', OWNER],
  ['GET', '/api/v1/owner/auth/api-keys', OWNER],
  ['POST', '/api/v1/owner/auth/api-keys', OWNER],
  ['DELETE', '/api/v1/owner/auth/api-keys/{key_prefix}', OWNER],
  ['PATCH', '/api/v1/owner/auth/api-keys/{key_prefix}', OWNER],
  ['POST', '/api/v1/owner/auth/api-keys/{key_prefix}/rotate', OWNER],
  ['POST', '/api/v1/owner/auth/logout', SESSION],
  // Additions: the sessions of an owner (docs/contract.md).
  ['POST', '/api/v1/owner/auth/reauthenticate', SESSION],
  // Additions: second factors (docs/second-factors.md).
  ['GET', '/api/v1/owner/auth/factors', OWNER],
  ['POST', '/api/v1/owner/auth/factors/totp', SESSION],
  ['POST', '/api/v1/owner/auth/factors/totp/confirm', SESSION],
  ['DELETE', '/api/v1/owner/auth/factors/totp', SESSION],
  ['POST', '/api/v1/owner/auth/factors/recovery-codes', SESSION],
  ['DELETE', '/api/v1/owner/auth/factors/reset', OWNER],
  ['POST', '/api/v1/owner/auth/factors/passkeys/options', SESSION],
  ['POST', '/api/v1/owner/auth/factors/passkeys', SESSION],
  ['PATCH', '/api/v1/owner/auth/factors/passkeys/{passkey_id}', SESSION],
  ['DELETE', '/api/v1/owner/auth/factors/passkeys/{passkey_id}', SESSION],
  ['POST', '/api/v1/owner/auth/email/confirmation', OWNER],
  ['GET', '/api/v1/owner/auth/sessions', OWNER],
  ['DELETE', '/api/v1/owner/auth/sessions', OWNER],
  ['DELETE', '/api/v1/owner/auth/sessions/{session_id}', OWNER],
  ['GET', '/api/v1/owner/dashboard', OWNER],
  // Addition: the security events of an owner (docs/contract.md).
  ['GET', '/api/v1/owner/security-events', OWNER],
  // Addition: an owner's copy of their data (docs/contract.md).
  ['GET', '/api/v1/owner/export', OWNER],
  // Addition: the erasure of an account (docs/contract.md).
  ['GET', '/api/v1/owner/erasure', OWNER],
  ['POST', '/api/v1/owner/erasure', OWNER],
  ['DELETE', '/api/v1/owner/erasure', OWNER],
  ['GET', '/api/v1/owner/decisions', OWNER],
  ['GET', '/api/v1/owner/decisions/{record_id}', OWNER],
  ['POST', '/api/v1/owner/decisions/{record_id}/revoke', OWNER],
  ['GET', '/api/v1/owner/decisions/{record_id}/state', OWNER],
  ['POST', '/api/v1/owner/legal-acceptance', OWNER],
  ['GET', '/api/v1/owner/legal-status', OWNER],
  ['PUT', '/api/v1/owner/password', SESSION],
  ['PUT', '/api/v1/owner/preferences', OWNER],

  ['GET', '/api/v1/owner/workflows', OWNER],
  ['POST', '/api/v1/owner/workflows', OWNER],
  ['POST', '/api/v1/owner/workflows/import', OWNER],
  ['GET', '/api/v1/owner/workflows/{id}', OWNER],
  ['PUT', '/api/v1/owner/workflows/{id}', OWNER],
  ['DELETE', '/api/v1/owner/workflows/{id}', OWNER],
  ['POST', '/api/v1/owner/workflows/{id}/fork', OWNER],
  ['GET', '/api/v1/owner/workflows/{id}/snapshots', OWNER],
  ['POST', '/api/v1/owner/workflows/{id}/snapshots', OWNER],
  ['GET', '/api/v1/owner/workflows/{id}/usage', OWNER],
  ['GET', '/api/v1/owner/workflows/{id}/yaml', OWNER],

  ['GET', '/api/v1/public/atlas/network', 'none'],
  ['GET', '/api/v1/public/atlas/seeds', 'none'],
  // An addition: counts of cohorts for everybody (docs/cohorts.md).
  ['GET', '/api/v1/public/cohorts', 'none'],
  ['GET', '/api/v1/public/auth/idp', 'none'],
  ['GET', '/api/v1/public/auth/idp/callback', 'none'],
  ['POST', '/api/v1/public/auth/idp/device', 'none'],
  ['POST', '/api/v1/public/auth/idp/device/poll', 'none'],
  // An addition: OpenID Connect Back-Channel Logout (docs/identity-provider.md).
  ['POST', '/api/v1/public/auth/idp/backchannel-logout', 'none'],
  // Additions: links by mail (docs/mail.md).
  ['POST', '/api/v1/public/auth/password-reset', 'none'],
  ['POST', '/api/v1/public/auth/password-reset/confirm', 'none'],
  ['POST', '/api/v1/public/auth/email/confirm', 'none'],
  ['POST', '/api/v1/public/auth/login', 'none'],
  // Additions: logins by passkey (docs/second-factors.md).
  ['POST', '/api/v1/public/auth/passkey/options', 'none'],
  ['POST', '/api/v1/public/auth/passkey', 'none'],
  ['POST', '/api/v1/public/auth/quick-setup', 'none'],
  ['POST', '/api/v1/public/auth/register', 'none'],
  ['GET', '/api/v1/public/auth/status', ANY],
  ['GET', '/api/v1/public/decisions/{record_id}', 'none'],
  ['GET', '/api/v1/public/decisions/{record_id}/graph', 'none'],
  ['GET', '/api/v1/public/decisions/{record_id}/state', 'none'],
  // An addition for the page at /, while the atlas is empty (docs/contract.md).
  ['GET', '/api/v1/public/decisions', 'none'],
  // An addition for the page at /: what isolates calls is a public fact (docs/circuits.md).
  ['GET', '/api/v1/public/stablecoin', 'none'],
  // Owner-only unless public, so a credential is looked at where there is one.
  ['GET', '/api/v1/public/workflows/snapshots/{hash}', 'optional'],
  ['GET', '/api/v1/public/workflows/snapshots/{hash}/yaml', 'optional'],
  ['GET', '/api/v1/public/workflows/snapshots/{hash}/export', 'optional'],
  ['GET', '/api/v1/public/workflows', ANY],
  ['GET', '/api/v1/nodes', 'none'],
  ['GET', '/api/v1/nodes/{id}', 'none'],
];

/** Those of the table that interface.md does not have. */
export const ADDITIONS: readonly string[] = [
  'GET /api/v1/admin/stablecoin/{coin}/history',
  'GET /api/v1/admin/security-events',
  'GET /api/v1/admin/status',
  'GET /api/v1/admin/accounts',
  'GET /api/v1/admin/accounts/{owner_id}',
  'POST /api/v1/admin/accounts/{owner_id}/suspend',
  'POST /api/v1/admin/accounts/{owner_id}/resume',
  'PUT /api/v1/admin/accounts/{owner_id}/tier',
  'GET /api/v1/admin/audit-log',
  'GET /api/v1/admin/quarantined-decisions',
  'POST /api/v1/admin/decisions/{record_id}/release',
  'GET /api/v1/admin/instruments',
  'GET /api/v1/admin/stablecoin/{coin}/observations',
  'GET /api/v1/agent/decisions',
  'GET /api/v1/agent/instruments',
  'POST /api/v1/agent/plans',
  'GET /api/v1/agent/plans',
  'GET /api/v1/agent/plans/{plan_id}',
  'GET /api/v1/agent/plans/{plan_id}/receipt',
  'GET /api/v1/agent/events',
  'GET /api/v1/owner/events',
  'POST /api/v1/owner/auth/email/confirmation',
  'POST /api/v1/public/auth/password-reset',
  'POST /api/v1/public/auth/password-reset/confirm',
  'POST /api/v1/public/auth/email/confirm',
  'GET /api/v1/owner/webhooks',
  'POST /api/v1/owner/webhooks',
  'GET /api/v1/owner/webhooks/{webhook_id}',
  'PATCH /api/v1/owner/webhooks/{webhook_id}',
  'DELETE /api/v1/owner/webhooks/{webhook_id}',
  'POST /api/v1/owner/webhooks/{webhook_id}/rotate-secret',
  'POST /api/v1/owner/webhooks/{webhook_id}/test',
  'POST /api/v1/owner/webhooks/{webhook_id}/resend-failed',
  'GET /api/v1/owner/webhooks/{webhook_id}/deliveries',
  'POST /api/v1/owner/webhooks/{webhook_id}/deliveries/{delivery_id}/resend',
  'GET /api/v1/agent/decisions/{record_id}/receipt',
  'POST /api/v1/owner/agents/{agent_id}/archive',
  'POST /api/v1/owner/agents/{agent_id}/restore',
  'DELETE /api/v1/owner/agents/{agent_id}',
  'POST /api/v1/owner/auth/reauthenticate',
  'GET /api/v1/owner/auth/factors',
  'POST /api/v1/owner/auth/factors/totp',
  'POST /api/v1/owner/auth/factors/totp/confirm',
  'DELETE /api/v1/owner/auth/factors/totp',
  'POST /api/v1/owner/auth/factors/recovery-codes',
  'DELETE /api/v1/owner/auth/factors/reset',
  'POST /api/v1/owner/auth/factors/passkeys/options',
  'POST /api/v1/owner/auth/factors/passkeys',
  'PATCH /api/v1/owner/auth/factors/passkeys/{passkey_id}',
  'DELETE /api/v1/owner/auth/factors/passkeys/{passkey_id}',
  'POST /api/v1/public/auth/passkey/options',
  'POST /api/v1/public/auth/passkey',
  'GET /api/v1/owner/auth/sessions',
  'DELETE /api/v1/owner/auth/sessions',
  'DELETE /api/v1/owner/auth/sessions/{session_id}',
  'GET /api/v1/owner/export',
  'GET /api/v1/owner/erasure',
  'POST /api/v1/owner/erasure',
  'DELETE /api/v1/owner/erasure',
  'GET /api/v1/owner/security-events',
  'POST /api/v1/public/auth/idp/backchannel-logout',
  'GET /api/v1/public/decisions',
  'GET /api/v1/public/cohorts',
  'GET /api/v1/public/decisions/{record_id}/proof',
  'GET /api/v1/public/log/{index}',
  'GET /api/v1/public/stablecoin',
];

const LETTERS: Readonly<Record<string, Accepted>> = { api_key: 'K', owner_bearer: 'B', legacy_session: 'S' };

/** An endpoint's credentials in the letters of the contract. */
export function accessOf(auth: Auth): Access {
  if (typeof auth === 'string') return auth;
  return auth.map((kind) => LETTERS[kind]).filter((letter) => letter !== undefined);
}
