import { z } from 'zod';
import { BATCH } from '../../../../domain/limits.ts';
import { publicDetail } from './decision-views.ts';

/** Ids of any form are accepted: a malformed one gets its reason in its place. */
export const batchRequest = z
  .strictObject({ record_ids: z.array(z.string()).min(1).max(BATCH.records) })
  .meta({ id: 'BatchRequest' });

export const batchReply = z
  .strictObject({
    items: z.array(
      z.discriminatedUnion('status', [
        z
          .strictObject({ status: z.literal('found'), record_id: z.string(), decision: publicDetail })
          .meta({ id: 'FoundRecord' }),
        z
          .strictObject({
            status: z.literal('not_visible'),
            record_id: z.string(),
            reason: z.enum(['does_not_exist', 'not_public', 'malformed']),
          })
          .meta({ id: 'NotVisibleRecord' }),
      ]),
    ),
  })
  .meta({ id: 'BatchReply' });
