import { API_KEY, LOGIN } from '../limits.ts';
import { DAY, MINUTE } from '../time.ts';
import type { NoticeKind } from './notices.ts';

export interface NoticeText {
  readonly subject: string;
  readonly what: readonly string[];
  readonly advice: readonly string[];
}

const TAKEN_OVER: readonly string[] = [
  'If this was not you, change your password with "revoke_keys", and end the',
  'sessions that you do not know.',
];

/** The text of each notice. @param subject of the event, such as the prefix of a key */
export const NOTICE_TEXTS: Readonly<Record<NoticeKind, (subject: string | null) => NoticeText>> = {
  new_sign_in: () => ({
    subject: 'a new sign-in',
    what: [
      'Somebody signed in to your account from a browser and a network that were',
      `not used for it in the last ${LOGIN.known / DAY} days.`,
    ],
    advice: TAKEN_OVER,
  }),
  lockout: () => ({
    subject: 'too many wrong passwords',
    what: [
      'There were too many wrong passwords for your account. Further attempts from',
      `there are refused for ${LOGIN.window / MINUTE} minutes. Browsers and networks that have`,
      'logged in before are not affected, and neither are sessions and API keys.',
    ],
    advice: [
      'If this was not you, you need not do anything while your password is a',
      'good one that you use nowhere else.',
    ],
  }),
  key_created: (key) => ({
    subject: 'a new API key',
    what: [`The API key ${keyName(key)} was created, or replaces another one.`],
    advice: ['If this was not you, revoke it, and change your password.'],
  }),
  key_expiring: (keys) => ({
    subject: 'an API key expires soon',
    what: [...keyNames(keys), `expires within ${API_KEY.expiryNotice / DAY} days.`],
    advice: ['Rotate it in time, so that its agent goes on without a gap.'],
  }),
  password_changed: () => ({
    subject: 'your password was changed',
    what: ['The password of your account was changed. All other sessions have ended.'],
    advice: ['If this was not you, reset the password.'],
  }),
  password_reset_done: () => ({
    subject: 'your password was reset',
    what: ['The password of your account was reset. All its sessions have ended.'],
    advice: ['If this was not you, reset it again, and look who else reads your mail.'],
  }),
  factor_added: () => ({
    subject: 'a second factor was added',
    what: ['A second factor was added to your account: a login asks for its code from', 'now on.'],
    advice: ['If this was not you, ask the operator: `reset-factors` removes it. Then', 'reset the password.'],
  }),
  factor_removed: () => ({
    subject: 'a second factor was removed',
    what: ['A second factor of your account was removed.'],
    advice: TAKEN_OVER,
  }),
  recovery_code_used: () => ({
    subject: 'a recovery code was used',
    what: ['A recovery code of your account was used in place of your second factor.', 'It works no more.'],
    advice: TAKEN_OVER,
  }),
  account_suspended: () => ({
    subject: 'your account is suspended',
    what: [
      'The operator suspended your account. Its sessions have ended, and its API',
      'keys are refused. Your decisions stay as they are.',
    ],
    advice: ['Ask the operator.'],
  }),
  account_resumed: () => ({
    subject: 'your account is in use again',
    what: ['The operator ended the suspension of your account. Its API keys work again.'],
    advice: ['Log in for a new session.'],
  }),
};

/** A line for each: an owner may have several that expire. */
function keyNames(prefixes: string | null): readonly string[] {
  return ['The API key', ...(prefixes ?? '').split(' ').map(keyName)];
}

function keyName(prefix: string | null): string {
  return (prefix ?? '').replace(/[^\w-]/g, '') || '(unknown)';
}
