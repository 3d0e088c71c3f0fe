-- A node evaluates records of the methods that it knows. Its claims name them; those of the release before name none, and
-- it knows eval/1 alone: it would grade every record by that.

create or replace function app.refuse_unknown_method() returns trigger language plpgsql as $$
begin
  return case when new.method = any(string_to_array(current_setting('stancebook.known_methods', true), ',')) then new end;
end $$;
comment on function app.refuse_unknown_method is 'Leaves a record out of a claim by a node that does not know its method.';

create or replace trigger refuse_unknown_method before update of eval_token on app.decisions for each row
  when (new.method <> 'eval/1' and old.due_at is not null
    and new.eval_token is not null and new.eval_token is distinct from old.eval_token)
  execute function app.refuse_unknown_method();
