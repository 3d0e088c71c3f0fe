import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { LogPorts } from '../../application/log/keep-log.ts';
import type { Storage, Stores } from '../../application/ports.ts';
import { utf8 } from '../../domain/log/encoding.ts';
import { leafAudit } from '../../domain/log/leaves/leaf-audit.ts';
import type { LogStore, PendingEvent } from '../../domain/log/log-store.ts';
import { checkpointText } from '../../domain/log/notes/checkpoint.ts';
import { keptLog, sequence } from '../harness/kept-logs.ts';
import { decisionAdapters } from './decisions/adapters.ts';
import { benchOn } from './decisions/bench.ts';
import { killedAtEachStep } from './log/killed-sequencer.ts';
import { closedAndReopened, gradedInItsMinute, twentySequencers } from './log/scenarios.ts';

// Transactions in memory, or of one connection, run one after the other in any case.
const concurrent = decisionAdapters.filter(({ name }) => name === 'postgres');

describe.each(concurrent)('planted faults of the log are caught on $name', (adapter) => {
  const bench = benchOn(adapter);

  test('sequencers without a lock do not append every leaf once', async () => {
    await sequence(bench.storage());
    const unlocked = withLog(bench.storage(), (store) => ({ ...store, lock: () => sleep(20) }));
    const found = await twentySequencers(bench, unlocked).catch((error: Error) => error.message);
    expect(found).not.toEqual({ appended: 10, grown: 10 });
  });
});

describe.each(decisionAdapters)('planted faults of the log are caught on $name', (adapter) => {
  const bench = benchOn(adapter);

  test('a signature before the commit signs what the log does not become', async () => {
    expect((await killedAtEachStep(bench, signingInside)).forks).not.toEqual([]);
  });

  test('events without their order reopen what is not closed', async () => {
    const { inTheEnd } = await closedAndReopened(bench, withLog(bench.storage(), unordered));
    expect(inTheEnd).not.toEqual(['closed', 'reopened']);
  });

  test('an outcome in the batch of its decision breaks the rules of leaves', async () => {
    const audit = leafAudit();
    const faults = await gradedInItsMinute(bench, withLog(bench.storage(), hasty))
      .then(async () => (await keptLog(bench.storage())).bytes.flatMap((bytes) => audit.next(bytes) ?? []))
      .catch((error: Error) => [error.message]);
    expect(faults).not.toEqual([]);
  });
});

/** The same storage, with another log in its transactions. */
function withLog(storage: Storage, change: (store: LogStore, own: Stores) => LogStore): Storage {
  return {
    ...storage,
    transaction: (work) => storage.transaction((own) => work({ ...own, log: change(own.log, own) })),
  };
}

function signingInside(ports: LogPorts): LogPorts {
  const signing = (store: LogStore): LogStore => ({
    ...store,
    async append(batch) {
      await store.append(batch);
      const { origin = '' } = (await store.find(batch.log)) ?? {};
      await ports.logKey.sign(utf8(checkpointText({ origin, ...batch.head })));
    },
  });
  return { ...ports, transaction: (work) => ports.transaction((own) => work({ ...own, log: signing(own.log) })) };
}

/** Takes later events of a decision for earlier ones. */
function unordered(store: LogStore): LogStore {
  const swapped = (event: PendingEvent): PendingEvent => {
    if (event.event === 'closed') return { ...event, event: 'reopened' };
    return event.event === 'reopened' ? { ...event, event: 'closed', reason: 'quarantined' } : event;
  };
  return { ...store, pending: async (...page) => (await store.pending(...page)).map(swapped) };
}

/** Takes the outcome of a decision with the decision itself. */
function hasty(store: LogStore, { decisions }: Stores): LogStore {
  const outcomeOf = async ({ record_id, event }: PendingEvent, of: number): Promise<PendingEvent[]> => {
    const [decision] = event === 'decision' ? await decisions.find([record_id], null) : [];
    const { evaluated_at, result_bucket, facts } = decision ?? {};
    if (!decision || !evaluated_at || !result_bucket || !facts) return [];
    const graded = { ...decision, evaluated_at, result_bucket, facts };
    return [{ record_id, seq: '0', happened_at: evaluated_at, event: 'outcome', of, graded, document: null }];
  };
  return {
    ...store,
    async pending(log, before, limit) {
      const events = await store.pending(log, before, limit);
      const size = (await store.latest(log))?.size ?? 0;
      const outcomes = await Promise.all(events.map((event, i) => outcomeOf(event, size + i)));
      return [...events, ...outcomes.flat()];
    },
  };
}
