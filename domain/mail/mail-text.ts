import type { ActionSource } from '../accounts/security-event.ts';
import type { LinkPurpose } from '../accounts/sign-in/one-time-link.ts';
import { API_KEY, FACTOR, LOGIN } from '../limits.ts';
import { DAY, HOUR, MINUTE, rfc3339 } from '../time.ts';
import { isOnRequest, type LinkMail, type MailContent, type MailKind } from './mail.ts';
import type { NoticeKind } from './notices.ts';

const TAKEN_OVER: readonly string[] = [
  'If this was not you, change your password with "revoke_keys", and end the',
  'sessions that you do not know.',
];

/** The text of each notice. @param subject of the event, such as the prefix of a key */
const NOTICE_TEXTS: Readonly<Record<NoticeKind, (subject: string | null) => NoticeText>> = {
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
    advice: [
      'If this was not you, ask the operator: `reset-factors` removes it,',
      'after some days. Then reset the password.',
    ],
  }),
  factor_removed: () => ({
    subject: 'a second factor was removed',
    what: ['A second factor of your account was removed.'],
    advice: TAKEN_OVER,
  }),
  factors_reset_requested: () => ({
    subject: 'your second factors will be removed',
    what: [
      'The operator was asked to remove all second factors of your account, by',
      'somebody who says that they are lost, and identified that person. They are',
      `removed in ${FACTOR.resetWait / HOUR} hours; until then they go on working.`,
    ],
    advice: [
      'If you did not ask for it, log in with a second factor, or take the removal',
      'back at #/security: both stop it. Then ask the operator who asked for it.',
    ],
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

export interface MailText {
  readonly subject: string;
  readonly text: string;
}

/** The address of the page that a link opens. The token is in the fragment, which browsers send to no server. */
export function addressOfLink(publicUrl: string, purpose: LinkPurpose, token: string): string {
  return `${publicUrl}/#/${purpose}/${token}`;
}

/** Which link a mail contains. */
export const PURPOSE_OF: Readonly<Record<LinkMail, LinkPurpose>> = {
  password_reset: 'reset',
  email_confirmation: 'confirm',
};

/**
 * Subject and text of a mail, in ASCII. All that a caller chose is left out, except the prefix of a key and the kind of
 * client, which have their own signs; the only links are those to the service itself.
 * @throws Error for a mail that needs a link and has none
 */
export function mailText(kind: MailKind, content: MailContent, { publicUrl, queued }: TextContext): MailText {
  const draft = isOnRequest(kind) ? linkText(kind, content, publicUrl) : noticeText(kind, content, publicUrl);
  const { subject, lines } = { ...draft, lines: [...draft.lines, ...originLines(content.source, queued)] };
  return { subject: `Stancebook: ${subject}`, text: `${lines.join('\n')}\n` };
}

export interface TextContext {
  /** PUBLIC_URL. */
  readonly publicUrl: string;
  /** When what it reports happened. */
  readonly queued: Date;
}

interface Draft {
  readonly subject: string;
  readonly lines: readonly string[];
}

function linkText(kind: LinkMail, { link }: MailContent, publicUrl: string): Draft {
  if (link === null) throw new Error('The mail has no link.');
  const address = addressOfLink(publicUrl, PURPOSE_OF[kind], link.token);
  const validity = `The link works once, until ${minuteOf(new Date(link.expires_at))}.`;
  return kind === 'password_reset'
    ? {
        subject: 'reset your password',
        lines: [
          'Somebody asked to reset the password of your account at',
          `${publicUrl}.`,
          '',
          'To choose a new password, open this page:',
          '',
          address,
          '',
          validity,
          'A new password ends all your sessions. You log in with it afterwards,',
          'and with your second factor if you have one.',
          '',
          'If you did not ask for this, do nothing: your password stays as it is.',
        ],
      }
    : {
        subject: 'confirm your email address',
        lines: [
          'An account with this email address was opened at',
          `${publicUrl}.`,
          '',
          'If the account is yours, confirm the address on this page:',
          '',
          address,
          '',
          validity,
          '',
          'If the account is not yours, do not open the page. Somebody opened it with',
          'your address and without your consent; you can take the account over by a',
          'reset of its password.',
        ],
      };
}

function noticeText(kind: NoticeKind, content: MailContent, publicUrl: string): Draft {
  const { subject, what, advice } = NOTICE_TEXTS[kind](content.subject);
  return {
    subject,
    lines: [
      `This is about your account at ${publicUrl}.`,
      '',
      ...what,
      '',
      ...advice,
      '',
      'The list of your security events has the same client and network.',
      'To get no notices, set notify.mail.notices to false in your preferences.',
    ],
  };
}

/** When and from where it was asked for, or done. */
function originLines(source: ActionSource | null, queued: Date): readonly string[] {
  const time = ['', `Time: ${minuteOf(queued)}`];
  if (source === null) return time;
  const { client, network } = source;
  const of = client === 'command_line' ? 'the operator' : `a client of the kind "${wordOf(client)}"`;
  const from = network === null ? of : `${of} in the network ${wordOf(network)}`;
  return [...time, `By: ${from}`];
}

/** Signs of words alone: whatever the text is, it adds no line and no link. */
function wordOf(text: string): string {
  return text.replace(/[^\w-]/g, '');
}

function minuteOf(at: Date): string {
  const text = rfc3339(at);
  return `${text.slice(0, 10)} ${text.slice(11, 16)} UTC`;
}

interface NoticeText {
  readonly subject: string;
  readonly what: readonly string[];
  readonly advice: readonly string[];
}

/** A line for each: an owner may have several that expire. */
function keyNames(prefixes: string | null): readonly string[] {
  return ['The API key', ...(prefixes ?? '').split(' ').map(keyName)];
}

function keyName(prefix: string | null): string {
  return (prefix ?? '').replace(/[^\w-]/g, '') || '(unknown)';
}
