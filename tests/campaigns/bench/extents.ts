import { type Millis, SECOND } from '../../../domain/time.ts';

/** How much each part measures. */
export const FULL = {
  ...{ rounds: 3, seconds: 6, warmUp: 15, decisions: 10_000, slices: { pairs: 20, seconds: 1, warmUp: 15 } },
  atlas: { records: 1_000_000, builds: 3, rounds: 3, seconds: 6 },
  backtests: { rows: 20_000, rounds: 5, seconds: 8 },
  recall: { records: 1_000_000 },
  costs: { seconds: 10, records: 20_000 },
  footprint: { starts: 7, idle: 60 },
  events: { pairs: 20, decisions: 2_000 },
  history: {
    ...{ sizes: [10_000, 300_000, 3_000_000], slim: [10_000, 20_000_000], templates: { days: 500, aDay: 6 } },
    ...{ rounds: 5, seconds: 2, graded: 5_000 },
  },
  export: { records: 20_000, templates: { days: 200, aDay: 6 }, large: 5 },
  log: { graded: 5_000, rounds: 3, imported: 70_000 },
  streams: { streams: 10_000, seconds: 60 },
  wisdom: { small: 10_000, large: 10_000_000, rounds: 41, graded: 3_000 },
};

/** For a look at whether all parts run. */
export const SHORT: typeof FULL = {
  ...{ rounds: 1, seconds: 3, warmUp: 3, decisions: 2_000, slices: { pairs: 4, seconds: 1, warmUp: 5 } },
  atlas: { records: 20_000, builds: 1, rounds: 1, seconds: 3 },
  backtests: { rows: 4_000, rounds: 1, seconds: 4 },
  recall: { records: 200_000 },
  costs: { seconds: 2, records: 1_000 },
  footprint: { starts: 1, idle: 5 },
  events: { pairs: 2, decisions: 500 },
  history: {
    ...{ sizes: [1_000, 10_000], slim: [1_000, 50_000], templates: { days: 60, aDay: 5 } },
    ...{ rounds: 3, seconds: 1, graded: 500 },
  },
  export: { records: 1_000, templates: { days: 60, aDay: 5 }, large: 0 },
  log: { graded: 1_000, rounds: 1, imported: 1_000 },
  streams: { streams: 500, seconds: 5 },
  wisdom: { small: 10_000, large: 200_000, rounds: 21, graded: 1_000 },
};

/** After this time what happened is ready to be appended to the log, where it is kept each second. */
export const SETTLED: Millis = 7 * SECOND;
