import { z } from 'zod';
import { instant, queryInteger } from '../../kit/input/query-values.ts';

export const pegQuery = z.strictObject({
  hours: queryInteger(1, 192).optional().describe('How far back; default 24.'),
});

export const pegHistoryView = z
  .strictObject({
    coin: z.string(),
    from: instant(),
    until: instant(),
    step_seconds: z.int().min(1).describe('The length of a stretch.'),
    stretches: z
      .array(
        z
          .strictObject({
            from: instant().describe('The stretch begins here.'),
            low: z.number().describe('The lowest price of it, in USD.'),
            high: z.number(),
            last: z.number(),
            drift_bps: z.number().describe('The largest |price - 1| of it, in basis points.'),
            observations: z.int().min(1),
          })
          .meta({ id: 'PegStretch' }),
      )
      .readonly()
      .describe('At most 289; a stretch without an observation is left out.'),
  })
  .meta({ id: 'PegHistory' });

export const pegHistoryExample = {
  coin: 'USDC',
  from: new Date('2026-01-29T14:30:00.000Z'),
  until: new Date('2026-01-30T14:30:00.000Z'),
  step_seconds: 300,
  stretches: [
    {
      from: new Date('2026-01-29T14:30:00.000Z'),
      low: 0.9997,
      high: 1.0001,
      last: 1,
      drift_bps: 3,
      observations: 5,
    },
  ],
};
