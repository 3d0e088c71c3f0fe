import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { KEPT } from '../../../../adapters/postgres/accounts/owner-data.ts';
import { type OpenedDatabase, onPostgres } from '../../../contracts/decisions/adapters.ts';

let opened: OpenedDatabase;
beforeAll(async () => {
  opened = await onPostgres(1);
});
afterAll(() => opened.close());

describe('no table is forgotten', () => {
  /** Tables that name an owner or an agent and are exported in another way, or contain nothing personal. */
  const NOT_EXPORTED = {
    owners: 'as `owner`',
    decisions: 'as `records`',
    decision_notes: 'with the records',
    events: 'changes of `decisions` and `credit_ledger`, removed after 30 days',
    cohort_tail: 'a copy of columns of `decisions`, folded and removed within the hour',
    track_cells: 'counts of `decisions`',
    track_tail: 'changes of `decisions`, folded and removed within the hour',
    workflow_cells: 'counts of `decisions`',
    record_links: 'made from the relations that the records hold',
    erasures: 'of accounts that are gone',
    reply_texts: 'replies made from the records',
  };
  /** What stays under an owner_id that leads to nobody, by intent. */
  const STAYS = [
    'cohort_tail',
    'credit_ledger',
    // Removed by the steps of the erasure.
    'decision_notes',
    'decisions',
    'erasures',
    'events',
    // Without the owner and the content, so that an address gets no more mails.
    'mails',
    // Without question, sentence and salt: their leaves are verified with the rest.
    'plans',
    'quota_days',
    'record_links',
    'retroactive_days',
    'security_events',
    'workflow_cells',
    'workflow_publications',
  ];

  const tablesWith = async (condition: string): Promise<readonly string[]> => {
    const { rows } = await opened.owner.query<{ name: string }>(
      `select distinct c.table_name as name
        from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
        where c.table_schema = 'app' and t.table_type = 'BASE TABLE' and ${condition} order by 1`,
    );
    return rows.map(({ name }) => name);
  };

  test('whatever names an owner, an agent or a key is exported', async () => {
    const named = await tablesWith(`c.column_name in ('owner_id', 'agent_id')`);
    expect(named.filter((name) => !(name in KEPT) && !(name in NOT_EXPORTED))).toEqual([]);
    expect(Object.keys(NOT_EXPORTED).filter((name) => !named.includes(name))).toEqual([]);
  });

  test('whatever names an owner goes with them, or stays by intent', async () => {
    const going = `exists (select from pg_constraint k where k.contype = 'f' and k.confdeltype = 'c'
      and k.conrelid = format('app.%I', c.table_name)::regclass and k.confrelid = 'app.owners'::regclass)`;
    expect(await tablesWith(`c.column_name = 'owner_id' and c.table_name <> 'owners' and not ${going}`)).toEqual(STAYS);
  });
});
