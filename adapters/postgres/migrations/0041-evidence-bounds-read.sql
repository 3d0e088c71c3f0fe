-- Reads the whole tables, for hours where they are large; submissions, grades and reads go on meanwhile.

alter table app.decision_documents validate constraint in_first_months;
alter table app.decision_outcomes validate constraint in_first_months;
alter table app.outcome_evidence validate constraint in_first_months;
