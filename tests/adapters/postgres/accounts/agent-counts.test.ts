import { expect, test } from '@jest/globals';
import { MINUTE } from '../../../../domain/time.ts';
import { type OpenedDatabase, onPostgres } from '../../../contracts/decisions/adapters.ts';
import { type Bench, benchOn } from '../../../contracts/decisions/bench.ts';

let opened: OpenedDatabase;
const bench: Bench = benchOn({
  name: 'postgres',
  async open() {
    opened = await onPostgres(2);
    return opened;
  },
});

test('cached counts of a node of the release before, without reasons or moves, are counted anew', async () => {
  const agent = await bench.agent();
  await bench.accepted(agent, { symbol: 'NOSUCH' });
  const { verification, ownerOverview } = bench.storage();
  for (const instrument of await verification.awaitingVerification(await bench.now(), 10)) {
    await verification.settleVerification(instrument, 'rejected');
  }
  const ungraded = async () =>
    (await ownerOverview.agents(agent.owner_id, 5 * MINUTE, { archived: false, after: null, limit: 100 })).map(
      ({ counts }) => counts.ungraded.rejected,
    );
  expect(await ungraded()).toEqual([1]);
  const before = { submission_origin: 'realtime', record_group: 'unavailable', records: 7 };
  const note = 'update app.agent_counts set tallies = $1';
  await opened.owner.query(note, [JSON.stringify([{ ...before, ungraded: 'rejected', move: null }])]);
  expect(await ungraded()).toEqual([7]);
  for (const former of [before, { ...before, ungraded: 'rejected' }]) {
    await opened.owner.query(note, [JSON.stringify([former])]);
    expect(await ungraded()).toEqual([1]);
  }
});
