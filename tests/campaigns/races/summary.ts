import { type History, isRateRefusal } from './history.ts';

/** The numbers of a campaign. A campaign that reached no limit proves nothing. */
export function summaryOf({ exchanges, revocations, finalisations, final }: History): string {
  const count = (which: (exchange: History['exchanges'][number]) => boolean) => exchanges.filter(which).length;
  const begin = Math.min(...exchanges.map(({ started }) => started));
  const end = Math.max(...exchanges.map(({ ended }) => ended));
  const byStatus = [...Map.groupBy(exchanges, ({ status }) => status)].sort(([a], [b]) => a - b);
  const replays = count(({ headers }) => headers['idempotency-replayed'] === 'true');
  const evaluated = finalisations.reduce((sum, { records }) => sum + records.length, 0);
  return [
    `${exchanges.length} requests in ${((end - begin) / 1_000).toFixed(0)} s`,
    byStatus.map(([status, those]) => `${status}: ${those.length}`).join('  '),
    `refused for the rate ${count(isRateRefusal)}, for the day ${count(({ code }) => code === 'DAILY_QUOTA_EXCEEDED')}, ` +
      `for the cooldown ${count(({ code }) => code === 'DUPLICATE_SUBMISSION')}`,
    `accepted ${final.records.length}, replayed ${replays}, evaluated ${evaluated}, credited ${final.ledger.length}, ` +
      `keys revoked ${revocations.length}`,
  ].join('\n');
}
