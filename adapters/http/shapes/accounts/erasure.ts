import { z } from 'zod';
import { instant } from '../../kit/input/query-values.ts';

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
