import { z } from 'zod';
import { instant } from '../../kit/input/query-values.ts';
import { identity } from '../decisions/decision-parts.ts';
import { recordIdText } from '../decisions/submission.ts';
import { direction, pageOf, submissionOrigin } from '../texts.ts';

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

export const quarantinedPage = pageOf(
  z
    .strictObject({
      record_id: recordIdText(),
      owner_id: z.uuid(),
      agent_id: z.string(),
      ...identity,
      direction,
      submission_time: instant(),
      submission_origin: submissionOrigin,
      reason: z
        .string()
        .nullable()
        .describe('As the owner sees it. When and by whom: in the audit log, by the record id.'),
      graded: z.boolean().describe('Whether a release makes it `evaluated` again, with the outcome that it had.'),
    })
    .meta({ id: 'QuarantinedRecord' }),
  'QuarantinedPage',
);

const listedInstrument = z
  .strictObject({
    instrument: z
      .strictObject({ ...identity, market: z.string(), asset_class: z.string() })
      .meta({ id: 'NamedInstrument' }),
    status: z.enum(['verified', 'rejected', 'unreachable']).nullable().describe('null: it was never verified.'),
    checked_at: instant().nullable(),
    retry_at: instant().nullable().describe('When an unreachable source is asked again.'),
    attempts: z.int().min(0).describe('How many times in a row no source could be asked.'),
    last_error: z.string().nullable(),
    refresh: z.strictObject({ job_id: z.uuid(), requested_at: instant() }).nullable().describe('The queued refresh.'),
  })
  .meta({ id: 'ListedInstrument' });

export const instrumentPage = pageOf(listedInstrument, 'InstrumentPage');
