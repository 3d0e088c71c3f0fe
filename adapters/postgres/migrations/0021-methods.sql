-- The evaluation method of each record, fixed at its receipt. Every earlier record is of the first one, and so is what a
-- node of the release before submits: it names no method.

alter table app.decisions add column method text not null default 'eval/1';
comment on column app.decisions.method is 'Fixed at receipt. A release that does not know it leaves the record alone.';

alter type app.submission add attribute method text;
