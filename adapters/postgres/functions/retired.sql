-- What nodes of 0.4.0 call that may still run next to this release: as its migrations made it, and called by nothing here.
-- The release after this one drops it.

comment on function app.submit is 'Of 0.4.0: now app.submit_batch. A later release drops it.';
comment on function app.surroundings_of is 'Of 0.4.0: now app.context_of. A later release drops it.';
comment on type app.surroundings is 'Of 0.4.0: now app.submission_context. A later release drops it.';
