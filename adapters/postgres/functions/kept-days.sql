-- Daily limits on what is kept for ever (KeptStore of domain/quotas/pools.ts).

-- Counts what a transaction keeps against the UTC day of each subject, in their order, or against none. refused: the position of
-- the first subject whose limit it passes, null if it passes none; kept and used_bytes: what that subject has kept on the day.
-- The rows are locked until the transaction ends: it is the last statement of its transaction, so that none waits for another.
create or replace function app.keep(subjects bytea[], of_kind text, more int, more_bytes bigint, mosts int[],
  mosts_bytes bigint[])
returns table (refused int, kept int, used_bytes bigint, told_at timestamptz) language plpgsql volatile as $$
#variable_conflict use_column
declare
  today date := (app.limits_now() at time zone 'UTC')::date;
begin
  begin
    for i in 1 .. cardinality(subjects) loop
      insert into app.kept_days as k (subject, kind, day, kept, bytes, most, most_bytes)
        select subjects[i], of_kind, today, more, more_bytes, mosts[i], mosts_bytes[i]
        where more <= mosts[i] and more_bytes <= mosts_bytes[i]
        on conflict (subject, kind, day) do update set kept = k.kept + excluded.kept, bytes = k.bytes + excluded.bytes,
            most = excluded.most, most_bytes = excluded.most_bytes
          where k.kept + excluded.kept <= excluded.most and k.bytes + excluded.bytes <= excluded.most_bytes;
      if not found then
        refused := i;
        raise sqlstate 'SB000';
      end if;
    end loop;
  exception when sqlstate 'SB000' then
    select k.kept, k.bytes into kept, used_bytes from app.kept_days k
      where k.subject = subjects[refused] and k.kind = of_kind and k.day = today;
  end;
  kept := coalesce(kept, 0);
  used_bytes := coalesce(used_bytes, 0);
  told_at := app.now();
  return next;
end $$;
