export {
  AuthFailedError,
  ConnectionFailedError,
  InputInvalidError,
  InternalError,
  NotFoundError,
  OutcomePendingError,
  OutcomeUnavailableError,
  QuotaExceededError,
  type Refusal,
  type RefusalDetail,
  RefusedError,
  RetryableError,
  ServiceDegradedError,
  StancebookError,
  UsageError,
} from './client/errors.ts';
export type { FollowOptions } from './client/event-feed.ts';
export type { paths } from './client/interface.d.ts';
export type { ClientRequest, Query } from './client/send.ts';
export type { ClientOptions } from './client/settings.ts';
export { type CallOptions, type OwnerLogin, Stancebook, type SubmitOptions } from './client/stancebook.ts';
export type { WaitOptions } from './client/wait-for-outcome.ts';
export type * from './client/wire.ts';
