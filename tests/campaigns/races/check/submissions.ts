import type { Exchange, History, Violation } from '../history.ts';

/** There is one record for each idempotency key and for equal calls in a cooldown; each accepted one is stored. */
export function checkSubmissions({ exchanges, final }: History): Violation[] {
  const accepted = exchanges.filter(({ submission, status }) => submission !== null && status === 201);
  const stored = new Set(final.records.map(({ record_id }) => record_id));
  const lost = accepted.filter(({ replied_record }) => !stored.has(replied_record ?? ''));
  return [
    ...lost.map(({ replied_record }) => `${replied_record} was accepted and is not stored`),
    ...repeated(final.records, ({ agent_id, call }) => `${agent_id} ${call}`).map(
      ([call, records]) => `${call}: ${records.length} records in one cooldown`,
    ),
    ...replaysOf(accepted),
  ];
}

function replaysOf(accepted: readonly Exchange[]): Violation[] {
  const keyed = accepted.filter(({ submission }) => submission?.idempotency_key != null);
  const byKey = Map.groupBy(keyed, ({ agent_id, submission }) => `${agent_id} ${submission?.idempotency_key}`);
  return [...byKey].flatMap(([key, all]) => {
    const records = new Set(all.map(({ replied_record }) => replied_record));
    const first = all.filter(({ headers }) => headers['idempotency-replayed'] !== 'true');
    return [
      ...(records.size > 1 ? [`${key}: ${records.size} records for one idempotency key`] : []),
      ...(first.length > 1 ? [`${key}: accepted ${first.length} times as new`] : []),
    ];
  });
}

function repeated<T>(rows: readonly T[], nameOf: (row: T) => string): [string, T[]][] {
  return [...Map.groupBy(rows, nameOf)].filter(([, those]) => those.length > 1);
}
