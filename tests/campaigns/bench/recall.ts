import type pg from 'pg';
import { RECALL } from '../../../domain/limits.ts';
import type { Caller } from '../stage/callers.ts';
import { onClient } from '../stage/client.ts';
import { type Measured, tableOf } from './measured.ts';
import { getRequest, keyLine } from './requests.ts';
import { type Extent, inRounds } from './rounds.ts';
import { load } from './scenarios.ts';
import type { Stage } from './stage.ts';
import { fillUniverse } from './wisdom-universe.ts';

export interface RecallExtent {
  /** Records of the agent that recalls; all other agents together have as many. */
  readonly records: number;
}

/** A recall of an agent with many records, compared with a cohort of the same symbols; as lines. */
export function benchRecall(stage: Stage, { records, ...extent }: RecallExtent & Extent): Promise<string> {
  return onClient(stage.database.url, async (client) => {
    const [agent] = stage.population.agents;
    if (!agent) throw new Error('The population has no agents.');
    await fillUniverse({ url: stage.database.url, rows: records, copiedTo: agent });
    await addStatements(client, agent);
    const contenders = Object.entries(requestsOf(agent)).map(([name, requests]) => ({
      name,
      measure: (seconds: number) =>
        load(stage, stage.service, { seconds, expect: 200, plan: { kind: 'any', requests } }),
    }));
    const measured = await inRounds(contenders, extent);
    const cpu = (name: keyof ReturnType<typeof requestsOf>) => (measured.get(name) as Measured).cpu;
    return [
      `${records} records of the agent, as many of others`,
      tableOf(measured, 'a cohort against it'),
      `CPU of a recall / of a cohort: ${(cpu('recall') / cpu('wisdom of a symbol')).toFixed(2)}`,
    ].join('\n');
  });
}

/** Names of the universe that have enough records of the agent. */
const SYMBOLS = Array.from({ length: 10 }, (_, n) => `C${n + 1}`);

function requestsOf({ key }: Caller) {
  const of = (path: string) =>
    SYMBOLS.map((symbol) => getRequest(`${path}?market=crypto&symbol=${symbol}`, keyLine(key)));
  return { 'wisdom of a symbol': of('/api/v1/agent/wisdom'), recall: of('/api/v1/agent/recall') };
}

/** What the records that are recalled say; the others have none. @throws Error where a recall would read fewer rows than it may */
async function addStatements(client: pg.Client, { agent_id }: Caller): Promise<void> {
  const { rowCount } = await client.query(STATEMENTS, [agent_id, SYMBOLS, RECALL.rows + 1]);
  const wanted = SYMBOLS.length * (RECALL.rows + 1);
  if (rowCount !== wanted) throw new Error(`${rowCount} records of ${wanted} are there to be recalled.`);
  await client.query('vacuum analyze app.decision_documents');
}

const STATEMENTS = `
  insert into app.decision_documents (record_id, statement, salt, commitment, receipt, confidence, received)
  select record_id, statement, salt, encode(sha256(salt || convert_to(statement, 'UTF8')), 'hex'), '{}', 0.6, '{}'
  from (
    select d.record_id, sha256(convert_to(d.record_id, 'UTF8')) as salt,
      '{"body":{"summary":"Momentum and positioning agree; it fails if the average is lost."}}' as statement
    from unnest($2::text[]) symbols(symbol) cross join lateral (
      select record_id from app.decisions r where r.agent_id = $1 and r.market = 'crypto' and r.symbol = symbols.symbol
      order by r.submission_time desc, r.record_id desc limit $3
    ) d
  ) said`;
