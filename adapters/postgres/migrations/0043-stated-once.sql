-- What was submitted is stored once: in the statement, which its commitment seals. Changes no row; locks the documents for a
-- moment, and waits for no other transaction for longer than 0.3 s at once.

do $$ begin
  perform set_config('lock_timeout', '300ms', true);
  for n in 1..300 loop
    begin
      lock table app.decision_documents in access exclusive mode;
      return;
    exception when lock_not_available or deadlock_detected then
      perform pg_sleep(0.5);
    end;
  end loop;
  raise exception 'app.decision_documents is in use by a long transaction: end it (a backup, for example), then migrate again.';
end $$;

alter table app.decision_documents alter column submission drop not null;
alter table app.decision_documents alter column confidence drop expression;
comment on column app.decision_documents.submission is 'Of records of 0.4.0: the body of their statement once more. Null in others.';
comment on column app.decision_documents.confidence is 'That of the body of the statement; null without one.';
alter type app.submission add attribute confidence double precision;
