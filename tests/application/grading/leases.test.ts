import { expect, test } from '@jest/globals';
import { evaluateDue, resumeSweeps } from '../../../application/grading/evaluate-due.ts';
import { verifyInstruments } from '../../../application/market/verify-instruments.ts';
import type { Ports } from '../../../application/ports.ts';
import { JOBS } from '../../../domain/jobs.ts';
import { EVALUATION } from '../../../domain/limits.ts';
import { HOUR } from '../../../domain/time.ts';
import { memoryBench } from './bench.ts';

test('a batch that takes longer than a lease is not taken over while it continues', async () => {
  const bench = await benchWithTwoDue();
  const others: unknown[] = [];
  const ports = slowly(bench.ports, async (symbol) => {
    await bench.arrange.advance(0.9 * EVALUATION.lease);
    if (symbol === 'ETH') others.push(await evaluateDue(bench.ports));
  });
  expect(await evaluateDue(ports)).toMatchObject({ ended: 2, next: null });
  expect(others).toEqual([expect.objectContaining({ ended: 0 })]);
});

test('records that wait behind a slow source are taken over, and not fetched twice', async () => {
  const bench = await benchWithTwoDue();
  const fetched: string[] = [];
  const others: unknown[] = [];
  const ports = slowly(bench.ports, async (symbol) => {
    fetched.push(symbol);
    await bench.arrange.advance(EVALUATION.lease);
    others.push(await evaluateDue(bench.ports));
  });
  expect(await evaluateDue(ports)).toMatchObject({ ended: 0, next: null });
  expect(others).toEqual([expect.objectContaining({ ended: 2 })]);
  expect(fetched).toEqual(['BTC']);
});

test('a process that starts alone takes over the leases of a dead one at once; one among others waits', async () => {
  const bench = await benchWithTwoDue();
  const now = await bench.ports.clock.now();
  const leaseUntil = new Date(now.getTime() + EVALUATION.lease);
  await bench.ports.evaluations.claimDue(now, leaseUntil, 10);
  await resumeSweeps(bench.ports, false);
  expect(await evaluateDue(bench.ports)).toEqual({ ended: 0, more: false, next: leaseUntil });
  await resumeSweeps(bench.ports, true);
  expect(await evaluateDue(bench.ports)).toEqual({ ended: 2, more: false, next: null });
});

test('every sweep is enqueued at the start', async () => {
  const bench = await memoryBench('BTC');
  await bench.dueJobs();
  await resumeSweeps(bench.ports, true);
  expect((await bench.dueJobs()).toSorted()).toEqual(JOBS.toSorted());
});

async function benchWithTwoDue() {
  const bench = await memoryBench('BTC', 'ETH');
  await bench.submit();
  await bench.submit({ symbol: 'ETH' });
  await verifyInstruments(bench.ports);
  await bench.arrange.advance(2 * HOUR);
  return bench;
}

/** Ports whose source takes its time over the path of each instrument. */
function slowly(ports: Ports, meanwhile: (symbol: string) => Promise<void>): Ports {
  const seen = new Set<string>();
  const { marketData } = ports;
  return {
    ...ports,
    marketData: {
      ...marketData,
      describe: (instrument) => marketData.describe(instrument),
      async bars(instrument, size, from, to, now) {
        if (!seen.has(instrument.symbol)) {
          seen.add(instrument.symbol);
          await meanwhile(instrument.symbol);
        }
        return marketData.bars(instrument, size, from, to, now);
      },
    },
  };
}
