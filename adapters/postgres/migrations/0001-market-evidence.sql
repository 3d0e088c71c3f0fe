-- What outcomes were computed from, and bars that are fetched once.

create table app.evidence_bars (
  digest text primary key constraint digest_of_content check (digest = encode(sha256(convert_to(content, 'UTF8')), 'hex')),
  content text not null
);
comment on table app.evidence_bars is 'Stretches of bars that outcomes were computed from; outcomes share them.';

create table app.outcome_evidence (
  record_id text primary key references app.decisions,
  digest text not null constraint digest_of_document check (digest = encode(sha256(convert_to(document, 'UTF8')), 'hex')),
  document text not null,
  path_bars text[] not null,
  daily_bars text[] not null
);
comment on column app.outcome_evidence.path_bars is 'Digests of evidence_bars in the order of time, as the document names them.';

call app.keep_for_ever('app.evidence_bars');
call app.keep_for_ever('app.outcome_evidence');

alter table app.decision_outcomes alter column bars drop not null;
comment on column app.decision_outcomes.bars is 'The path of outcomes from before their evidence was kept; else null: see outcome_evidence.';

create table app.bar_stretches (
  stretch_id bigint generated always as identity primary key,
  series text not null,
  basis bigint not null,
  fetch_id uuid not null,
  since bigint not null,
  until bigint not null check (since < until),
  bars text not null
);
comment on table app.bar_stretches is 'Bars that were fetched once. Whatever is removed is fetched again: evidence stands in evidence_bars.';
comment on column app.bar_stretches.since is 'Epoch milliseconds: bars has every bar that there is within [since, until).';
create index on app.bar_stretches (series, basis, until);

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert on app.evidence_bars, app.outcome_evidence to %I', service);
  execute format('grant select, insert, delete on app.bar_stretches to %I', service);
end $$;
