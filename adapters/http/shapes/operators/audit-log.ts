import { z } from 'zod';
import { AUDIT } from '../../../../domain/limits.ts';
import { instant, timestamp } from '../../kit/input/query-values.ts';
import { paged, pageOf } from '../paging.ts';

export const auditQuery = z.strictObject({
  actor: z.string().min(1).max(AUDIT.filterLength).optional().describe('An owner_id, or `command line: ` with a user.'),
  action: z
    .string()
    .min(1)
    .max(AUDIT.filterLength)
    .optional()
    .describe('Such as `quarantine`, `suspend_owner`, `create_key`.'),
  subject: z
    .string()
    .min(1)
    .max(AUDIT.filterLength)
    .optional()
    .describe('What it was done to: a record id, an owner_id, the prefix of a key, an instrument.'),
  since: timestamp().optional().describe('Only entries at or after this time.'),
  until: timestamp().optional().describe('Only entries before this time.'),
  ...paged('Entries'),
});

export const auditPage = pageOf(
  z
    .strictObject({
      seq: z.string().describe('Its number in the log, in digits.'),
      at: instant(),
      actor: z.string(),
      action: z.string(),
      subject: z.string(),
      detail: z
        .record(z.string(), z.unknown())
        .describe('What belongs to the action: its result, a reason, names of keys.'),
    })
    .meta({ id: 'AuditEntry' }),
  'AuditPage',
);

export const auditExample = {
  seq: '1207',
  at: new Date('2026-01-30T14:30:00.000Z'),
  actor: '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3',
  action: 'quarantine',
  subject: 'dec_20260130_5c0ffee5',
  detail: { changed: true, reason: 'Submitted through a stolen key.' },
};
