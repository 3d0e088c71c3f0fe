import { z } from 'zod';
import { RECALL_ROWS, type Recall, recall } from '../../../../application/decisions/recall.ts';
import type { Ports } from '../../../../application/ports.ts';
import type { Note } from '../../../../domain/decisions/own/notes.ts';
import { RECALL } from '../../../../domain/limits.ts';
import { AWAITED } from '../../../../domain/recall/recall.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { instant, queryInteger, timestamp } from '../../kit/input/query-values.ts';
import { readAs } from '../../shapes/cohorts/cohort.ts';
import { count, distribution, hadSaidCounts, windowCounts } from '../../shapes/counts.ts';
import { setName } from '../../shapes/decisions/backtests.ts';
import { marketMove } from '../../shapes/decisions/outcome.ts';
import { agentIdText, symbolFilter } from '../../shapes/decisions/own-records.ts';
import { calibrationBand } from '../../shapes/decisions/track-record.ts';
import { direction, horizonKind, market, resultBucket, submissionOrigin } from '../../shapes/texts.ts';

const INT32 = 2_147_483_647;

const recallQuery = z.strictObject({
  agent_id: agentIdText().optional().describe('Owners send it, a key has its own.'),
  market: market.describe('`stock` or `crypto`.').meta({ example: 'stock' }),
  symbol: symbolFilter().min(1).meta({ example: 'MSFT' }),
  direction: direction.optional().describe('What you lean to: opposite open decisions are marked.'),
  horizon_kind: horizonKind.optional().describe('Its band comes first; with `horizon_value`.'),
  horizon_value: queryInteger(1, INT32).optional().describe('Requires `horizon_kind`.'),
  as_of: timestamp().optional().describe('What was known then; at most now, the default.'),
  set: setName().optional().describe('A set of back-tests, in place of decisions.'),
  tokens: queryInteger(RECALL.leastTokens, RECALL.mostTokens)
    .optional()
    .describe(`Of \`text\`, at most; default ${RECALL.tokens}.`),
  rows_shown: z
    .enum(RECALL_ROWS)
    .optional()
    .describe('`text`: those that the text has, as it quotes them. Default: `all`.'),
});

const note = z
  .strictObject({ number: z.int(), text: z.string(), written_at: instant() })
  .meta({ id: 'RecalledNote', description: 'Written after the outcome; of a set, at its `as_of`.' });

const ownCall = {
  record_id: z.string().optional().describe('Of a decision.'),
  external_id: z.string().optional().describe('Of a row of a set.'),
  submission_origin: submissionOrigin.nullable().describe('null of a row of a set.'),
  direction,
  horizon_kind: horizonKind,
  horizon_value: z.int(),
  confidence: z.number().nullable(),
  said: z.string().nullable().describe('The `summary`, else the first factor.'),
  anchor_time: instant(),
  end_time: instant(),
};

const openCall = z
  .strictObject({
    ...ownCall,
    opposite: z.boolean().nullable().describe('null without two directions.'),
    ungraded: z.string().nullable().describe('Why it gets no outcome, without `as_of`.'),
  })
  .meta({ id: 'OpenCall' });

const closedCall = z
  .strictObject({
    ...ownCall,
    evaluated_at: instant(),
    result_bucket: resultBucket,
    outcome: z
      .strictObject({
        raw_return: z.number(),
        z: z.number().describe('Signed by the direction; of a neutral decision the size of the move.'),
        move_z: z.number().describe('Signed by the price.'),
        mfe: z.number().nullable(),
        mae: z.number(),
        market: marketMove,
      })
      .meta({ id: 'RecalledOutcome' })
      .nullable()
      .describe('null where it cannot be read.'),
    notes: z.array(note).readonly(),
  })
  .meta({ id: 'ClosedCall' });

const elsewhereCall = z
  .strictObject({
    record_id: ownCall.record_id,
    external_id: ownCall.external_id,
    market,
    symbol: z.string(),
    direction,
    submission_origin: submissionOrigin.nullable(),
    anchor_time: instant(),
    result_bucket: resultBucket,
    note,
  })
  .meta({ id: 'ElsewhereCall' });

const counts = {
  open: count(),
  closed: count(),
  ungraded: z
    .strictObject({
      total: count(),
      reasons: z
        .array(z.strictObject({ reason: z.string(), total: count() }).meta({ id: 'RecalledReason' }))
        .readonly()
        .nullable()
        .describe(`\`${AWAITED}\` may still get an outcome; null with \`as_of\`.`),
    })
    .meta({ id: 'RecalledUngraded' })
    .describe('Over, without an outcome that counts.'),
  by_direction: z
    .strictObject({ bullish: distribution, bearish: distribution, neutral: distribution })
    .meta({ id: 'RecalledDirections' }),
  by_confidence: z.array(calibrationBand).readonly(),
  had_said: hadSaidCounts,
  windows: windowCounts,
};

const recallReply = z
  .strictObject({
    as_of: instant(),
    set: z.string().nullable(),
    read_as: readAs.describe('What the symbol was read as.'),
    open: z.array(openCall).readonly(),
    closed: z.array(closedCall).readonly(),
    elsewhere: z.array(elsewhereCall).readonly().describe('The newest notes on other securities.'),
    counts: z
      .strictObject({
        ...counts,
        retroactive: z.strictObject(counts).meta({ id: 'RetroactiveRecallCounts' }),
        since: instant().nullable().describe('When the oldest of them was received.'),
        complete: z.boolean().describe(`Whether these are all; else the newest ${RECALL.rows}.`),
      })
      .meta({ id: 'RecallCounts' }),
    quarantined: count(),
    ungraded_yet: count()
      .nullable()
      .describe('Of a set: settled rows that wait for their grade. Ask again until it is 0.'),
    text: z.string().describe('For the prompt, in Markdown.'),
    sha256: z.string().describe('Of `text`: for `inputs` of the submission.'),
  })
  .meta({ id: 'Recall' });

const NONE = { strong_correct: 0, weak_correct: 0, weak_incorrect: 0, strong_incorrect: 0 };
const COUNTS_OF_NONE = {
  ...{ open: 0, closed: 0, ungraded: { total: 0, reasons: [] }, by_confidence: [] },
  by_direction: { bullish: NONE, bearish: NONE, neutral: NONE },
  had_said: { bullish: NONE, bearish: NONE, neutral: NONE },
  windows: { instruments: 0, instrument_days: 0, max_concurrent: 0, disjoint: 0 },
};
const WRONG = { ...NONE, weak_incorrect: 1 };

const recallExample: z.input<typeof recallReply> = {
  as_of: new Date('2026-11-28T23:40:00Z'),
  set: null,
  read_as: { symbol: 'MSFT', names: [], others: [] },
  open: [],
  closed: [
    {
      record_id: 'dec_20261112_5c0ffee5',
      submission_origin: 'realtime',
      direction: 'bullish',
      horizon_kind: 'trading_days',
      horizon_value: 5,
      confidence: 0.7,
      said: 'Azure growth',
      anchor_time: new Date('2026-11-12T15:00:00Z'),
      end_time: new Date('2026-11-19T15:00:00Z'),
      evaluated_at: new Date('2026-11-19T15:31:00Z'),
      result_bucket: 'weak_incorrect',
      outcome: {
        ...{ raw_return: -0.0121, z: -0.38, move_z: -0.38, mfe: 0.0082, mae: -0.0211 },
        market: { instrument: 'stock:SPY:ARCA:spot:USD', move: 0.0029 },
      },
      notes: [{ number: 1, text: 'Ignored the CPI date', written_at: new Date('2026-11-20T09:00:00Z') }],
    },
  ],
  elsewhere: [],
  counts: {
    ...COUNTS_OF_NONE,
    closed: 1,
    by_direction: { ...COUNTS_OF_NONE.by_direction, bullish: WRONG },
    by_confidence: [{ confidence_from: 0.7, confidence_to: 0.8, result_distribution: WRONG }],
    had_said: { bullish: WRONG, bearish: { ...NONE, weak_correct: 1 }, neutral: { ...NONE, weak_correct: 1 } },
    windows: { instruments: 1, instrument_days: 1, max_concurrent: 1, disjoint: 1 },
    retroactive: COUNTS_OF_NONE,
    since: new Date('2026-11-12T15:00:00Z'),
    complete: true,
  },
  quarantined: 0,
  ungraded_yet: null,
  text: '## Own record of stock MSFT, as of 2026-11-28 23:40 UTC',
  sha256: 'ab'.repeat(32),
};

export function recallEndpoint(ports: Ports) {
  return endpoint({
    id: 'recall',
    method: 'GET',
    path: '/api/v1/agent/recall',
    isAddition: true,
    summary: 'Recall what the agent had decided',
    description:
      "The agent's own newest decisions on a security, their outcomes and notes, as `text` for the next prompt: facts and " +
      'counts, no advice. What happens after `as_of` changes nothing, except quarantine, erasure, an emptied note and what is ' +
      'learned of names. No unit of a pool.',
    tag: 'Agent decisions',
    auth: ['api_key', 'owner_bearer', 'legacy_session'],
    query: recallQuery,
    shapeStatus: 422,
    replies: { 200: { description: 'The recall.', schema: recallReply, example: recallExample } },
    problems: ['KEY_UNBOUND', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    async handle({ caller, query }) {
      return { status: 200, body: viewOf(await recall(ports, caller, query)) };
    },
  });
}

function viewOf({ open, closed, elsewhere, set, ...rest }: Recall) {
  const idOf = (id: string) => (set === null ? { record_id: id } : { external_id: id });
  return {
    ...{ set, ...rest },
    open: open.map(({ id, ...call }) => ({ ...idOf(id), ...call })),
    closed: closed.map(({ id, notes, ...call }) => ({ ...idOf(id), ...call, notes: notes.map(noteOf) })),
    elsewhere: elsewhere.map(({ id, note, ...call }) => ({ ...idOf(id), ...call, note: noteOf(note) })),
  };
}

/** Those that are recalled have a text. */
function noteOf({ number, text, written_at }: Note) {
  return { number, text: text ?? '', written_at };
}
