import { createHash } from 'node:crypto';
import type { PostgresStorage } from '../../../adapters/postgres/storage.ts';
import { onClient } from '../stage/client.ts';
import { cpuSoFar } from './cpu.ts';
import { anAgent } from './evaluate.ts';

/** Questions of the owner before; 50 of them have a plan, the most of a day. */
const ASKED = 10_000;
const STATED = 50;
const ROUNDS = 8;
const CALLS = 50;

export interface AskingPlace {
  /** The database as its owner. */
  readonly url: string;
  /** With one connection. */
  readonly storage: PostgresStorage;
  /** The process of the database that serves it. */
  backend(): Promise<number>;
}

/**
 * The CPU of the service and the database for `plan` and `queries_asked` of a reply, next to that of its cohort, in
 * turns; as lines.
 * @param readCohort reads a cohort with a page, as a query does
 */
export async function askingCost(place: AskingPlace, readCohort: () => Promise<void>): Promise<string> {
  const { plans } = place.storage;
  const owner = await anOwnerWhoAsked(place.url);
  const [askedQuestion, newQuestion] = [questionsFrom(STATED), questionsFrom(ASKED)];
  const works: readonly (readonly [name: string, work: () => Promise<unknown>])[] = [
    ['the cohort alone, of one symbol', readCohort],
    ['a question that was asked before', () => plans.ask(owner, askedQuestion())],
    ['one that has a plan, too', () => plans.ask(owner, questionOf(0))],
    ['a new question', () => plans.ask(owner, newQuestion())],
  ];
  const used = works.map(([name]) => ({ name, service: 0, database: 0 }));
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const [at, sum] of used.entries()) {
      const { service, database } = await cpuOf(place, works[at]?.[1] ?? readCohort);
      // The first round fills caches.
      if (round === 0) continue;
      sum.service += service / ROUNDS / CALLS;
      sum.database += database / ROUNDS / CALLS;
    }
  return [
    `CPU of a query, microseconds (${ASKED} questions before)  service   database`,
    ...used.map(({ name, ...sums }) => `${name.padEnd(50)}${cellOf(sums.service)}  ${cellOf(sums.database)}`),
  ].join('\n');
}

async function anOwnerWhoAsked(url: string): Promise<string> {
  const { owner_id } = await anAgent(url);
  await onClient(url, async (client) => {
    await client.query(QUESTIONS, [owner_id, ASKED]);
    await client.query(COUNT, [owner_id, ASKED]);
    await client.query(STATEMENTS, [owner_id, STATED]);
    await client.query('analyze app.asked_questions, app.plans');
  });
  return owner_id;
}

/** Of all calls of a round. */
async function cpuOf({ backend }: AskingPlace, work: () => Promise<unknown>) {
  await work();
  const pid = await backend();
  const [before, used] = [process.cpuUsage(), cpuSoFar(pid)];
  for (let call = 0; call < CALLS; call += 1) await work();
  const { user, system } = process.cpuUsage(before);
  return { service: user + system, database: cpuSoFar(pid) - used };
}

const cellOf = (microseconds: number) => microseconds.toFixed(0).padStart(9);

/** Each call returns the next question. */
function questionsFrom(first: number): () => string {
  let number = first;
  return () => {
    number += 1;
    return questionOf(number - 1);
  };
}

function questionOf(number: number): string {
  return createHash('sha256').update(String(number)).digest('hex');
}

const QUESTIONS = `
  insert into app.asked_questions (owner_id, question)
  select $1, sha256(convert_to(i::text, 'UTF8')) from generate_series(0, $2::int - 1) i`;

const COUNT = 'insert into app.question_counts (owner_id, asked) values ($1, $2)';

const STATEMENTS = `
  insert into app.plans (plan_id, owner_id, agent_id, stated_at, commitment, producer, salt, statement, question, content)
  select gen_random_uuid(), $1, 'agt_0123456789ab', app.now(), hash, hash, hash, '{}', hash, hash
  from generate_series(0, $2::int - 1) i, sha256(convert_to(i::text, 'UTF8')) hash`;
