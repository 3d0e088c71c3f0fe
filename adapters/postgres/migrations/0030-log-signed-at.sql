-- When the signature of a checkpoint was stored, for operators. It proves nothing to others; null for older checkpoints.
alter table app.log_checkpoints add column signed_at timestamptz(3);

do $$
begin
  execute format('grant update (signed_at) on app.log_checkpoints to %I', current_setting('stancebook.service_role'));
end $$;
