import { z } from 'zod';
import { instant } from '../../kit/input/query-values.ts';

const answer = z
  .strictObject({
    source: z.string(),
    subject: z.string().describe('What was requested: an instrument, or a coin.'),
    ok: z.boolean(),
    latency_ms: z.int().min(0).describe('From the first attempt to the end of the last one.'),
    newest: instant()
      .nullable()
      .describe(
        'The start of the newest bar, or the time of the last trade; null after a failure and where none is sent.',
      ),
    error: z.string().nullable(),
  })
  .meta({ id: 'SourceAnswer' });

export const sourceAnswers = z
  .strictObject({
    sources: z.array(answer).readonly().describe('Empty where no live source is configured (MARKET_DATA_NETWORK).'),
  })
  .meta({ id: 'SourceAnswers' });

export const backupRequest = z
  .strictObject({ status: z.enum(['started', 'already_running']) })
  .meta({ id: 'BackupRequest' });
