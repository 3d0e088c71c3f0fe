import { DAY, HOUR, MINUTE, SECOND } from '../time.ts';

/**
 * Every number of the evaluation methods, once: those of `eval/1` (evaluation.md), which `eval/2` shares, and below them
 * those of `eval/2` (evaluation-2.md) and of `eval/3` (evaluation-3.md). They never change: a later method that needs another number adds it, so
 * that outcomes are recomputed with the numbers of their own method. Durations are in milliseconds.
 */
export const GRADING = {
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

  /** Section 1 of evaluation-2.md: traded bars of a path, and the share of the open time from its entry to its exit. */
  barsOfPath: 2,
  openShare: 0.5,
  /** Section 2: a daily volatility below it is too small to grade by. */
  leastSigma: 0.001,
  /** Section 3: prices that differ by a smaller share are equal; above that many sigmas a price step is too wide. */
  equalPrices: 1e-6,
  widestStep: 0.318639,
  /** Section 6: how long a likely split waits for its corporate action; above that share the opens are carried. */
  splitWait: 4 * DAY,
  carriedOpens: 0.5,

  /**
   * Section 2 of evaluation-3.md: prices that are further apart than `apart` are a run. It may be stray with so many
   * prices, or in so much open time, or, where it is wholly further away than `far`, within so many sessions.
   */
  stray: { apart: { sessions: 1.6, continuous: 3 }, prices: 4, time: 15 * MINUTE, far: 7, sessions: 2, wait: 4 * DAY },
  /** The traded bars and the open time around a window in which its prices are judged. */
  judged: { bars: 3, time: 15 * MINUTE },
  /** A high or low further beyond the prices around it was none. */
  wildExtreme: 2,
  /** Section 3: a leap over a night, or between two bars where trading never stops; and the largest that a list explains. */
  nightLeap: { sessions: 1.4, continuous: 7, listed: 7, wait: 4 * DAY },
  /** Closes of a pair of days that differ by more measure no normal day. */
  historyLeap: 2,
  /** Section 4: an action that changes the price by more is held against its night. */
  testedAction: 1.2,
  /** Actions of a source and of an operator are one, so many sessions and such a share of their size apart. */
  sameAction: { sessions: 5, apart: 0.05 },
  /** Section 5: the sessions that the history lies in, and the longest stretch of them without a trade. */
  history: { sessions: 60, gap: 5 },
  /** Section 6: how far back the last price before the anchor is looked for, in bars of the path and of any size. */
  lookBack: { sameSize: DAY, any: 7 * DAY },
} as const;
