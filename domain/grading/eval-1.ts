import { DAY, HOUR, MINUTE, SECOND } from '../time.ts';

/**
 * Every number of the evaluation method `eval/1` (evaluation.md), once. A later method gets a new file next to this
 * one: outcomes of this method are never recomputed with other numbers. Durations are in milliseconds.
 */
export const EVAL_1 = {
  method: 'eval/1',

  /** Section 1: more market-open time than this between cutoff and receipt makes a record retroactive. */
  retroactiveSessions: 2,
  retroactiveCrypto: 2 * HOUR,

  /** Section 2: session time that a stock window must hold, in bars. */
  barsInWindow: 2,
  /** Section 2: the longest horizon that each bar size serves; above the last, daily bars. */
  holdingSizes: [
    { upTo: 6 * HOUR, size: '1m' },
    { upTo: 2 * DAY, size: '5m' },
    { upTo: 14 * DAY, size: '1h' },
  ],
  tradingDaySizes: [
    { upTo: 2, size: '5m' },
    { upTo: 10, size: '1h' },
  ],

  /** Section 3. */
  returns: 20,
  fewestReturns: 10,
  sigmaFloor: 0.001,

  /** Section 4: quartiles of N(0,1) and of |N(0,1)|. */
  signedQuartile: 0.67449,
  absoluteQuartiles: [0.318639, 0.67449, 1.150349],

  /** Section 6. */
  settle: { crypto: 120 * SECOND, stock: 30 * MINUTE, endOfDay: 6 * HOUR },
  entryWithin: 15 * MINUTE,
  coverage: 0.8,
  retries: [5 * MINUTE, 15 * MINUTE, HOUR, 6 * HOUR, DAY, DAY, DAY, DAY],
  haltSessions: 5,
  /** How long bars missing at the end of a window count as a late source before they count as a halt. */
  lateSource: 3 * DAY,

  /** Section 7. */
  regime: { trendReturns: 20, sigmaReturns: 60, trendEdge: 0.4307, volEdges: [1 / 3, 2 / 3] },
  volRank: { stock: 252, crypto: 365, fewest: 60 },
} as const;
