import { z } from 'zod';
import { DIGEST_KINDS } from '../../../../domain/events/digest.ts';
import { PAGE } from '../../../../domain/limits.ts';
import { instant } from '../../kit/input/query-values.ts';

const line = z
  .strictObject({
    day: z.iso.date().describe('The UTC day.'),
    kind: z.enum(DIGEST_KINDS).describe('Later versions may add kinds.'),
    total: z.int().min(1).describe('How often it happened on that day.'),
    unread: z.int().min(0).describe('Of them, those since the read mark.'),
    at: instant().describe('When the newest was.'),
    subject: z
      .string()
      .nullable()
      .describe('What the newest names: a `record_id`, the prefix of a key, a `webhook_id`; null for sign-ins.'),
  })
  .meta({ id: 'DigestLine' });

export const readMark = z.string().max(PAGE.cursorLength);

export const digestReply = z
  .strictObject({
    lines: z.array(line).readonly().describe('The newest first; equal ones of a day are one line.'),
    unread: z.int().min(0).describe('How many lines have something unread.'),
    read_at: instant().nullable().describe('When you read it last; null: never.'),
    read_mark: readMark.describe('Send it to mark all of this as read.'),
    is_cut: z.boolean().describe('Whether you have had so many events that older ones are in no line.'),
  })
  .meta({ id: 'EventDigest' });
