import type { LoggedService } from './logged-service.ts';

/**
 * Runs statements as somebody who can bypass triggers and constraints, and who removes the stored replies, which would still
 * show what was there before; the triggers are as before afterwards.
 */
export async function tamper({ opened: { owner } }: LoggedService, statements: readonly string[]): Promise<void> {
  const { rows: triggers } = await owner.query<{ of: string; name: string }>(ALWAYS);
  const { rows: checks } = await owner.query<{ of: string; name: string }>(CHECKS);
  const tables = [...new Set(triggers.map((trigger) => trigger.of))];
  await owner.query(
    [
      ...['begin', ...tables.map((of) => `alter table ${of} disable trigger user`)],
      ...checks.map(({ of, name }) => `alter table ${of} drop constraint ${name}`),
      ...statements,
      'delete from app.reply_texts',
      ...tables.map((of) => `alter table ${of} enable trigger user`),
      ...triggers.map(({ of, name }) => `alter table ${of} enable always trigger ${name}`),
      'commit',
    ].join(';\n'),
  );
}

const ALWAYS = `
  select tgrelid::regclass::text as of, quote_ident(tgname) as name from pg_trigger
  join pg_class c on c.oid = tgrelid where tgenabled = 'A' and c.relnamespace = 'app'::regnamespace`;

const CHECKS = `
  select conrelid::regclass::text as of, quote_ident(conname) as name from pg_constraint
  where contype = 'c' and coninhcount = 0 and connamespace = 'app'::regnamespace`;

/** Changes a member of the statement, and everything that is stored with it or follows from it. */
export const sealedAnew = (id: string, path: string, value: string) => [
  `update app.decision_documents set statement = jsonb_set(statement::jsonb, '{body,${path}}', '${value}')::text,
     submission = jsonb_set(submission, '{${path}}', '${value}') where record_id = '${id}'`,
  `update app.decision_documents set commitment = encode(sha256(salt || convert_to(statement, 'UTF8')), 'hex')
     where record_id = '${id}'`,
  `update app.decision_documents set receipt = jsonb_set(receipt, '{commitment}', to_jsonb(commitment))
     where record_id = '${id}'`,
];

/** The lines that `check-evidence` has after a change and did not have before. */
export async function newFaults(logged: LoggedService, change: () => Promise<unknown>): Promise<readonly string[]> {
  const before = await logged.inside();
  await change();
  return (await logged.inside()).filter((fault) => !before.includes(fault));
}

/** The lines of the verifier that say that something fails. */
export const failures = (lines: readonly string[]) => lines.filter((line) => line.startsWith('FAILS'));
