import type { anyEventPage } from '../../../shapes/accounts/security-events.ts';
import type { circuitView, pegHistoryView, snapshotPage } from '../../../shapes/circuits/circuits.ts';
import type { account } from '../../../shapes/operators/accounts.ts';
import type { auditPage, instrumentPage, quarantinedPage } from '../../../shapes/operators/listings.ts';
import type { serviceStatus } from '../../../shapes/operators/service-status.ts';
import type { Reply } from '../kit/schemas.ts';

// What the operators' views read of the replies below `/api/v1/admin`.

export type WireStatus = Reply<typeof serviceStatus>;
export type WireOverdue = Pick<WireStatus['backlog'], 'due' | 'oldest_due_at' | 'lag_seconds'>;
export type WireFailed = WireStatus['failures']['rejected'];
export type WireSource = WireStatus['sources'][number];
export type WireProcess = WireStatus['processes'][number];
export type WireJob = WireStatus['jobs'][number];
export type WireCircuit = Reply<typeof circuitView>;
export type WirePegHistory = Reply<typeof pegHistoryView>;
export type WireStretch = WirePegHistory['stretches'][number];
export type WireSnapshot = Reply<typeof snapshotPage>['items'][number];
export type WireQuarantined = Reply<typeof quarantinedPage>['items'][number];
export type WireInstrument = Reply<typeof instrumentPage>['items'][number];
export type WireAccount = Reply<typeof account>;
export type WireAuditEntry = Reply<typeof auditPage>['items'][number];
export type WireSecurityEvent = Reply<typeof anyEventPage>['items'][number];
