import { breach, type Journal, type Promised } from '../journal.ts';
import type { ChaosDatabase } from '../stage/database.ts';

/** A query that must find no row. `words` describes what is wrong with one. */
interface Rule {
  readonly promise: Promised;
  readonly sql: string;
}

export async function checkGrades(database: ChaosDatabase, journal: Journal): Promise<void> {
  for (const { promise, sql } of RULES) {
    for (const { words } of await database.rows<{ words: string }>(sql)) breach(journal, promise, words);
  }
  const buckets = await database.rows<{ record_id: string; result_bucket: string }>(
    'select record_id, result_bucket from app.decisions where result_bucket is not null',
  );
  const byId = new Map(buckets.map(({ record_id, result_bucket }) => [record_id, result_bucket]));
  for (const [record_id, text] of journal.outcomes) {
    const shown = JSON.parse(text).result_bucket;
    if (byId.get(record_id) !== shown) breach(journal, 'graded', `${record_id} was shown as ${shown}`);
  }
}

const RULES: readonly Rule[] = [
  {
    promise: 'graded',
    sql: `
      select d.record_id || ' (' || d.lifecycle_state || ') has ' || o.n || ' outcomes and ' || e.n || ' evidence' as words
      from app.decisions d
        cross join lateral (select count(*) as n from app.decision_outcomes o where o.record_id = d.record_id) o
        cross join lateral (select count(*) as n from app.outcome_evidence e where e.record_id = d.record_id) e
      where o.n > 1 or e.n <> o.n or (d.lifecycle_state <> 'quarantined' and (d.lifecycle_state <> 'evaluated' or o.n <> 1))`,
  },
  {
    promise: 'graded',
    sql: `
      select 'the evidence of ' || record_id || ' has another digest' as words from app.outcome_evidence
      where digest <> encode(sha256(convert_to(document, 'UTF8')), 'hex')
        or document::jsonb ->> 'record_id' <> record_id`,
  },
  {
    promise: 'graded',
    sql: `
      select 'bars ' || named.digest || ' of ' || e.record_id || ' are missing or changed' as words
      from app.outcome_evidence e, unnest(e.path_bars || e.daily_bars) named(digest)
      where not exists (select from app.evidence_bars b
        where b.digest = named.digest and b.digest = encode(sha256(convert_to(b.content, 'UTF8')), 'hex'))`,
  },
  {
    promise: 'credits',
    sql: `
      select coalesce(d.record_id, l.record_id) || ' has ' || count(l.*) || ' credits of ' || coalesce(sum(l.amount), 0) as words
      from (select d.record_id from app.decisions d where d.submission_origin = 'realtime'
          and exists (select from app.decision_outcomes o where o.record_id = d.record_id)) d
        full join app.credit_ledger l on l.record_id = d.record_id
      group by d.record_id, l.record_id
      having count(d.*) = 0 or count(l.*) <> 1 or sum(l.amount) <> 10`,
  },
  {
    promise: 'credits',
    sql: `
      select coalesce(l.owner_id, q.owner_id) || ' has ' || coalesce(q.credit, 0) || ' of ' || coalesce(l.credit, 0) as words
      from (select owner_id, day, sum(amount) as credit from app.credit_ledger group by 1, 2) l
        full join (select owner_id, day, credit from app.quota_days where pool = 'query' and credit > 0) q
          on q.owner_id = l.owner_id and q.day = l.day
      where l.credit is distinct from q.credit`,
  },
  {
    promise: 'submits',
    sql: `
      select agent_id || ': ' || coalesce(s.number, 0) || ' numbered, ' || coalesce(r.n, 0) || ' stored' as words
      from app.agent_submissions s full join (select agent_id, count(*) as n from app.decisions group by 1) r using (agent_id)
      where r.n is distinct from s.number
      union all
      select s.agent_id || ' at ' || s.hour || ': ' || s.used || ' counted, ' || r.inside || ' stored' as words
      from app.agent_submissions s, lateral (
        select count(*) filter (where d.submission_time >= s.hour) as inside, count(*) as most
        from app.decisions d where d.agent_id = s.agent_id and d.submission_time < s.hour + interval '1 hour'
          -- An hour counts what comes while a clock that was set back is before it.
          and d.submission_time >= s.hour - interval '1 hour') r
      where s.used not between r.inside and r.most
      union all
      select concat(d.record_id, ' has the number ', d.number, ' at the place ', d.place) as words
      from (select record_id, number, row_number() over (partition by agent_id order by number, record_id) as place
        from app.decisions) d
      where d.number is distinct from d.place`,
  },
  {
    promise: 'submits',
    sql: `
      select owner_id || ' on ' || day || ': ' || coalesce(u.used, 0) || ' counted, ' || coalesce(r.n, 0) || ' stored' as words
      from app.retroactive_days u full join (select owner_id, (submission_time at time zone 'UTC')::date as day, count(*) as n
        from app.decisions where submission_origin = 'retroactive' group by 1, 2) r using (owner_id, day)
      where r.n is distinct from u.used`,
  },
];
