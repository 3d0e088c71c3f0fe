import { describe } from '@jest/globals';
import { backtestContract } from './backtests/backtest-store.ts';
import { rowNotesContract } from './backtests/row-notes.ts';
import { decisionAdapters } from './decisions/adapters.ts';
import { benchOn } from './decisions/bench.ts';

describe.each(decisionAdapters)('$name: back-tests', (adapter) => {
  const bench = benchOn(adapter);
  backtestContract.promises(bench);
  describe('notes on rows', () => rowNotesContract.promises(bench));
});
