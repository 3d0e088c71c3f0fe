import { describe, expect, test } from '@jest/globals';
import { openPostgres } from '../../adapters/postgres/storage.ts';
import { type DecisionAdapter, decisionAdapters, NO_JOBS, onPostgres } from './decisions/adapters.ts';
import { benchOn } from './decisions/bench.ts';
import { intakeAcceptanceContract } from './decisions/intake-acceptance.ts';
import { intakeContextContract } from './decisions/intake-context.ts';
import { intakeGroupsContract } from './decisions/intake-groups.ts';
import { intakeLimitsContract } from './decisions/intake-limits.ts';
import { intakeNumbersContract, mixedAtOnce, ofEach } from './decisions/intake-numbers.ts';
import { intakeOrderContract } from './decisions/intake-order.ts';
import { intakePruningContract } from './decisions/intake-pruning.ts';
import { intakeRelationsContract } from './decisions/intake-relations.ts';
import { intakeReplayContract } from './decisions/intake-replay.ts';

const contracts = [
  intakeAcceptanceContract,
  intakeContextContract,
  intakeRelationsContract,
  intakeReplayContract,
  intakeLimitsContract,
  intakeOrderContract,
  intakePruningContract,
  intakeNumbersContract,
  intakeGroupsContract,
];

/** Every batch fails once all of it is written, so that its members are judged again one by one. */
const oneByOne: DecisionAdapter = {
  name: 'postgres where no batch is written in one piece',
  async open() {
    const opened = await onPostgres(10);
    const { rows } = await opened.owner.query(
      `select replace(pg_get_functiondef('app.judge_submissions'::regproc), 'if app.write_decisions(v_accepted) <',
        'if together and app.write_decisions(v_accepted) <=') as edited`,
    );
    expect(rows[0].edited).toContain('<=');
    await opened.owner.query(rows[0].edited);
    return opened;
  },
};

describe.each([...decisionAdapters, oneByOne])('$name', (adapter) => {
  const bench = benchOn(adapter);
  for (const contract of contracts) describe(contract.name, () => contract.promises(bench));
});

describe('two processes', () => {
  let opened: Awaited<ReturnType<typeof onPostgres>>;
  const bench = benchOn({
    name: 'postgres',
    async open() {
      opened = await onPostgres(10);
      return opened;
    },
  });

  test('number the decisions of one agent without gaps', async () => {
    const options = { poolSize: 10, atlasRests: 0, openJobs: async () => NO_JOBS };
    const other = await openPostgres({ url: opened.serviceUrl, ...options });
    try {
      expect(await mixedAtOnce(bench, [bench.storage().intake, other.intake], await bench.agent())).toEqual(ofEach(20));
    } finally {
      await other.close();
    }
  });
});
