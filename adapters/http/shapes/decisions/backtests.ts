import { z } from 'zod';
import type { BacktestCall, SentRow } from '../../../../domain/backtests/backtest.ts';
import { hiddenTexts } from '../../../../domain/hidden-texts.ts';
import { BACKTEST, COHORT, NOTE } from '../../../../domain/limits.ts';
import { instant, timestamp } from '../../kit/input/query-values.ts';
import { itemJudge } from '../../kit/input/read-input.ts';
import { count, hadSaidCounts, windowCounts } from '../counts.ts';
import { filledText, nameText } from '../texts.ts';
import { agentIdText } from './own-records.ts';
import { submission, submissionExample } from './submission.ts';
import { countsOfNone, facets, knowledgeCounts, recordCounts } from './track-record.ts';

const EXTERNAL_ID = new RegExp(`^[!-~]{1,${BACKTEST.idLength}}$`);

const externalId = () =>
  z.string().regex(EXTERNAL_ID, `must be 1 to ${BACKTEST.idLength} visible ASCII characters without spaces`);

const backtestRow = submission
  .pick({
    ...{ market: true, symbol: true, venue: true, asset_class: true, quote_currency: true, direction: true },
    ...{ horizon_kind: true, horizon_value: true, data_cutoff: true, key_factors: true, analysis_class: true },
    ...{
      perspective_type: true,
      price_targets: true,
      invalidation: true,
      confidence: true,
      model: true,
      summary: true,
    },
  })
  .extend({
    external_id: externalId().meta({
      description: 'Your own id of the row: sent again it is the same row.',
      example: 'trade-17',
    }),
  })
  .meta({
    id: 'BacktestRow',
    description: `At most ${BACKTEST.rowBytes} bytes. Its window begins at \`data_cutoff\`, and is over.`,
  });

const judgeRow = itemJudge(backtestRow);

/** The rows of a body, each judged when it is taken: a faulty one refuses itself alone. */
export function* sentRowsOf(rows: readonly unknown[]): Generator<SentRow, void> {
  for (const row of rows) yield sentRowOf(row);
}

/** A row with what its texts must not contain among its faults. */
function sentRowOf(sent: unknown): SentRow {
  const judged = judgeRow(sent);
  if ('faults' in judged) return { external_id: idIn(sent), faults: judged.faults };
  const { external_id, ...call } = judged.value;
  const faults = hiddenTexts(judged.value);
  return faults.length > 0 ? { external_id, faults } : { external_id, call: call as BacktestCall };
}

function idIn(sent: unknown): string | null {
  const id = typeof sent === 'object' && sent !== null && 'external_id' in sent ? sent.external_id : null;
  return typeof id === 'string' && EXTERNAL_ID.test(id) ? id : null;
}

const rowsOf = <Row extends z.ZodType>(row: Row) => z.array(row).min(1).max(BACKTEST.rowsAtOnce);

/** As the document shows it. */
export const backtestBatch = z
  .strictObject({
    about: z
      .strictObject({
        source: nameText(BACKTEST.sourceLength).meta({
          description: 'What made the rows.',
          example: 'freqtrade 2026.4',
        }),
        horizon_rule: nameText(BACKTEST.ruleLength).meta({
          description: 'How horizons were chosen: never by how long a trade lasted, which nobody knew before.',
          example: '5 trading days, for all',
        }),
      })
      .meta({ id: 'BacktestAbout', description: 'The same in each request of a set.' }),
    rows: rowsOf(backtestRow),
  })
  .meta({ id: 'BacktestBatch' });

/** Its rows are judged one by one, by `sentRowsOf`. */
export const backtestBody = backtestBatch.extend({ rows: rowsOf(z.unknown()) });

const { external_id: _, ...call } = { external_id: '', ...submissionExample };

export const backtestBodyExample: z.input<typeof backtestBatch> = {
  about: { source: 'freqtrade 2026.4', horizon_rule: '5 trading days, for all' },
  rows: [{ external_id: 'trade-17', ...call }],
};

const fault = z.strictObject({
  path: z.string(),
  message: z.string(),
  received: z.unknown().optional(),
});

export const batchReply = z
  .strictObject({
    accepted: count(),
    repeated: count().describe('Rows that the set had.'),
    refused: z
      .array(
        z
          .strictObject({
            row: count().describe('Its place in the request, from 0.'),
            external_id: z.string().nullable(),
            details: z.array(fault).readonly(),
          })
          .meta({ id: 'RefusedRow' }),
      )
      .readonly(),
  })
  .meta({ id: 'BacktestBatchReply' });

export const batchReplyExample: z.input<typeof batchReply> = {
  accepted: 999,
  repeated: 0,
  refused: [
    {
      row: 17,
      external_id: 'trade-18',
      details: [
        {
          path: 'horizon_value',
          message: 'The window ends at 2026-12-01T21:00:00.000Z: send rows whose windows are over.',
        },
      ],
    },
  ],
};

export const setName = () =>
  z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/, 'must be 1 to 40 lower-case letters, digits and hyphens')
    .describe('The name of the set, of your choice: lower-case letters, digits and hyphens.');

export const setPath = z.strictObject({ set: setName() });
export const ownerSetPath = z.strictObject({ agent_id: agentIdText().describe('An agent of yours.'), set: setName() });

export const setQuery = z.strictObject({
  agent_id: agentIdText().optional().describe('Owners send it, a key has its own.'),
});

export const rowNoteRequest = z
  .strictObject({
    external_id: externalId().meta({ description: 'Of the row.', example: 'trade-17' }),
    text: filledText(NOTE.textLength).describe('What to know before the next decision.'),
    as_of: timestamp().describe('The time of the back-test: from `known_at` of the row until now.'),
  })
  .meta({ id: 'BacktestNoteRequest' });

export const rowNoteExample: z.input<typeof rowNoteRequest> = {
  external_id: 'trade-17',
  text: 'Ignored the CPI date',
  as_of: '2003-02-21T14:30:00Z',
};

export const writtenRowNote = z
  .strictObject({ as_of: instant().describe('From when on it is known.'), written_at: instant() })
  .meta({ id: 'WrittenBacktestNote' });

export const writtenRowNoteExample: z.input<typeof writtenRowNote> = {
  as_of: new Date('2003-02-21T14:30:00Z'),
  written_at: new Date('2026-01-31T09:12:00Z'),
};

const head = {
  set: z.string(),
  agent_id: z.string(),
  about: backtestBody.shape.about.clone().meta({ id: 'StoredAbout' }),
  created_at: instant(),
};

export const setReply = z
  .strictObject({
    ...head,
    ...recordCounts,
    had_said: hadSaidCounts,
    ungraded_yet: count().describe('Rows that are settled and not graded: wait for 0.'),
    tried_again: count().describe('Those among them whose source did not answer: they are tried again later.'),
    instruments: count(),
    first_anchor: instant().nullable().describe('The start of the first window.'),
    last_anchor: instant().nullable(),
    windows: windowCounts.nullable().describe(`null for more than ${COHORT.mostWindows} graded rows.`),
    by_direction: facets.by_direction,
    by_month: facets.by_month.describe('By the month in which the windows begin.'),
    by_knowledge_cutoff: knowledgeCounts,
    calibration: facets.calibration.unwrap().describe('Graded rows by the tenth of their confidence.'),
  })
  .meta({ id: 'BacktestSet' });

export const setReplyExample: z.input<typeof setReply> = {
  set: 'spring',
  agent_id: 'agt_4f1c2d3e5a6b',
  about: backtestBodyExample.about,
  created_at: new Date('2026-01-29T08:00:00Z'),
  ...countsOfNone,
  submission_count: 1,
  pending_count: 1,
  ...{ ungraded_yet: 1, tried_again: 0, instruments: 1 },
  first_anchor: new Date('2003-02-13T14:00:00Z'),
  last_anchor: new Date('2003-02-13T14:00:00Z'),
  windows: { instruments: 0, instrument_days: 0, max_concurrent: 0, disjoint: 0 },
  by_direction: { bullish: countsOfNone, bearish: countsOfNone, neutral: countsOfNone },
  by_month: [{ month: '2003-02', ...countsOfNone }],
  by_knowledge_cutoff: { before: countsOfNone, after: countsOfNone, without: countsOfNone },
  calibration: [],
};

export const setList = z
  .strictObject({
    items: z.array(z.strictObject({ ...head, rows: count() }).meta({ id: 'ListedBacktestSet' })).readonly(),
  })
  .meta({ id: 'BacktestSetList' });

export const setListExample: z.input<typeof setList> = {
  items: [
    {
      set: 'spring',
      agent_id: 'agt_4f1c2d3e5a6b',
      about: backtestBodyExample.about,
      created_at: new Date('2026-01-29T08:00:00Z'),
      rows: 12_000,
    },
  ],
};
