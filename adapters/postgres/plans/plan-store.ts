import { activeOwner, type Owner } from '../../../domain/accounts/owner.ts';
import type { OpenedPlan, Plan } from '../../../domain/log/plan.ts';
import type { ListedPlan, PlanGround, PlanStore } from '../../../domain/plans/plan.ts';
import { FOREIGN_KEY, type Sql, sqlState } from '../kit/sql.ts';

/** The columns of `PlanRow`, of a table that is called `p`. */
export const PLAN_COLUMNS = `
    p.plan_id, p.owner_id, p.agent_id, p.stated_at, encode(p.commitment, 'hex') as commitment,
    encode(p.producer, 'hex') as producer, encode(p.salt, 'hex') as salt, p.statement,
    encode(p.question, 'hex') as question, encode(p.content, 'hex') as content`;

/** SQL by hand: a lock, bytes as digits, and a count with what it adds in one statement. */
export function postgresPlans(sql: Sql): PlanStore {
  return {
    async ground({ owner_id, agent_id, question, content }, since) {
      activeOwner((await sql.rows<Pick<Owner, 'suspended_at'>>(LOCK_OWNER, [owner_id]))[0]);
      const [existing] = await sql.rows<PlanRow>(EXISTING, [owner_id, agent_id, bytes(content)]);
      const [counts] = await sql.rows<Omit<PlanGround, 'existing'>>(COUNTS, [owner_id, bytes(question), since]);
      if (!counts) throw new Error('A count returned no row.');
      return { existing: existing ? storedPlan(existing) : null, ...counts };
    },

    async add({ plan_id, owner_id, agent_id, stated_at, commitment, producer, opened }) {
      const opening = opened && [bytes(opened.salt), opened.statement, bytes(opened.question), bytes(opened.content)];
      const values = [plan_id, owner_id, agent_id, stated_at, bytes(commitment), bytes(producer)];
      await sql.rows(ADD, [...values, ...(opening ?? [null, null, null, null])]);
    },

    async find(owner_id, plan_id) {
      const [row] = await sql.rows<PlanRow>(FIND, [owner_id, plan_id]);
      return row ? storedPlan(row) : null;
    },

    async list(owner_id, agent_id, after, limit) {
      const values = [owner_id, agent_id, after?.stated_at ?? null, after?.plan_id ?? null, limit];
      const rows = await sql.rows<PlanRow & Pick<ListedPlan, 'log_index'>>(LIST, values);
      return rows.map(({ log_index, ...row }) => ({ ...storedPlan(row), log_index }));
    },

    async ask(owner_id, question) {
      const [row] = await asked(sql, owner_id, question);
      if (!row) throw new Error('A count returned no row.');
      const { queries_asked, plan_id, log_index, stated_at } = row;
      return { queries_asked, plan: plan_id && stated_at ? { plan_id, log_index, stated_at } : null };
    },
  };
}

interface AskedRow {
  readonly queries_asked: number;
  readonly plan_id: string | null;
  readonly log_index: number | null;
  readonly stated_at: Date | null;
}

async function asked(sql: Sql, owner_id: string, question: string): Promise<AskedRow[]> {
  try {
    return await sql.rows<AskedRow>(ASK, [owner_id, bytes(question)], 'ask-cohort');
  } catch (error) {
    // The account was removed while the request was under way.
    if (sqlState(error) === FOREIGN_KEY) activeOwner(undefined);
    throw error;
  }
}

function bytes(digits: string): Buffer {
  return Buffer.from(digits, 'hex');
}

/** `for update`: a question that is added locks the owner by its foreign key, so it waits, too. */
const LOCK_OWNER = 'select suspended_at from app.owners where owner_id = $1 for update';

const EXISTING = `select ${PLAN_COLUMNS} from app.plans p where p.owner_id = $1 and p.agent_id = $2 and p.content = $3`;

const COUNTS = `
  select exists (select from app.asked_questions q where q.owner_id = $1 and q.question = $2) as asked_before,
    (select count(*)::int from app.plans p where p.owner_id = $1 and p.stated_at >= $3) as stated`;

const ADD = `
  insert into app.plans (plan_id, owner_id, agent_id, stated_at, commitment, producer, salt, statement, question, content)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;

const FIND = `select ${PLAN_COLUMNS} from app.plans p where p.owner_id = $1 and p.plan_id = $2`;

/** Under which number the leaves of the newest log are stored. */
const NEWEST_TREE = '(select coalesce(tree, log) from app.logs order by log desc limit 1)';

const LIST = `
  select ${PLAN_COLUMNS}, l.index::float8 as log_index from app.plans p
  left join app.log_plans l on l.plan_id = p.plan_id and l.log = ${NEWEST_TREE}
  where p.owner_id = $1 and ($2::text is null or p.agent_id = $2)
    and ($3::timestamptz is null or (p.stated_at, p.plan_id) < ($3, $4::uuid))
  order by p.stated_at desc, p.plan_id desc limit $5`;

/** The count grows with the question, so that no reply has to count rows. */
const ASK = `
  with added as (
    insert into app.asked_questions (owner_id, question) values ($1, $2) on conflict do nothing returning owner_id
  ), counted as (
    insert into app.question_counts as c (owner_id, asked) select a.owner_id, 1 from added a
    on conflict (owner_id) do update set asked = c.asked + 1 returning c.asked - 1 as before
  )
  select coalesce((select before from counted), (select c.asked from app.question_counts c where c.owner_id = $1), 0)
      as queries_asked, p.plan_id, p.stated_at, p.index::float8 as log_index
  from (values (1)) one left join lateral (
    select p.plan_id, p.stated_at, l.index from app.plans p
    left join app.log_plans l on l.plan_id = p.plan_id and l.log = ${NEWEST_TREE}
    where p.owner_id = $1 and p.question = $2 order by p.stated_at, p.plan_id limit 1
  ) p on true`;

/** A row of `app.plans`, its bytes as hexadecimal digits. */
export type PlanRow = Omit<Plan, 'opened'> & { readonly [Member in keyof OpenedPlan]: string | null };

export function storedPlan({ salt, statement, question, content, ...row }: PlanRow): Plan {
  const isOpen = salt !== null && statement !== null && question !== null && content !== null;
  return { ...row, opened: isOpen ? { salt, statement, question, content } : null };
}
