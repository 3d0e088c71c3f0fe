import { z } from 'zod';
import { isLocaleTag, isZoneName } from '../../../../domain/accounts/profile.ts';
import { ACCOUNT } from '../../../../domain/limits.ts';
import { instant } from '../../kit/input/query-values.ts';
import { filledText, trimmedName, visibility } from '../texts.ts';

/** Longer than any version that an operator may publish. */
const VERSION_LENGTH = 100;

export const legalAcceptance = z
  .strictObject({
    terms_version: z.string().max(VERSION_LENGTH).describe('One of the versions that the operator has published.'),
    privacy_version: z.string().max(VERSION_LENGTH).describe('One of the published versions of the privacy notice.'),
    source: trimmedName(ACCOUNT.legalSourceLength).describe('Where you accepted the terms, in your own words.'),
  })
  .meta({ id: 'LegalAcceptance' });

export const legalStatus = z
  .strictObject({
    accepted: z
      .strictObject({
        terms_version: z.string(),
        privacy_version: z.string(),
        source: z.string(),
        accepted_at: instant(),
      })
      .nullable()
      .describe('The last acceptance, of any versions.'),
    current: z.strictObject({ terms_version: z.string(), privacy_version: z.string() }),
    up_to_date: z.boolean().describe('Whether the accepted versions are the current ones.'),
  })
  .meta({ id: 'LegalStatus' });

const preferenceFields = {
  display_name: trimmedName(ACCOUNT.displayNameLength).describe('Shown only to you.'),
  timezone: z
    .string()
    .max(ACCOUNT.zoneNameLength, { abort: true })
    .refine(isZoneName, { error: 'must be a name of the IANA time zone database, such as Europe/Berlin' })
    .meta({ description: 'A name of the IANA time zone database.', example: 'Europe/Berlin' }),
  locale: z
    .string()
    .max(ACCOUNT.localeLength, { abort: true })
    .refine(isLocaleTag, { error: 'must be a language tag of BCP 47, such as en-GB' })
    .meta({ description: 'A language tag of BCP 47.', example: 'en-GB' }),
  default_workflow_visibility: visibility.describe('The visibility of a new workflow that is created without one.'),
  notify: z.record(z.string(), z.unknown()).meta({
    type: 'object',
    description:
      'Any JSON object, for your own programs. The service itself reads one member: with `{"mail": {"notices": false}}` ' +
      'it mails no notices; mails that you asked for are sent all the same.',
  }),
} as const;

/** An older name may contain any character. */
const shownName = filledText(ACCOUNT.displayNameLength).describe('Shown only to you.');

export const preferences = z
  .strictObject({ ...preferenceFields, display_name: shownName })
  .partial()
  .meta({ id: 'Preferences' });

export const preferencesPatch = z
  .strictObject({
    display_name: preferenceFields.display_name.nullable(),
    timezone: preferenceFields.timezone.nullable(),
    locale: preferenceFields.locale.nullable(),
    default_workflow_visibility: preferenceFields.default_workflow_visibility.nullable(),
    notify: preferenceFields.notify.nullable(),
  })
  .partial()
  .meta({ id: 'PreferencesChange' });

export const scheduledErasure = z
  .strictObject({
    requested_at: instant().nullable().describe('When you asked for it; `null` when nothing is scheduled.'),
    erases_at: instant()
      .nullable()
      .describe('When the account is erased, for good; until then you can take it back. `null`: it stays.'),
    export_path: z.string().describe('Get a copy of your data there first.'),
  })
  .meta({ id: 'ScheduledErasure' });

export const EXPORT_PATH = '/api/v1/owner/export';

export const scheduledErasureExample = {
  requested_at: new Date('2026-01-30T14:30:00.000Z'),
  erases_at: new Date('2026-02-06T14:30:00.000Z'),
  export_path: EXPORT_PATH,
};

export const takenBack = z
  .strictObject({
    keys_restored: z.array(z.string()).readonly().describe('The prefixes of the keys that work again.'),
  })
  .meta({ id: 'ErasureTakenBack' });
