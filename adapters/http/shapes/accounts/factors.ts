import { z } from 'zod';
import { RESET_EVIDENCE, SESSION_FACTORS } from '../../../../domain/accounts/factors/factor.ts';
import type { Passkey } from '../../../../domain/accounts/factors/passkey.ts';
import { TOTP } from '../../../../domain/limits.ts';
import { instant } from '../../kit/input/query-values.ts';
import { clientKind, pageOf } from '../texts.ts';

export const passkey = z
  .strictObject({
    passkey_id: z.uuid(),
    name: z.string(),
    synced: z.boolean().describe('Whether it is synchronised between your devices.'),
    created_at: instant(),
    last_used_at: instant().nullable().describe('When it last opened a session; `null` before that.'),
  })
  .meta({ id: 'Passkey' });

export const passkeyExample = {
  passkey_id: '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3',
  name: 'Laptop',
  synced: true,
  created_at: new Date('2026-01-30T14:30:00.000Z'),
  last_used_at: null,
} as const;

const sessionFactor = z.enum(SESSION_FACTORS).meta({ id: 'SessionFactor' });

const totp = z
  .string()
  .regex(new RegExp(`^\\d{${TOTP.digits}}$`))
  .describe('The code that the authenticator app shows now.');

/** The code of an account with a second factor, in the body of a login. */
export const secondFactor = {
  totp: totp.optional(),
  recovery_code: z
    .string()
    .max(64)
    .regex(/^[0-9A-Za-z -]+$/)
    .optional()
    .describe('In place of `totp`, which takes precedence.'),
};

export const totpProof = z.strictObject({ totp }).meta({ id: 'TotpProof' });

const recoveryCodes = z
  .array(z.string())
  .readonly()
  .describe('Each opens one session in place of the second factor. They are shown only once: save them now.');

export const factorList = z
  .strictObject({
    totp: z
      .strictObject({ confirmed_at: instant().describe('Since when it is a factor of the account.') })
      .nullable()
      .describe('The authenticator app; `null` where there is none.'),
    passkeys: z.array(passkey).readonly().describe('The oldest first.'),
    recovery_codes_left: z.int().describe('Recovery codes that are not used.'),
    session_factor: sessionFactor
      .nullable()
      .describe('What the session of this request was opened with besides a password; `null`: nothing.'),
    required: z
      .boolean()
      .describe(
        'Whether you need a second factor: in the admin area as an admin, or everywhere, as the operator chose.',
      ),
    reset: z
      .strictObject({
        evidence: z.enum(RESET_EVIDENCE).describe('How the operator identified the person who asked for it.'),
        requested_at: instant(),
        due_at: instant().describe('When all factors and recovery codes are removed, and all sessions end.'),
      })
      .nullable()
      .describe(
        'The removal of all factors that an operator has requested, for somebody who says that they are lost; `null` without ' +
          'one. A login with a factor stops it, and so does `DELETE /api/v1/owner/auth/factors/reset`.',
      ),
  })
  .meta({ id: 'FactorList' });

export const factorListExample = {
  totp: { confirmed_at: new Date('2026-01-30T14:30:00.000Z') },
  passkeys: [passkeyExample],
  recovery_codes_left: 9,
  session_factor: 'totp',
  required: false,
  reset: null,
} as const;

export const begunTotp = z
  .strictObject({
    secret: z.string().describe('The secret in base 32, to type into an app. It is shown only once.'),
    otpauth_uri: z.string().describe('The same as an address: a page draws it as a QR code, which apps scan.'),
    expires_at: instant().describe('Until when a code of the app confirms it.'),
  })
  .meta({ id: 'BegunTotp' });

export const begunTotpExample = {
  secret: 'NB2W45DFOIZANB2W45DFOIZANB2W45DF',
  otpauth_uri:
    'otpauth://totp/Stancebook:ada%40example.com?issuer=Stancebook&secret=NB2W45DFOIZANB2W45DFOIZANB2W45DF' +
    '&algorithm=SHA1&digits=6&period=30',
  expires_at: new Date('2026-01-30T14:40:00.000Z'),
} as const;

export const addedFactor = z
  .strictObject({
    recovery_codes: recoveryCodes.nullable().describe('`null` where the account has recovery codes already.'),
  })
  .meta({ id: 'AddedFactor' });

export const newRecoveryCodes = z.strictObject({ recovery_codes: recoveryCodes }).meta({ id: 'NewRecoveryCodes' });

export const recoveryCodesExample = {
  recovery_codes: ['k2x4-9wqd-0r7m-tz5c-8hvp-3ya6', 'v8n1-3hja-6pey-b4sg-x7c0-m2td'],
};

/** A passkey as its owner sees it. */
export function shownPasskey({ passkey_id, name, synced, created_at, last_used_at }: Passkey) {
  return { passkey_id, name, synced, created_at, last_used_at };
}

export const session = z
  .strictObject({
    session_id: z.string().describe('Names the session; it gives no access.'),
    created_at: instant().describe('When the login was.'),
    authenticated_at: instant()
      .nullable()
      .describe('When you last proved to be the owner; `null` where the identity provider does not say.'),
    last_used_at: instant().describe('Updated about once a minute.'),
    network: z
      .string()
      .nullable()
      .describe('Where the login came from: a hash, equal for equal networks, as in security events.'),
    client: clientKind.nullable().describe('The kind of client that logged in.'),
    factor: sessionFactor.nullable().describe('What it was opened with besides a password; `null`: nothing.'),
    current: z.boolean().describe('Whether this request was sent with it.'),
  })
  .meta({ id: 'Session' });

export const sessionList = pageOf(session, 'SessionPage');

export const sessionListExample = {
  items: [
    {
      session_id: '9f86d081884c7d659a2feaa0',
      created_at: new Date('2026-01-30T14:30:00.000Z'),
      authenticated_at: new Date('2026-01-30T14:30:00.000Z'),
      last_used_at: new Date('2026-01-30T15:05:00.000Z'),
      network: '6c1f0f9a44d1b2e3',
      client: 'browser',
      factor: 'totp',
      current: true,
    },
  ],
  next_cursor: null,
} as const;
