import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Promised } from './journal.ts';
import type { Stage } from './stage/stage.ts';

/** A bug, and the promise that the checks must find broken. */
export interface Plant {
  readonly breaks: Promised;
  /** Runs before the faults. */
  readonly begin?: (stage: Stage) => Promise<unknown>;
  /** Runs after the last request, before the checks. */
  readonly end?: (stage: Stage) => Promise<unknown>;
  /** The kinds of faults instead of all. */
  readonly kinds?: readonly string[];
  /** How many faults the bug needs to have an effect, if it needs more than a few. */
  readonly faults?: number;
}

/** Runs statements as the superuser without the guards of evidence, which no role of the service can do. */
function sql(...statements: readonly string[]) {
  return async ({ database }: Stage) => {
    const transaction = [
      'begin',
      'set local session_replication_role = replica',
      ...GUARDS_OFF,
      ...statements,
      'commit',
    ];
    await database.rows(transaction.join('; '));
  };
}

const EVIDENCE = ['decision_documents', 'decision_outcomes', 'outcome_evidence', 'audit_log'];
const GUARDS_OFF = [
  ...EVIDENCE.map((table) => `alter table app.${table} disable trigger evidence`),
  'alter table app.decisions disable trigger user',
  ...['log_bundles', 'log_checkpoints'].map((table) => `alter table app.${table} disable trigger user`),
];
const ACCEPTED = `(select record_id from app.idempotency order by record_id limit 1)`;
const GRADED = `(select d.record_id from app.decisions d join app.credit_ledger using (record_id)
  where lifecycle_state = 'evaluated' order by 1 limit 1)`;

export const PLANTS: Readonly<Record<string, Plant>> = {
  /** Replies do not wait for the disk, and the server crashes. */
  'acknowledged-too-early': {
    breaks: 'lost',
    begin: async ({ database }) => {
      // Settings of a role override those of the command line.
      await database.rows('alter role stancebook set synchronous_commit = off');
      await database.rows(`alter system set wal_writer_delay = '10s'`);
      await database.rows('select pg_reload_conf()');
      await database.rows(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'stancebook'`);
    },
    kinds: ['kill -9 of the postmaster', 'kill -9 of a backend'],
    faults: 6,
  },
  'forgotten-key': { breaks: 'doubled', end: sql(`delete from app.idempotency where record_id = ${ACCEPTED}`) },
  'second-record': {
    breaks: 'doubled',
    end: sql(
      `insert into app.decisions select (jsonb_populate_record(d, '{"record_id": "dec_20260101_00000000"}')).*
        from app.decisions d where record_id = ${ACCEPTED}`,
      `insert into app.decision_documents (record_id, submission, statement, salt, commitment, receipt)
        select 'dec_20260101_00000000', submission, statement, salt, commitment, receipt
        from app.decision_documents where record_id = ${ACCEPTED}`,
    ),
  },
  'deleted-record': {
    breaks: 'lost',
    end: sql(
      `delete from app.decision_documents where record_id = ${ACCEPTED}`,
      `delete from app.decisions where record_id = ${ACCEPTED}`,
    ),
  },
  'changed-submission': {
    breaks: 'lost',
    end: sql(
      `update app.decision_documents set (statement, commitment) = (select said, encode(sha256(salt || convert_to(said, 'UTF8')), 'hex')
        from jsonb_set(statement::jsonb, '{body,confidence}', '2') changed, text(changed) said) where record_id = ${ACCEPTED}`,
    ),
  },
  'graded-twice': {
    breaks: 'graded',
    end: sql(
      'alter table app.decision_outcomes drop constraint decision_outcomes_pkey',
      `insert into app.decision_outcomes select * from app.decision_outcomes where record_id = ${GRADED}`,
    ),
  },
  'lost-grade': {
    breaks: 'graded',
    end: sql(`delete from app.decision_outcomes where record_id = ${GRADED}`),
  },
  'changed-outcome': {
    breaks: 'appendOnly',
    end: sql(`update app.decision_outcomes set facts = facts || '{"z": 99}' where record_id = ${GRADED}`),
  },
  'damaged-evidence': {
    breaks: 'graded',
    end: sql(
      'alter table app.outcome_evidence drop constraint digest_of_document',
      `update app.outcome_evidence set document = document || ' ' where record_id = ${GRADED}`,
    ),
  },
  'credited-twice': {
    breaks: 'credits',
    end: sql(
      `update app.quota_days set credit = credit + 10 where pool = 'query' and credit > 0
        and owner_id = (select owner_id from app.credit_ledger order by 1 limit 1)`,
    ),
  },
  'rollup-off-by-one': {
    breaks: 'cohorts',
    end: sql(
      'select app.fold_cohorts(100000)',
      `update app.cohort_cells set n = n + 1 where ctid = (select ctid from app.cohort_cells where rollup = 13 limit 1)`,
    ),
  },
  'unit-given-away': {
    breaks: 'pools',
    end: sql(`update app.quota_days set used = 0 where pool = 'read'`),
  },
  'counter-decremented': {
    breaks: 'submits',
    end: sql(
      `update app.agent_submissions set number = number + 1, used = used - 1
        where agent_id = (select agent_id from app.agent_submissions where used > 1 order by agent_id limit 1)`,
    ),
  },
  'window-reopened': {
    breaks: 'windows',
    begin: async ({ database }) => {
      await database.rows(`
        create function app.chaos_reopen() returns trigger language plpgsql as $$
        begin new.second_used := 0; new.minute_used := 0; return new; end $$`);
      await database.rows(`create trigger chaos_reopen before update of second_used on app.api_keys
        for each row execute function app.chaos_reopen()`);
    },
    kinds: ['clock ahead', 'clock back'],
    faults: 15,
  },
  'quarantine-undone': {
    breaks: 'quarantine',
    end: sql(`update app.decisions set lifecycle_state = 'evaluated', evaluated_at = app.now(),
      result_bucket = 'weak_correct', due_at = null where lifecycle_state = 'quarantined'`),
  },
  'revocation-undone': {
    breaks: 'revocations',
    end: sql('update app.decisions set archived_at = null where archived_at is not null'),
  },
  'publications-lost': {
    breaks: 'workflows',
    end: sql('alter table app.workflow_publications disable trigger evidence', 'delete from app.workflow_publications'),
  },
  /** Triggers write what the log must say. */
  'event-left-out': {
    breaks: 'logged',
    begin: async ({ database }) => {
      await database.rows(`create function app.chaos_forget() returns trigger language plpgsql as $$
        begin return case when random() > 0.1 then new end; end $$`);
      await database.rows(`create trigger chaos_forget before insert on app.log_pending
        for each row execute function app.chaos_forget()`);
    },
  },
  'leaf-changed': {
    breaks: 'logged',
    end: sql(`update app.log_bundles set leaves = overlay(leaves placing '\\x30' from 20 for 1) where index = 0`),
  },
  'quarantine-without-leaf': {
    breaks: 'logged',
    end: sql(`update app.decisions set lifecycle_state = 'quarantined', quarantine_reason = 'made up',
      quarantined_at = app.now() where record_id = ${GRADED}`),
  },
  'two-trees-of-one-size': {
    breaks: 'forked',
    end: sql(
      `update app.log_checkpoints set root = sha256(root) where size = (select max(size) from app.log_checkpoints)`,
    ),
  },
  /** Each claim marks some deliveries as done, before they are sent. */
  'delivered-before-sent': {
    breaks: 'webhooks',
    begin: async ({ database }) => {
      await database.rows(`
        create function app.chaos_done() returns trigger language plpgsql as $$
        begin new.status := 'delivered'; new.due_at := null; new.token := null; return new; end $$`);
      await database.rows(`create trigger chaos_done before update of token on app.webhook_deliveries for each row
        when (old.token is null and new.token is not null and random() < 0.3) execute function app.chaos_done()`);
    },
    kinds: ['kill -9 at a delivery'],
    faults: 5,
  },
  /** The place of a webhook moves on without the delivery, as outside of its transaction. */
  'delivery-left-out': {
    breaks: 'webhooks',
    begin: async ({ database }) => {
      await database.rows(`create function app.chaos_leave_out() returns trigger language plpgsql as $$
        begin return case when random() > 0.05 then new end; end $$`);
      await database.rows(`create trigger chaos_leave_out before insert on app.webhook_deliveries
        for each row execute function app.chaos_leave_out()`);
    },
  },
  /** Readers have passed the position of an event when it is written. */
  'event-behind-readers': {
    breaks: 'events',
    begin: async ({ database }) => {
      await database.rows(`create or replace function app.event_position() returns bigint language sql volatile
        as 'select pg_current_xact_id()::text::bigint - (random() * 200)::int'`);
    },
  },
  /** As a service that makes a secret that it does not find. */
  'secret-made-anew': {
    breaks: 'starts',
    begin: async ({ lone }) => {
      lone.beforeStart = () => {
        for (const name of ['password-pepper', 'session-secret', 'postgres-owner']) {
          const file = join(lone.dataDir, 'secrets', name);
          if (existsSync(join(lone.dataDir, 'secrets')) && !existsSync(file))
            writeFileSync(file, `${'x'.repeat(43)}\n`);
        }
      };
    },
    kinds: ['secret missing'],
  },
  /** As a service that ends the process whose number an old file has. */
  'other-process-ended': {
    breaks: 'starts',
    begin: async ({ lone }) => {
      lone.beforeStart = () => {
        const file = join(lone.dataDir, 'instance.pid');
        if (existsSync(file)) process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL');
      };
    },
    kinds: ['process numbers recycled'],
    faults: 1,
  },
  /** The disk has room, so that no node can notice that it is full. */
  'disk-unnoticed': {
    breaks: 'disk',
    begin: async ({ disk }) => disk && Object.assign(disk, { fill: () => undefined }),
    kinds: ['disk full until noticed'],
    faults: 1,
  },
  'audit-entry-lost': {
    breaks: 'audit',
    end: sql(`delete from app.audit_log where action in ('rotate_key', 'quarantine')`),
  },
};
