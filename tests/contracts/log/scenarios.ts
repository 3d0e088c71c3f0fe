import type { Storage } from '../../../application/ports.ts';
import type { LogLeaf } from '../../../domain/log/leaves/leaf.ts';
import { DAY, MINUTE } from '../../../domain/time.ts';
import { type KeptLog, keptLog, sequence } from '../../harness/kept-logs.ts';
import { race } from '../adapters.ts';
import type { Bench } from '../decisions/bench.ts';
import { evaluateAll } from '../decisions/evaluated.ts';

/** The types of the leaves about the decision at an index, in their order. */
export function typesAbout({ leaves }: Pick<KeptLog, 'leaves'>, index: number | undefined): LogLeaf['t'][] {
  return leaves.flatMap((leaf) => ('of' in leaf && leaf.of === index ? [leaf.t] : []));
}

/** What is logged of a decision that is quarantined and released: at first, and once its random times are over. */
export async function closedAndReopened(bench: Bench, storage: Storage) {
  const { record_id } = await bench.accepted(await bench.agent());
  await bench.arrange().mark(record_id, { quarantine_reason: 'made up' });
  await storage.transaction(async ({ moderation, audit }) => {
    await moderation.release(record_id);
    await audit.append({ actor: 'a test', action: 'release', subject: record_id, detail: {} });
  });
  const runAfter = async (millis: number) => {
    await bench.arrange().advance(millis);
    await sequence(storage);
    return typesAbout(await keptLog(storage), (await storage.log.leavesOf(1, record_id))?.index);
  };
  const atFirst = await runAfter(2 * MINUTE);
  await runAfter(DAY);
  return { atFirst, inTheEnd: await runAfter(2 * MINUTE) };
}

/** A decision that is graded in its minute, and how many leaves the log has after the batch of its decision. */
export async function gradedInItsMinute(bench: Bench, storage: Storage) {
  const { record_id } = await bench.accepted(await bench.agent());
  await evaluateAll(bench);
  await bench.arrange().advance(2 * MINUTE);
  await sequence(storage);
  const { size } = await keptLog(storage);
  await bench.arrange().advance(2 * MINUTE);
  await sequence(storage);
  return { record_id, size, leaves: await storage.log.leavesOf(1, record_id) };
}

/** Twenty sequencers at once after ten submissions: how many leaves they say that they appended, and how many there are. */
export async function twentySequencers(bench: Bench, storage: Storage) {
  const agent = await bench.agent();
  await sequence(bench.storage());
  const before = await keptLog(storage);
  for (let i = 0; i < 10; i++) await bench.accepted(agent);
  await bench.arrange().advance(2 * MINUTE);
  const appended = await race(20, () => sequence(storage, { limit: 3 }));
  const after = await keptLog(storage);
  return { appended: appended.reduce((sum, each) => sum + each, 0), grown: after.size - before.size };
}
