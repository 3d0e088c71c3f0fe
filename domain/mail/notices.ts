import type { EventResult, SecurityEvent, SecurityEventKind } from '../accounts/security-event.ts';

/** What owners get a mail about without asking for one. */
export const NOTICE_KINDS = [
  'new_sign_in',
  'lockout',
  'key_created',
  'key_expiring',
  'password_changed',
  'password_reset_done',
  'factor_added',
  'factor_removed',
  'factors_reset_requested',
  'recovery_code_used',
  'account_suspended',
  'account_resumed',
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

interface NoticeRule {
  readonly kind: NoticeKind;
  readonly result: EventResult;
  /** Only from a browser and a network that the owner has not signed in from. */
  readonly unfamiliarOnly?: true;
  /** Also to an owner who has switched notices off: without it nobody could stop what it reports. */
  readonly always?: true;
}

const NEW_SIGN_IN: NoticeRule = { kind: 'new_sign_in', result: 'success', unfamiliarOnly: true };

/** The security events that have a notice. To add one: a line here, its kind above, and its text in `mail-text.ts`. */
export const NOTICE_OF_EVENT: Readonly<Partial<Record<SecurityEventKind, NoticeRule>>> = {
  login: NEW_SIGN_IN,
  provider_login: NEW_SIGN_IN,
  passkey_login: NEW_SIGN_IN,
  device_sign_in: NEW_SIGN_IN,
  lockout: { kind: 'lockout', result: 'failure' },
  // A rotation has an event of the old key and this one of the new.
  key_created: { kind: 'key_created', result: 'success' },
  password_changed: { kind: 'password_changed', result: 'success' },
  password_reset: { kind: 'password_reset_done', result: 'success' },
  factor_added: { kind: 'factor_added', result: 'success' },
  factor_removed: { kind: 'factor_removed', result: 'success' },
  factors_reset_requested: { kind: 'factors_reset_requested', result: 'success', always: true },
  factors_reset: { kind: 'factor_removed', result: 'success' },
  recovery_code_used: { kind: 'recovery_code_used', result: 'success' },
  account_suspended: { kind: 'account_suspended', result: 'success' },
  account_resumed: { kind: 'account_resumed', result: 'success' },
};

/** The rule by which the event has a notice for its owner; null: it has none. */
export function noticeRuleOf({ kind, result, owner_id }: SecurityEvent): NoticeRule | null {
  const rule = NOTICE_OF_EVENT[kind];
  return rule !== undefined && owner_id !== null && rule.result === result ? rule : null;
}

/** Whether the owner gets notices: all do who have not switched them off (`notify.mail.notices` of the preferences). */
export function wantsNotices(notify: Readonly<Record<string, unknown>> | undefined): boolean {
  const mail = notify?.mail;
  return typeof mail !== 'object' || mail === null || !('notices' in mail) || mail.notices !== false;
}
