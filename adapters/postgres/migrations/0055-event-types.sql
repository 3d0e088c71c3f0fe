-- A third of the CPU of an event was the check of its type by a regular expression. Functions of the schema write the types.

alter table app.events drop constraint events_type_check;
