/**
 * Comparisons of owners that no probe notices, or runs, with the reason. The key is a part of the statement or function with
 * the comparison between `«` and `»`.
 */
export const EXCUSED: Readonly<Record<string, string>> = {
  'where «k.owner_id = a.owner_id» and k.agent_id = a.agent_id':
    'The key is of the agent, and an agent has one owner: the comparison serves an index.',
  'update app.agents set archived_at = null where «owner_id = $1» and agent_id = $2':
    'The statement before it finds the agent among those of the owner, which is locked.',
  'DELETE FROM "app"."agents" WHERE («"owner_id" = $1» AND "agent_id" = $2)': 'As above.',
  'select suspended_at from app.owners where «owner_id = $1» for update':
    'A lock: the statements after it name the owner themselves.',
  'select from app.owners where «owner_id = $1» for update': 'A lock before a deletion, which names the owner itself.',
  'select from app.owners where «owner_id = $1» and erases_at <= app.now() for update':
    'As above; what is due, which nothing here is: tests/contracts/accounts/erasure.ts has two owners.',
  '(select count(*)::int from app.decisions where «owner_id = $1») as records': 'Of an account that is due, as above.',
  'owner_id in (select owner_id from app.owners where «owner_id = $1» and erases_at <= app.now())':
    'Of an account that is due, as above.',
  '«owner_id in (select owner_id from app.owners where owner_id = $1 and erases_at <= app.now())»':
    'Of an account that is due, as above.',
  '«s.owner_id in (select owner_id from app.owners where owner_id = $1 and erases_at <= app.now())»':
    'Of an account that is due, as above.',
  'perform from app.owners o where «o.owner_id = erased» and o.erases_at <= app.now() for update': 'A lock, as above.',
  'perform from app.api_keys k where «k.owner_id = erased» for update': 'A lock, as above.',
  'from app.erasures e where «e.owner_id = erased» and e.ended_at is null for update':
    'A lock: the statements after it name the owner themselves.',
  'from app.workflow_publications p where «p.owner_id = erased» and not exists':
    'It reads hashes; the deletion of publications after it names the owner itself.',
  'where «x.owner_id = d.owner_id» and exists (select from app.audit_log l':
    'It joins a record with the erasure of its owner, for a check of all records.',
  'lateral (select coalesce(«t.owner_id = w.viewer», false) as is_own':
    'The text of an owner is sealed for this reader (ADR 17): tests/adapters/postgres/decisions/stored-replies.test.ts.',
  'case when «t.owner_id = w.viewer» then t.owner_seal': 'As above: a seal opens no text of another owner.',
  'case when «t.owner_id = w.viewer» then t.owner_text': 'As above.',
  'from app.owners o where «o.owner_id in (select d.owner_id': 'A lock, of the owners of records that are locked.',
  'and «d.owner_id = any(owners)»': 'It leaves out records whose owner is being removed; the record has its own owner.',
  'left join taken t on «t.owner_id = s.owner_id» and t.pool = s.pool':
    'It joins what a batch took with those who take; batches of several owners: tests/contracts/quotas/pools.ts.',
  'where g.agent_id = d.agent_id and «g.owner_id = d.owner_id»':
    'A guard against other programs, which no port gets to: tests/adapters/postgres/decision-guards.test.ts.',
  'where d.record_id = new.record_id and «d.owner_id = new.owner_id» and d.agent_id = new.agent_id':
    'A guard of notes against other programs: tests/adapters/postgres/note-guards.test.ts.',
  "«w.owner_id = $1» and w.webhook_id = $2 and d.status = 'failed'":
    'The statement before it finds the webhook among those of the owner.',
  "where «s.owner_id = w.owner_id» and l.status = 'pending' and l.token is not null":
    'It counts what is being sent for an owner, which decides whose webhooks come first: tests/contracts/webhooks/webhook-store.ts.',
  'where «e.owner_id = w.owner_id» and e.position >= clock.horizon':
    'It decides when a sweep looks again, and shows nothing.',
  'where exists (select from app.cohort_decisions d where «d.owner_id = v.owner_id» and':
    'It counts verified owners and shows none: tests/contracts/cohorts/verifying.ts.',
  "from app.owners where «owner_id = admin» and role = 'admin'":
    'It decides who may act, by an exception, and shows nothing: tests/contracts/accounts/suspension.ts.',
  "from app.owners where «owner_id = account» and role = 'admin'": 'As above.',
};
