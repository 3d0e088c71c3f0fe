-- Removes from databases of the release before what only its predecessors called.

drop trigger if exists complete_document on app.decision_documents;
drop trigger if exists refuse_unknown_method on app.decisions;
drop function if exists app.complete_document(), app.refuse_unknown_method(), app.submit(jsonb, int), app.surroundings_of(app.submission, timestamptz),
  app.admit(bytea[], bytea[], text[], text[], text[], int[], int[], int[], text[], text[], int[], int[], interval, interval,
    interval, int);
drop type if exists app.admission, app.surroundings;

comment on column app.applied_functions.edition is
  'Of functions/edition.txt: a release of a lower edition leaves the functions as they are.';
