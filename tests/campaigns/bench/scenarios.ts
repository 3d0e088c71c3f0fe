import { readDecisions } from '../../../adapters/postgres/decisions/decision-reader.ts';
import { rangeOf } from '../../../adapters/postgres/decisions/record-months.ts';
import type { ServerProcess } from '../stage/server-process.ts';
import { CONNECTIONS, RECORDS } from './calls.ts';
import { cpuDuring } from './cpu.ts';
import type { Load } from './load.ts';
import { runPgbench, type Transactions } from './pgbench.ts';
import { getRequest, keyLine, type RequestPlan } from './requests.ts';
import type { Contender } from './rounds.ts';
import { runLoad } from './run-load.ts';
import type { Stage } from './stage.ts';

/** Names of references. */
export const PLAIN_INSERT = 'plain Express and pg, one insert';
export const PLAIN_SELECT = 'plain Express and pg, one select';
export const PGBENCH_ROWS = 'pgbench, the parts of a record by its id';

export type ScenarioName = 'submit' | 'read';

/** A service and its database, which another process may have opened. */
export interface Measurable extends Pick<Stage, 'population' | 'calls' | 'adopt'> {
  readonly service: Server;
  readonly database: Pick<Stage['database'], 'pid'>;
}

type Server = Pick<ServerProcess, 'pid' | 'port'>;

/** The contenders of a scenario, the service first; without pgbench when there is none. */
export function contendersOf(name: ScenarioName, stage: Stage, pgbench: string | null): readonly Contender[] {
  return [serviceOf(name, stage), ...(name === 'submit' ? insertsOf(stage, pgbench) : selectsOf(stage, pgbench))];
}

/** The service as a contender. */
export function serviceOf(name: ScenarioName, stage: Measurable): Contender {
  const path = '/api/v1/agent/decisions';
  const measure = name === 'submit' ? submits(stage, stage.service, path) : reads(stage, stage.service, path);
  return { name: 'service', measure };
}

function submits(stage: Measurable, server: Server, path: string): Contender['measure'] {
  const { calls, population } = stage;
  const { agents, at } = population;
  return async (seconds, perSecond) => {
    const credentials = agents.map(({ key }) => keyLine(key));
    const plan = { kind: 'submit', path, credentials, keyed: true, at: at.toISOString(), first: calls.next } as const;
    const result = await load(stage, server, { seconds, expect: 201, perSecond, plan });
    calls.used(result.sent);
    return result;
  };
}

function reads(stage: Measurable, server: Server, path: string): Contender['measure'] {
  const { records, agents } = stage.population;
  const keys = new Map(agents.map(({ agent_id, key }) => [agent_id, key]));
  return (seconds, perSecond) => {
    const requests = records.map(({ record_id, agent_id }) =>
      getRequest(`${path}/${record_id}`, keyLine(keys.get(agent_id) ?? '')),
    );
    const plan: RequestPlan = { kind: 'any', requests };
    return load(stage, server, { seconds, expect: 200, perSecond, plan });
  };
}

function insertsOf(stage: Stage, pgbench: string | null): readonly Contender[] {
  const { calls } = stage;
  const transactions = async (seconds: number) => {
    const first = calls.next;
    calls.used(seconds * PGBENCH_CALLS);
    return transact(stage, pgbench ?? '', { script: SUBMIT_SCRIPT, first, seconds });
  };
  return [
    ...(pgbench ? [{ name: 'pgbench, select * from app.submit_batch(...)', measure: transactions }] : []),
    { name: PLAIN_INSERT, measure: submits(stage, stage.plain, '/records') },
  ];
}

function selectsOf(stage: Stage, pgbench: string | null): readonly Contender[] {
  const day = stage.population.records[0]?.record_id.slice(4, 12) ?? '';
  const transactions = (script: string) => (seconds: number) =>
    transact(stage, pgbench ?? '', { script: anyRecord(script, day), first: 0, seconds });
  return [
    ...(pgbench
      ? [
          { name: PGBENCH_ROWS, measure: transactions(PLAIN_READ) },
          { name: "pgbench, the service's own statement for one id", measure: transactions(ownRead(day)) },
        ]
      : []),
    { name: PLAIN_SELECT, measure: reads(stage, stage.plain, '/records') },
  ];
}

/** More calls than all connections of pgbench make in a second. */
const PGBENCH_CALLS = 400 * CONNECTIONS;

export async function load(
  stage: Pick<Measurable, 'database' | 'adopt'>,
  { pid, port }: Server,
  what: Pick<Load, 'seconds' | 'expect' | 'perSecond' | 'plan'>,
) {
  const [result, cpu] = await cpuDuring([pid, stage.database.pid], () =>
    runLoad({ port, connections: CONNECTIONS, ...what }, stage.adopt),
  );
  return { ...result, cpu: cpu / result.sent };
}

/** Does not count the CPU of pgbench itself, which is no server. */
async function transact(stage: Stage, pgbench: string, what: Pick<Transactions, 'script' | 'first' | 'seconds'>) {
  const { database, folder, adopt } = stage;
  const transactions = { databaseUrl: database.serviceUrl, folder, ...what };
  const [result, cpu] = await cpuDuring([database.pid], () => runPgbench(pgbench, transactions, adopt));
  return { ...result, cpu: cpu / (result.perSecond * what.seconds) };
}

/** pgbench's variables last as long as its connection, so each connection counts its calls. A refusal is an error. */
const SUBMIT_SCRIPT = `\\set n :n + 1
\\set number :first + :n * ${CONNECTIONS} + :client_id
select *, case when verdict not in ('accepted', 'collision') then verdict::int end from app.submit_batch(bench.draft(:number, lpad(to_hex((random() * 4294967295)::bigint), 8, '0')), 5000, '48 hours', '24 hours');
`;

const PLAIN_READ = `select d.*, doc.*, o.*, e.*,
    array(select content from app.evidence_bars where digest = any(e.path_bars)) as path
  from app.decisions d
  join app.decision_documents doc on doc.record_id = d.record_id
  left join app.decision_outcomes o on o.record_id = d.record_id
  left join app.outcome_evidence e on e.record_id = d.record_id
  where d.record_id = :id`;

/** The service's statement for a record of that day, with its owner as the viewer. */
function ownRead(day: string): string {
  return readDecisions(rangeOf([`dec_${day}`], new Date()))
    .replace('$1::text[]', 'array[:id]')
    .replace('$2::uuid[]', 'array[null::uuid]')
    .replaceAll('w.viewer', 'd.owner_id');
}

function anyRecord(statement: string, day: string): string {
  const id = `('dec_${day}_' || lpad(to_hex(:k::int), 8, '0'))`;
  return `\\set k random(1, ${RECORDS})\n${statement.replaceAll(/\s+/g, ' ').replaceAll(':id', id)};\n`;
}
