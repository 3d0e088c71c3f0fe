import { beforeAll, describe, expect, test } from '@jest/globals';
import { barFiles } from '../../adapters/market/files/bar-files.ts';
import { barsLine } from '../../clients/typescript/verify/bars-line.ts';
import { memoryBench, sweepBench } from '../application/grading/bench.ts';
import { type GradedOpenings, gradedOpenings } from '../builders/graded-openings.ts';
import { onMemory } from '../contracts/decisions/adapters.ts';
import { packagedBars } from '../harness/packaged-bars.ts';

const HOUR_OF_BTC = { symbol: 'BTC' };
const STOCK = { market: 'stock', symbol: 'MSFT', venue: 'NASDAQ' } as const;
const SESSIONS = { ...STOCK, horizon_kind: 'trading_days', horizon_value: 2 } as const;
const PACKAGED = { ...SESSIONS, horizon_value: 5, data_cutoff: '2003-02-13T14:00:00Z' } as const;

const graded = new Map<string, GradedOpenings>();

beforeAll(async () => {
  const bars = barFiles(await packagedBars());
  for (const method of ['eval/1', 'eval/2', 'eval/3']) {
    for (const direction of ['bullish', 'bearish', 'neutral'] as const) {
      const bench = await memoryBench('BTC');
      graded.set(`BTC ${direction} ${method}`, await gradedOpenings(bench, { ...HOUR_OF_BTC, direction }, method));
    }
    graded.set(`sessions ${method}`, await gradedOpenings(await memoryBench('MSFT'), SESSIONS, method));
    const packaged = await sweepBench(await onMemory(), bars);
    graded.set(`packaged ${method}`, await gradedOpenings(packaged, PACKAGED, method));
  }
});

const named = (name: string): GradedOpenings => {
  const found = graded.get(name);
  if (!found) throw new Error(`${name} was not graded.`);
  return found;
};

describe.each(['eval/1', 'eval/2', 'eval/3'])('the bars of an outcome by %s', (method) => {
  test.each(['BTC bullish', 'BTC bearish', 'BTC neutral', 'sessions', 'packaged'])('of %s give its facts', (name) => {
    const { opening, statement } = named(`${name} ${method}`);
    const detail = expect.stringMatching(new RegExp(`^${method} gives the bucket and the facts from \\d+ bars$`));
    expect(barsLine(opening, statement)).toEqual({ verdict: 'holds', subject: 'bars', detail });
  });

  test.each([
    [
      'bucket',
      'result_bucket is',
      (text: string) => text.replace(/"result_bucket":"\w+"/, '"result_bucket":"strong_incorrect"'),
    ],
    ['move', 'outcome.z is', (text: string) => text.replace(/"z":-?[\d.]+/, '"z":0.5')],
    ['price', 'outcome.entry.price is', (text: string) => text.replace(/("entry":.*?"price":)[\d.]+/, '$199')],
    [
      'regime',
      'created_regime is',
      (text: string) => text.replace(/"created_regime":[^,]+/, '"created_regime":"up_high"'),
    ],
  ])('do not give another %s', (_, detail, change) => {
    const { opening, statement } = named(`packaged ${method}`);
    const other = JSON.parse(change(JSON.stringify(opening)));
    expect(other).not.toEqual(opening);
    expect(barsLine(other, statement)).toMatchObject({ verdict: 'FAILS', detail: expect.stringContaining(detail) });
  });

  test.each<readonly [string, object]>([
    ['direction', { direction: 'bearish' }],
    ['horizon', { horizon_value: 7_200 }],
    ['record', { record_id: 'dec_20260302_00000000' }],
    ['method', { method: 'eval/4' }],
    ['time of receipt', { submission_time: '2026-03-02T13:00:00Z' }],
  ])('do not fit a decision of another %s', (_, changes) => {
    const { opening, statement } = named(`BTC bullish ${method}`);
    expect(barsLine(opening, { ...statement, ...changes })).toMatchObject({ verdict: 'FAILS' });
  });

  test('fail when one of them was changed', () => {
    const { opening, statement } = named(`packaged ${method}`);
    const [first = '', ...rest] = opening.evidence?.bars ?? [];
    const evidence = opening.evidence && { ...opening.evidence, bars: [first.replace(/\d/, '7'), ...rest] };
    const line = barsLine({ ...opening, ...(evidence && { evidence }) }, statement);
    expect(line.detail).toMatch(/^the bars [0-9a-f]{64} are missing, or were changed$/);
  });

  test('fail when the document was changed', () => {
    const { opening, statement } = named(`packaged ${method}`);
    const document = opening.evidence?.document.replace('2003', '2004') ?? '';
    const evidence = opening.evidence && { ...opening.evidence, document };
    expect(barsLine({ ...opening, ...(evidence && { evidence }) }, statement)).toMatchObject({
      verdict: 'FAILS',
      detail: 'the evidence is not that of the outcome',
    });
  });

  test('are not checked when they, or the decision, are not at hand', () => {
    const { opening, statement } = named(`packaged ${method}`);
    const { evidence: _, ...without } = opening;
    expect(barsLine(without, statement).verdict).toBe('not checked');
    expect(barsLine(opening, null).verdict).toBe('not checked');
  });

  test('of a session that the calendar does not have are not checked', () => {
    const { opening, statement } = named(`sessions ${method}`);
    expect(barsLine(opening, { ...statement, horizon_value: 3 }).verdict).toBe('not checked');
  });
});
