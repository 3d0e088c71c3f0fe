-- Which owners counted when the atlas was built: it is built again when the setting changes.

alter table app.atlas add column owner_proof text not null default 'none';
