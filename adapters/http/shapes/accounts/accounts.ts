import { z } from 'zod';
import { DEVICE_CODE } from '../../../../domain/accounts/provider/device-sign-in.ts';
import { ROLES } from '../../../../domain/caller.ts';
import { ACCOUNT, IDENTITY, SESSION } from '../../../../domain/limits.ts';
import { HOUR } from '../../../../domain/time.ts';
import { instant, queryBoolean } from '../../kit/input/query-values.ts';
import { permissionMode, tier, trimmedName } from '../texts.ts';
import { secondFactor } from './factors.ts';
import { passkeyAssertion } from './passkeys.ts';

const email = z.email().max(ACCOUNT.emailLength).describe('Compared without case, stored as sent.');

export const agentName = trimmedName(ACCOUNT.agentNameLength).describe('Shown to its owner alone.');

/** The password policy judges the length in code points (WEAK_PASSWORD). */
const newPassword = z
  .string()
  .describe(`${ACCOUNT.passwordMin} to ${ACCOUNT.passwordMax} characters, none of those that are guessed first.`)
  .meta({ format: 'password', minLength: ACCOUNT.passwordMin, maxLength: ACCOUNT.passwordMax });

export const registration = z
  .strictObject({ email, password: newPassword, agent_name: agentName.optional() })
  .meta({ id: 'Registration' });

export const registeredOwner = z
  .strictObject({ owner_id: z.uuid(), email: z.string(), created_at: instant() })
  .meta({ id: 'RegisteredOwner' });

export const quickSetupReply = z
  .strictObject({
    owner_id: z.uuid(),
    email: z.string(),
    agent_id: z.string(),
    api_key: z
      .string()
      .describe('The key itself. It is shown only once and the service does not store it: save it now.'),
    key_prefix: z.string().describe('Identifies the key from now on.'),
    permission_mode: permissionMode,
  })
  .meta({ id: 'QuickSetupReply' });

export const login = z
  .strictObject({ email, password: z.string().meta({ format: 'password' }), ...secondFactor })
  .meta({ id: 'LoginRequest' });

export const reauthentication = z
  .strictObject({
    password: z
      .string()
      .meta({ format: 'password' })
      .optional()
      .describe('Required for an account that has one, without a `passkey`.'),
    ...secondFactor,
    passkey: passkeyAssertion.optional().describe('In place of all others, which are not read then.'),
  })
  .meta({ id: 'Reauthentication' });

export const passwordChange = z
  .strictObject({
    current_password: z.string().meta({ format: 'password' }),
    new_password: newPassword,
    revoke_keys: z.boolean().default(false).describe('Whether all your API keys end too.'),
  })
  .meta({ id: 'PasswordChange' });

export const passwordChanged = z
  .strictObject({ keys_revoked: z.int().describe('How many API keys have ended.') })
  .meta({ id: 'PasswordChanged' });

export const loginReply = z
  .strictObject({
    owner_id: z.uuid(),
    email: z.string().nullable(),
    role: z.enum(ROLES).describe('`admin` gives access to the admin area.'),
    tier,
    session_expires_at: instant().describe(
      `When the session ends at the latest. Unused for ${SESSION.idle / HOUR} hours, it ends sooner.`,
    ),
    session_idle_seconds: z.int().describe('A session ends sooner when no request uses it for this long.'),
  })
  .meta({ id: 'LoginReply' });

export const providerLoginQuery = z.strictObject({
  fresh: queryBoolean().optional().describe('Whether the person has to log in at the provider again.'),
  factor: queryBoolean().optional().describe('Whether the provider is asked for a second factor, for the admin area.'),
});

/**
 * The parameters that the identity provider adds to the callback's address: a code and the state, or an error. Its own
 * parameters, such as `session_state`, are ignored (RFC 6749, 4.1.2).
 */
export const providerAnswer = z
  .strictObject({
    code: z.string().min(1).optional().describe('The authorization code; required unless there is an `error`.'),
    state: z.string().min(1).optional().describe('The state of the login; required unless there is an `error`.'),
    iss: z.string().optional().describe('The issuer of the response (RFC 9207).'),
    error: z.string().min(1).optional().describe('Why there is no code (RFC 6749, 4.1.2.1).'),
  })
  .catchall(z.string())
  .superRefine(({ code, state, error }, context) => {
    const missing = Object.entries({ code, state }).filter(([, value]) => error === undefined && value === undefined);
    for (const [name] of missing) context.addIssue({ code: 'custom', path: [name], message: 'is required' });
  });

/** The form of a logout at the identity provider; it may contain other values, which are ignored. */
export const providerLogout = z
  .strictObject({
    logout_token: z
      .string()
      .max(IDENTITY.logoutToken)
      .regex(/^[\w.-]+$/)
      .describe('A JWT that the provider has signed.'),
  })
  .catchall(z.string())
  .meta({ id: 'ProviderLogout' });

const token = z
  .string()
  .regex(/^[\w-]{43}$/)
  .describe('The last part of the address of the link.');

export const resetRequest = z.strictObject({ email }).meta({ id: 'PasswordResetRequest' });

export const resetAccepted = z.strictObject({ accepted: z.literal(true) }).meta({ id: 'PasswordResetAccepted' });

export const resetConfirmation = z
  .strictObject({
    token,
    new_password: newPassword,
    revoke_keys: z.boolean().default(false).describe('Whether all your API keys end too.'),
  })
  .meta({ id: 'PasswordResetConfirmation' });

export const resetDone = z
  .strictObject({
    sessions_ended: z.int().describe('How many sessions have ended.'),
    keys_revoked: z.int().describe('How many API keys have ended; 0 without `revoke_keys`.'),
  })
  .meta({ id: 'PasswordResetDone' });

export const emailToken = z.strictObject({ token }).meta({ id: 'EmailConfirmation' });

const email_confirmed_at = instant();

export const confirmationSent = z
  .strictObject({
    email: z.string().describe('Your address, as you wrote it.'),
    email_confirmed_at: email_confirmed_at
      .nullable()
      .describe('Since when it is confirmed: then no mail is sent. `null`: a mail is on its way.'),
  })
  .meta({ id: 'EmailConfirmationSent' });

export const emailConfirmed = z.strictObject({ email_confirmed_at }).meta({ id: 'EmailConfirmed' });

export const TOKEN_EXAMPLE = 'pX3m0a9Tq1Zk7Yh2Vb5Nc8Ld4Rf6Sg0Jw1Ue3Io5A9x';

/** RFC 8628 section 3.2. */
export const startedDeviceSignIn = z
  .strictObject({
    device_code: z.string().describe('Only for the polls. It is shown only once; keep it secret.'),
    user_code: z.string().describe('The code that the user compares or types in.'),
    verification_uri: z.string().describe('The page that the user opens in a browser.'),
    verification_uri_complete: z
      .string()
      .nullable()
      .describe('The same page with the code in its address; null if the provider has none.'),
    expires_in: z.int().describe('Seconds until the sign-in ends.'),
    interval: z.int().describe('The minimum number of seconds between two polls.'),
  })
  .meta({ id: 'DeviceSignIn' });

export const devicePoll = z
  .strictObject({
    device_code: z.string().regex(DEVICE_CODE, 'must be a device_code as returned by POST .../idp/device'),
    agent_name: agentName.optional(),
  })
  .meta({ id: 'DevicePoll' });
