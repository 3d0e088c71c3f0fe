/**
 * Who may do what, written by hand from interface.md sections 4 and 5 and settled.md sections 5, 8, 9 and 11, never from the
 * code. A row is an operation under /api/v1 on one kind of thing of the owner's; a column is a class of callers, each
 * class several callers (callers.ts).
 *
 *   -     no credential                           rw' B' S'  another owner's rw, B and S
 *   bad   one that proves nobody, whatever good   AK AB AS   an admin's rw, B and S: an admin is another owner, too
 *         ones come behind it                     AS!        an admin's S!
 *   rw    the owner's read_write key
 *   ro    the owner's read_only key
 *   ub    the owner's key that is bound to no agent
 *   B     the owner's bearer
 *   S     the owner's session, sent by a page of the service
 *   S!    the owner's session, sent by no page or by another's
 *
 *   +     served (the status under `ok`), in the form that is the owner's alone
 *   o     served, as everyone else is: nothing in the reply is of the owner's, and nothing of the owner's changes
 *   401   401 UNAUTHORIZED           csrf  403 CROSS_ORIGIN_SESSION
 *   403   403 FORBIDDEN              npw   403 PASSWORDLESS_ACCOUNT
 *   adm   403 ADMIN_REQUIRED         404   404 NOT_FOUND, in the words for what never was
 *   unb   403 KEY_UNBOUND            422   422 VALIDATION_ERROR
 *   own   403 NOT_OWNER              inv  401 INVALID_CREDENTIALS
 *
 * What is refused changes nothing, and is served to whom it may be in the same words.
 */
export const MATRIX = `
-    bad  rw   ro   ub   B    S    S!   rw'  B'   S'   AK   AB   AS   AS!  of           ok  operation

adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  o    o    csrf fresh        204 POST /admin/decisions/{record_id}/quarantine
adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  o    o    csrf .            202 POST /admin/instruments/{market}/{symbol}/{venue}/{asset_class}/{quote_currency}/refresh
adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  o    o    o    .            200 GET /admin/security-events
adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  o    o    o    .            200 GET /admin/stablecoin
adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  o    o    o    .            200 GET /admin/stablecoin/{coin}/history
adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  o    o    csrf .            200 POST /admin/stablecoin/{coin}/resolve
adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  o    o    csrf .            200 POST /admin/stablecoin/{coin}/trip
adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  o    o    o    .            200 GET /admin/status
adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  o    o    o    .            200 GET /admin/accounts
adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  o    o    o    .            200 GET /admin/accounts/{owner_id}
adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  o    o    csrf .            200 POST /admin/accounts/{owner_id}/suspend
adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  o    o    csrf .            200 POST /admin/accounts/{owner_id}/resume
adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  o    o    csrf .            200 PUT /admin/accounts/{owner_id}/tier
adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  o    o    o    .            200 GET /admin/audit-log
adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  o    o    o    .            200 GET /admin/quarantined-decisions
adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  o    o    csrf fresh        200 POST /admin/decisions/{record_id}/release
adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  o    o    o    .            200 GET /admin/instruments
adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  adm  o    o    o    .            200 GET /admin/stablecoin/{coin}/observations

401  401  +    403  unb  403  403  403  o    403  403  o    403  403  403  .            201 POST /agent/decisions
401  401  +    403  unb  403  403  403  422  403  403  422  403  403  403  on-open      201 POST /agent/decisions
401  401  +    +    unb  403  403  403  o    403  403  o    403  403  403  .            200 GET /agent/decisions
401  401  +    +    +    +    +    csrf o    o    o    o    o    o    csrf open         200 POST /agent/decisions/batch
401  401  +    +    +    +    +    +    404  404  404  404  404  404  404  open         200 GET /agent/decisions/{record_id}
401  401  +    +    +    +    +    +    o    o    o    o    o    o    o    public       200 GET /agent/decisions/{record_id}
401  401  +    +    +    +    +    +    o    o    o    o    o    o    o    archived     200 GET /agent/decisions/{record_id}
401  401  +    +    +    +    +    +    404  404  404  404  404  404  404  quarantined  200 GET /agent/decisions/{record_id}
401  401  +    +    +    +    +    +    404  404  404  404  404  404  404  open         200 GET /agent/decisions/{record_id}/graph
401  401  +    +    +    +    +    +    o    o    o    o    o    o    o    public       200 GET /agent/decisions/{record_id}/graph
401  401  +    +    +    +    +    +    o    o    o    o    o    o    o    archived     200 GET /agent/decisions/{record_id}/graph
401  401  +    +    +    +    +    +    404  404  404  404  404  404  404  quarantined  200 GET /agent/decisions/{record_id}/graph
401  401  +    +    +    +    +    +    404  404  404  404  404  404  404  open         200 GET /agent/decisions/{record_id}/receipt
401  401  +    +    +    +    +    +    404  404  404  404  404  404  404  public       200 GET /agent/decisions/{record_id}/receipt
401  401  +    +    +    +    +    +    404  404  404  404  404  404  404  archived     200 GET /agent/decisions/{record_id}/receipt
401  401  +    +    +    +    +    +    404  404  404  404  404  404  404  quarantined  200 GET /agent/decisions/{record_id}/receipt
401  401  +    +    +    +    +    +    404  404  404  404  404  404  404  open         200 GET /agent/decisions/{record_id}/state
401  401  +    +    +    +    +    +    o    o    o    o    o    o    o    public       200 GET /agent/decisions/{record_id}/state
401  401  +    +    +    +    +    +    o    o    o    o    o    o    o    archived     200 GET /agent/decisions/{record_id}/state
401  401  +    +    +    +    +    +    404  404  404  404  404  404  404  quarantined  200 GET /agent/decisions/{record_id}/state
401  401  o    o    o    o    o    o    o    o    o    o    o    o    o    .            200 GET /agent/wisdom
401  401  o    o    o    o    o    o    o    o    o    o    o    o    o    .            200 GET /agent/instruments
401  401  +    403  unb  403  403  403  o    403  403  o    403  403  403  .            201 POST /agent/plans
401  401  +    +    +    +    +    +    o    o    o    o    o    o    o    plan         200 GET /agent/plans
401  401  +    +    +    +    +    +    404  404  404  404  404  404  404  plan         200 GET /agent/plans/{plan_id}
401  401  +    +    +    +    +    +    404  404  404  404  404  404  404  plan         200 GET /agent/plans/{plan_id}/receipt
401  401  +    +    unb  403  403  403  o    403  403  o    403  403  403  .            200 GET /agent/events

401  401  403  403  403  +    +    +    403  o    o    403  o    o    o    .            200 GET /owner/agents
401  401  403  403  403  +    +    +    403  404  404  403  404  404  404  agent        200 GET /owner/agents/{agent_id}/track-record
401  401  403  403  403  +    +    csrf 403  404  404  403  404  404  csrf spare-agent  200 POST /owner/agents/{agent_id}/archive
401  401  403  403  403  +    +    csrf 403  404  404  403  404  404  csrf away-agent   200 POST /owner/agents/{agent_id}/restore
401  401  403  403  403  +    +    csrf 403  404  404  403  404  404  csrf spare-agent  204 DELETE /owner/agents/{agent_id}
401  401  403  403  403  +    +    +    403  o    o    403  o    o    o    .            200 GET /owner/auth/api-keys
401  401  403  403  403  +    +    csrf 403  o    o    403  o    o    csrf .            201 POST /owner/auth/api-keys
401  401  403  403  403  +    +    csrf 403  404  404  403  404  404  csrf agent        201 POST /owner/auth/api-keys
401  401  403  403  403  +    +    csrf 403  404  404  403  404  404  csrf key          204 DELETE /owner/auth/api-keys/{key_prefix}
401  401  403  403  403  +    +    csrf 403  404  404  403  404  404  csrf key          200 PATCH /owner/auth/api-keys/{key_prefix}
401  401  403  403  403  +    +    csrf 403  404  404  403  404  404  csrf key          200 POST /owner/auth/api-keys/{key_prefix}/rotate
401  401  403  403  403  unb  unb  csrf 403  404  404  403  404  404  csrf unbound-key  -   POST /owner/auth/api-keys/{key_prefix}/rotate
401  401  403  403  403  403  +    csrf 403  403  o    403  403  o    csrf .            204 POST /owner/auth/logout
401  401  403  403  403  403  +    csrf 403  403  o    403  403  o    csrf password     200 POST /owner/auth/reauthenticate
401  401  403  403  403  403  npw  csrf 403  403  npw  403  403  npw  csrf .            -   POST /owner/auth/reauthenticate
401  401  403  403  403  +    +    +    403  o    o    403  o    o    o    .            200 GET /owner/auth/factors
401  401  403  403  403  403  +    csrf 403  403  404  403  403  404  csrf .            200 POST /owner/auth/factors/totp/confirm
401  401  403  403  403  403  +    csrf 403  403  o    403  403  o    csrf .            201 POST /owner/auth/factors/totp
401  401  403  403  403  403  +    csrf 403  403  404  403  403  404  csrf .            204 DELETE /owner/auth/factors/totp
401  401  403  403  403  403  +    csrf 403  403  404  403  403  404  csrf .            201 POST /owner/auth/factors/recovery-codes
401  401  403  403  403  +    +    csrf 403  404  404  403  404  404  csrf .            204 DELETE /owner/auth/factors/reset
401  401  403  403  403  403  +    csrf 403  403  o    403  403  o    csrf .            200 POST /owner/auth/factors/passkeys/options
401  401  403  403  403  403  +    csrf 403  403  inv  403  403  inv  csrf .            201 POST /owner/auth/factors/passkeys
401  401  403  403  403  403  +    csrf 403  403  404  403  403  404  csrf passkey      200 PATCH /owner/auth/factors/passkeys/{passkey_id}
401  401  403  403  403  403  +    csrf 403  403  404  403  403  404  csrf passkey      204 DELETE /owner/auth/factors/passkeys/{passkey_id}
401  401  403  403  403  npw  +    csrf 403  npw  o    403  npw  o    csrf password     202 POST /owner/auth/email/confirmation
401  401  403  403  403  npw  npw  csrf 403  npw  npw  403  npw  npw  csrf .            -   POST /owner/auth/email/confirmation
401  401  403  403  403  +    +    +    403  o    o    403  o    o    o    .            200 GET /owner/auth/sessions
401  401  403  403  403  +    +    csrf 403  o    o    403  o    o    csrf .            200 DELETE /owner/auth/sessions
401  401  403  403  403  +    +    csrf 403  404  404  403  404  404  csrf session      204 DELETE /owner/auth/sessions/{session_id}
401  401  403  403  403  +    +    +    403  o    o    403  o    o    o    .            200 GET /owner/dashboard
401  401  403  403  403  +    +    +    403  o    o    403  o    o    o    .            200 GET /owner/security-events
401  401  403  403  403  +    +    +    403  o    o    403  o    o    o    .            200 GET /owner/export
401  401  403  403  403  +    +    +    403  o    o    403  o    o    o    .            200 GET /owner/erasure
401  401  403  403  403  +    +    csrf 403  o    o    403  o    o    csrf .            202 POST /owner/erasure
401  401  403  403  403  +    +    csrf 403  o    o    403  o    o    csrf .            200 DELETE /owner/erasure
401  401  403  403  403  +    +    +    403  o    o    403  o    o    o    .            200 GET /owner/events
401  401  403  403  403  +    +    +    403  o    o    403  o    o    o    .            200 GET /owner/webhooks
401  401  403  403  403  +    +    csrf 403  o    o    403  o    o    csrf .            201 POST /owner/webhooks
401  401  403  403  403  +    +    +    403  404  404  403  404  404  404  webhook      200 GET /owner/webhooks/{webhook_id}
401  401  403  403  403  +    +    csrf 403  404  404  403  404  404  csrf webhook      200 PATCH /owner/webhooks/{webhook_id}
401  401  403  403  403  +    +    csrf 403  404  404  403  404  404  csrf webhook      204 DELETE /owner/webhooks/{webhook_id}
401  401  403  403  403  +    +    csrf 403  404  404  403  404  404  csrf webhook      200 POST /owner/webhooks/{webhook_id}/rotate-secret
401  401  403  403  403  +    +    csrf 403  404  404  403  404  404  csrf webhook      202 POST /owner/webhooks/{webhook_id}/test
401  401  403  403  403  +    +    csrf 403  404  404  403  404  404  csrf webhook      202 POST /owner/webhooks/{webhook_id}/resend-failed
401  401  403  403  403  +    +    +    403  404  404  403  404  404  404  webhook      200 GET /owner/webhooks/{webhook_id}/deliveries
401  401  403  403  403  +    +    csrf 403  404  404  403  404  404  csrf delivery     202 POST /owner/webhooks/{webhook_id}/deliveries/{delivery_id}/resend
401  401  403  403  403  +    +    +    403  o    o    403  o    o    o    .            200 GET /owner/decisions
401  401  403  403  403  +    +    +    403  404  404  403  404  404  404  open         200 GET /owner/decisions/{record_id}
401  401  403  403  403  +    +    +    403  404  404  403  404  404  404  public       200 GET /owner/decisions/{record_id}
401  401  403  403  403  404  404  404  403  404  404  403  404  404  404  archived     -   GET /owner/decisions/{record_id}
401  401  403  403  403  +    +    +    403  404  404  403  404  404  404  quarantined  200 GET /owner/decisions/{record_id}
401  401  403  403  403  +    +    csrf 403  404  404  403  404  404  csrf fresh        204 POST /owner/decisions/{record_id}/revoke
401  401  403  403  403  +    +    +    403  404  404  403  404  404  404  open         200 GET /owner/decisions/{record_id}/state
401  401  403  403  403  +    +    +    403  404  404  403  404  404  404  public       200 GET /owner/decisions/{record_id}/state
401  401  403  403  403  +    +    +    403  404  404  403  404  404  404  archived     200 GET /owner/decisions/{record_id}/state
401  401  403  403  403  +    +    csrf 403  o    o    403  o    o    csrf .            200 POST /owner/legal-acceptance
401  401  403  403  403  +    +    +    403  o    o    403  o    o    o    .            200 GET /owner/legal-status
401  401  403  403  403  403  +    csrf 403  403  o    403  403  o    csrf password     204 PUT /owner/password
401  401  403  403  403  403  npw  csrf 403  403  npw  403  403  npw  csrf .            -   PUT /owner/password
401  401  403  403  403  +    +    csrf 403  o    o    403  o    o    csrf .            200 PUT /owner/preferences

401  401  403  403  403  +    +    +    403  o    o    403  o    o    o    .            200 GET /owner/workflows
401  401  403  403  403  +    +    csrf 403  o    o    403  o    o    csrf .            201 POST /owner/workflows
401  401  403  403  403  +    +    csrf 403  o    o    403  o    o    csrf .            201 POST /owner/workflows/import
401  401  403  403  403  +    +    +    403  own  own  403  own  own  own  draft        200 GET /owner/workflows/{id}
401  401  403  403  403  +    +    +    403  own  own  403  own  own  own  shown        200 GET /owner/workflows/{id}
401  401  403  403  403  +    +    csrf 403  own  own  403  own  own  csrf fresh        200 PUT /owner/workflows/{id}
401  401  403  403  403  +    +    csrf 403  own  own  403  own  own  csrf shown        200 PUT /owner/workflows/{id}
401  401  403  403  403  +    +    csrf 403  own  own  403  own  own  csrf fresh        204 DELETE /owner/workflows/{id}
401  401  403  403  403  +    +    csrf 403  own  own  403  own  own  csrf draft        201 POST /owner/workflows/{id}/fork
401  401  403  403  403  +    +    csrf 403  own  own  403  own  own  csrf promised     201 POST /owner/workflows/{id}/fork
401  401  403  403  403  +    +    csrf 403  own  own  403  own  own  csrf hidden       201 POST /owner/workflows/{id}/fork
401  401  403  403  403  +    +    csrf 403  o    o    403  o    o    csrf shown        201 POST /owner/workflows/{id}/fork
401  401  403  403  403  +    +    +    403  own  own  403  own  own  own  shown        200 GET /owner/workflows/{id}/snapshots
401  401  403  403  403  +    +    csrf 403  own  own  403  own  own  csrf fresh        200 POST /owner/workflows/{id}/snapshots
401  401  403  403  403  +    +    +    403  own  own  403  own  own  own  shown        200 GET /owner/workflows/{id}/usage
401  401  403  403  403  +    +    +    403  own  own  403  own  own  own  shown        200 GET /owner/workflows/{id}/yaml

o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    .            200 GET /public/atlas/network
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    .            200 GET /public/atlas/seeds
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    .            200 GET /public/cohorts
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    .            302 GET /public/auth/idp
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    .            200 GET /public/auth/idp/callback
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    .            200 POST /public/auth/idp/backchannel-logout
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    .            200 POST /public/auth/idp/device
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    .            200 POST /public/auth/idp/device/poll
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    .            200 POST /public/auth/login
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    .            200 POST /public/auth/passkey
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    .            200 POST /public/auth/passkey/options
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    .            202 POST /public/auth/password-reset
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    .            200 POST /public/auth/password-reset/confirm
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    .            200 POST /public/auth/email/confirm
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    .            201 POST /public/auth/quick-setup
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    .            201 POST /public/auth/register
401  401  +    +    +    +    +    +    o    o    o    o    o    o    o    .            200 GET /public/auth/status
404  404  404  404  404  404  404  404  404  404  404  404  404  404  404  open         -   GET /public/decisions/{record_id}
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    public       200 GET /public/decisions/{record_id}
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    archived     200 GET /public/decisions/{record_id}
404  404  404  404  404  404  404  404  404  404  404  404  404  404  404  quarantined  -   GET /public/decisions/{record_id}
404  404  404  404  404  404  404  404  404  404  404  404  404  404  404  open         -   GET /public/decisions/{record_id}/graph
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    public       200 GET /public/decisions/{record_id}/graph
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    archived     200 GET /public/decisions/{record_id}/graph
404  404  404  404  404  404  404  404  404  404  404  404  404  404  404  quarantined  -   GET /public/decisions/{record_id}/graph
404  404  404  404  404  404  404  404  404  404  404  404  404  404  404  open         -   GET /public/decisions/{record_id}/proof
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    public       200 GET /public/decisions/{record_id}/proof
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    archived     200 GET /public/decisions/{record_id}/proof
404  404  404  404  404  404  404  404  404  404  404  404  404  404  404  quarantined  -   GET /public/decisions/{record_id}/proof
404  404  404  404  404  404  404  404  404  404  404  404  404  404  404  open         -   GET /public/decisions/{record_id}/state
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    public       200 GET /public/decisions/{record_id}/state
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    archived     200 GET /public/decisions/{record_id}/state
404  404  404  404  404  404  404  404  404  404  404  404  404  404  404  quarantined  -   GET /public/decisions/{record_id}/state
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    .            200 GET /public/decisions
404  404  404  404  404  404  404  404  404  404  404  404  404  404  404  open         -   GET /public/log/{index}
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    public       200 GET /public/log/{index}
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    archived     200 GET /public/log/{index}
404  404  404  404  404  404  404  404  404  404  404  404  404  404  404  quarantined  -   GET /public/log/{index}
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    .            200 GET /public/stablecoin
401  401  o    o    o    o    o    o    o    o    o    o    o    o    o    .            200 GET /public/workflows
o    401  o    o    o    o    o    o    o    o    o    o    o    o    o    shown        200 GET /public/workflows/snapshots/{hash}
404  401  +    +    +    +    +    +    404  404  404  404  404  404  404  hidden       200 GET /public/workflows/snapshots/{hash}
o    401  o    o    o    o    o    o    o    o    o    o    o    o    o    shown        200 GET /public/workflows/snapshots/{hash}/export
404  401  +    +    +    +    +    +    404  404  404  404  404  404  404  hidden       200 GET /public/workflows/snapshots/{hash}/export
o    401  o    o    o    o    o    o    o    o    o    o    o    o    o    shown        200 GET /public/workflows/snapshots/{hash}/yaml
404  401  +    +    +    +    +    +    404  404  404  404  404  404  404  hidden       200 GET /public/workflows/snapshots/{hash}/yaml

o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    .            200 GET /nodes
o    o    o    o    o    o    o    o    o    o    o    o    o    o    o    .            200 GET /nodes/{id}
`;
