import { breach, type Counted, type Journal } from '../journal.ts';
import type { ChaosDatabase } from '../stage/database.ts';
import type { ChaosLimits } from '../stage/environment.ts';

/** Compares the admitted and served requests with the limits and with the stored counts. */
export async function checkLimits(database: ChaosDatabase, journal: Journal, limits: ChaosLimits): Promise<void> {
  checkWindows(journal, limits);
  await checkPools(database, journal, limits);
  await checkSubmissions(database, journal, limits);
}

/** A crash of the database, and nothing else, may lose counts that were not flushed. */
function checkWindows(journal: Journal, { ratePerMinute, ratePerSecond }: ChaosLimits): void {
  const admitted = journal.counted.filter(
    ({ key_prefix, status, code, rateLimit }) =>
      key_prefix !== null && status < 500 && code !== 'RATE_LIMIT_EXCEEDED' && rateLimit === ratePerMinute,
  );
  const crashes = journal.faults.filter(({ crash }) => crash);
  const wasLostInCrash = (those: readonly Counted[]) => {
    const [from, until] = [
      Math.min(...those.map(({ started }) => started)),
      Math.max(...those.map(({ ended }) => ended)),
    ];
    return crashes.some(({ started, over }) => started < until && over > from - 1_000);
  };
  const compare = (name: string, those: readonly Counted[], most: number) => {
    if (those.length > most && !wasLostInCrash(those))
      breach(journal, 'windows', `${name}: ${those.length} of ${most}`);
  };
  const minutes = Map.groupBy(
    admitted,
    ({ key_prefix, rateReset }) => `${key_prefix} ${Math.floor((rateReset - 1) / 60)}`,
  );
  for (const [name, those] of minutes) compare(`minute ${name}`, those, ratePerMinute);
  const inSeconds = admitted.filter(({ rateReset }) => rateReset % 60 !== 0);
  const seconds = Map.groupBy(inSeconds, ({ key_prefix, rateReset }) => `${key_prefix} ${rateReset}`);
  for (const [name, those] of seconds) compare(`second ${name}`, those, ratePerSecond);
}

interface PoolRow {
  readonly name: string;
  readonly used: number;
  readonly credit: number;
}

async function checkPools(database: ChaosDatabase, journal: Journal, limits: ChaosLimits): Promise<void> {
  const bases = { query: limits.queryPerDay, read: limits.readPerDay, check: limits.checkPerDecision };
  const rows = new Map((await database.rows<PoolRow>(POOLS)).map((row) => [row.name, row]));
  const served = journal.counted.filter(({ pool, status }) => pool in bases && status < 400);
  for (const [name, those] of Map.groupBy(served, poolOf)) {
    const { used = 0, credit = 0 } = rows.get(name) ?? {};
    const most = (bases[those[0]?.pool as keyof typeof bases] ?? 0) + credit;
    if (those.length > most) breach(journal, 'pools', `${name}: ${those.length} served of ${most}`);
    if (those.length > used) breach(journal, 'pools', `${name}: ${those.length} served, ${used} stored`);
  }
  for (const { name, used, credit } of rows.values()) {
    const most = (bases[name.split(' ')[2] as keyof typeof bases] ?? 0) + credit;
    if (used > most) breach(journal, 'pools', `${name}: ${used} stored of ${most}`);
  }
}

function poolOf({ owner_id, pool, record_id, quotaReset }: Counted): string {
  const day = new Date((quotaReset - 1) * 1_000).toISOString().slice(0, 10);
  return [owner_id, day, pool, ...(pool === 'check' ? [record_id] : [])].join(' ');
}

const POOLS = `
  select concat_ws(' ', owner_id, day, pool, nullif(record_id, '')) as name, used, credit from app.quota_days`;

async function checkSubmissions(database: ChaosDatabase, journal: Journal, limits: ChaosLimits): Promise<void> {
  const { cooldownSeconds, submitsPerHour, retroactivePerDay } = limits;
  const sqls = [
    [
      `select agent_id || ' at ' || date_trunc('hour', submission_time, 'UTC') || ': ' || count(*) as words
        from app.decisions group by agent_id, date_trunc('hour', submission_time, 'UTC') having count(*) > $1`,
      submitsPerHour,
    ],
    [
      `select owner_id || ' on ' || day || ': ' || used as words from app.retroactive_days where used > $1`,
      retroactivePerDay,
    ],
    [COOLDOWNS, cooldownSeconds],
  ] as const;
  for (const [sql, most] of sqls) {
    for (const { words } of await database.rows<{ words: string }>(sql, [most])) breach(journal, 'submits', words);
  }
}

const COOLDOWNS = `
  select record_id || ' came ' || submission_time - before || ' after an equal one' as words
  from (select record_id, submission_time, lag(submission_time) over (partition by agent_id, symbol, direction
    order by submission_time) as before from app.decisions) d
  where submission_time - before < $1 * interval '1 second'`;
