import type { History, Violation } from '../history.ts';

const QUERY_CREDIT = 10;

/** Each evaluated record is ended by one call, is in the ledger once, and gives its owner ten queries. */
export function checkCredits({ finalisations, final }: History): Violation[] {
  const ended = finalisations.flatMap(({ records }) => records);
  const twice = [...Map.groupBy(ended, ({ record_id }) => record_id)].filter(([, those]) => those.length > 1);
  const ledger = new Set(final.ledger.map(({ record_id }) => record_id));
  const missing = ended.filter(({ record_id }) => !ledger.has(record_id));
  const owners = new Set([...ended, ...final.ledger].map(({ owner_id }) => owner_id));
  return [
    ...twice.map(([record_id]) => `${record_id} was ended twice`),
    ...missing.map(({ record_id }) => `${record_id} was evaluated and earned nothing`),
    ...(ledger.size === new Set(ended.map(({ record_id }) => record_id)).size
      ? []
      : ['A record that was not evaluated earned credit']),
    ...[...owners].flatMap((owner_id) => {
      const earned = QUERY_CREDIT * ended.filter((record) => record.owner_id === owner_id).length;
      const rows = final.pools.filter((row) => row.owner_id === owner_id && row.pool === 'query');
      const credit = rows.reduce((sum, row) => sum + row.credit, 0);
      return earned === credit ? [] : [`${owner_id} earned ${earned} queries and has ${credit}`];
    }),
  ];
}
