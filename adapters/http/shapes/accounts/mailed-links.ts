import { z } from 'zod';
import { instant } from '../../kit/input/query-values.ts';
import { email, newPassword } from './accounts.ts';

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
