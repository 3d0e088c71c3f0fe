import type pg from 'pg';
import { keepLog, type LogPorts } from '../../../../application/log/keep-log.ts';
import { SECOND } from '../../../../domain/time.ts';
import { logPorts } from '../../../harness/kept-logs.ts';
import { addCallers, type Caller } from '../../stage/callers.ts';
import { onClient } from '../../stage/client.ts';
import { keepAll } from '../log.ts';
import { addCopies } from './copies.ts';
import { addTemplates, type HistoryPlace, type TemplateExtent } from './templates.ts';

export interface HistoryExtent {
  /** Decisions in all. */
  readonly records: number;
  readonly templates: TemplateExtent;
  /** Agents that the decisions are by. */
  readonly agents: number;
  /** How many of them, with their share of the decisions, belong to the first owner: a tenth by default. */
  readonly ofOne?: number;
}

/** The callers of a history: the first is an agent of the first owner. */
export type HistoryCallers = readonly Caller[];

/**
 * Fills an empty database with whole decisions of many agents over many days: statements, outcomes, evidence, counts and
 * leaves of the evidence log. `check-evidence` and `check-cohorts` find nothing at fault. Statistics are up to date.
 */
export async function loadHistory(
  place: HistoryPlace,
  { records, templates, agents, ofOne = Math.max(1, Math.floor(agents / 10)) }: HistoryExtent,
): Promise<HistoryCallers> {
  const { url, storage } = place;
  return onClient(url, async (client) => {
    const callers: Caller[] = [];
    const addAgents = async () => {
      callers.push(...(await addCallers(client, 1, ofOne)));
      callers.push(...(await addCallers(client, Math.ceil((agents - ofOne) / AGENTS_OF_AN_OWNER), agents - ofOne)));
      return callers;
    };
    await addTemplates(place, templates, addAgents);
    await addCopies(
      client,
      records,
      callers.map(({ agent_id }) => agent_id),
    );
    await client.query('vacuum analyze');
    await storage.cohortCells.rebuild();
    await logInOrder(client, logPorts(storage));
    // They began with their owners, long ago.
    await client.query(
      'update app.sessions set created_at = app.now(), last_seen_at = app.now(), authenticated_at = app.now()',
    );
    await client.query('vacuum analyze');
    return callers;
  });
}

const AGENTS_OF_AN_OWNER = 4;

/** A new log takes what there is in random order; one that grew with the history has the order in which it happened. */
async function logInOrder(client: pg.Client, ports: LogPorts): Promise<void> {
  await keepLog(ports, { interval: SECOND, limit: 1 });
  await client.query(`
    update app.log_pending p
    set ready_at = case p.event when 'imported' then d.submission_time else coalesce(o.evaluated_at, d.submission_time) end
    from app.decisions d left join app.decision_outcomes o using (record_id) where d.record_id = p.record_id`);
  await client.query('vacuum analyze app.log_pending');
  await keepAll(ports);
}
