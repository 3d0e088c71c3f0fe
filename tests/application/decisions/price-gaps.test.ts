import { expect, test } from '@jest/globals';
import { type GapPorts, gapsOf } from '../../../application/decisions/price-gaps.ts';
import { openCoverage, type SourceCoverage } from '../../../domain/market/market-data.ts';
import { aDecision } from '../../builders/decision-records.ts';

const EVERYTHING = [openCoverage('a', () => Number.NEGATIVE_INFINITY)];
const TOO_LATE = [openCoverage('b', () => Date.parse('2027-01-01T00:00:00Z'))];

test('the gap of a record that is read again is that of what the sources cover then', async () => {
  let covered: readonly SourceCoverage[] = [];
  const coverage = async () => covered;
  const now = async () => new Date('2026-03-02T12:00:00Z');
  const ports = {
    marketData: { coverage },
    barFiles: { coverage },
    clock: { now, lastSeen: now },
  } as unknown as GapPorts;
  const records = [aDecision({ lifecycle_state: 'verified' }), aDecision()];
  const none = 'NO_PRICE_SOURCE: No configured source serves the instrument.';
  for (const [sources, expected] of [
    [[], none],
    [[], none],
    [EVERYTHING, null],
    [EVERYTHING, null],
    [TOO_LATE, 'NO_PRICE_SOURCE: b has 1m bars from 2027-01-01T00:00:00.000Z on'],
    [[...TOO_LATE, ...EVERYTHING], null],
    [[], none],
  ] as const) {
    covered = sources;
    const [gap, graded] = await gapsOf(ports, records);
    expect([gap?.slice(0, expected?.length) ?? null, graded]).toEqual([expected, null]);
  }
});
