import { z } from 'zod';
import { instant } from '../../kit/input/query-values.ts';

const count = (words: string) => z.int().min(0).describe(words);

export const serviceMinutes = z
  .strictObject({
    now: instant(),
    minutes: z
      .array(
        z.strictObject({
          at: instant().describe('The begin of the minute.'),
          processes: count('How many processes are in the figures.'),
          requests: count('Replies of these processes in the minute.'),
          p99_ms: z
            .number()
            .min(0)
            .nullable()
            .describe(
              'The duration that 99 of 100 replies did not exceed, estimated from 13 classes; null without one.',
            ),
          disk_free_bytes: count('Free on the disk of the database, the least that a process saw.').nullable(),
          due: count('Decisions due for evaluation at the end of the minute.'),
          log_size: count('Leaves of the evidence log.').nullable(),
          log_waits_seconds: count('For how long the oldest event had waited for its leaf.'),
        }),
      )
      .readonly()
      .describe('Of the last day, the first first. A minute in which no process wrote is missing.'),
  })
  .meta({ id: 'ServiceMinutes' });
