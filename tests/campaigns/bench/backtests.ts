import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import { canonicalJson } from '../../../adapters/formats/canonical-json.ts';
import { barFiles } from '../../../adapters/market/files/bar-files.ts';
import type { PostgresStorage } from '../../../adapters/postgres/storage.ts';
import { gradeRows } from '../../../application/backtests/grade-rows.ts';
import { readSet } from '../../../application/backtests/read-sets.ts';
import { receiveRows } from '../../../application/backtests/receive-rows.ts';
import { BACKTEST, CONTRACT_LIMITS } from '../../../domain/limits.ts';
import type { Millis } from '../../../domain/time.ts';
import { evaluationPorts } from '../../harness/evaluation-ports.ts';
import type { Caller } from '../stage/callers.ts';
import { onClient } from '../stage/client.ts';
import { stopServer } from '../stage/server-process.ts';
import { openStorage } from '../stage/storage.ts';
import { CONNECTIONS } from './calls.ts';
import { type Cost, costOf, costTable } from './cost-table.ts';
import { median } from './measured.ts';
import { addPastPrices, firstDay, pastRows, readPastBars } from './past-rows.ts';
import { keyLine } from './requests.ts';
import { runLoad } from './run-load.ts';
import type { Stage } from './stage.ts';

export interface BacktestExtent {
  /** Rows of the set that costs are measured of. */
  readonly rows: number;
  /** Live submissions are measured so often, with and without rows next to them. */
  readonly rounds: number;
  readonly seconds: number;
}

/** What storing and grading rows of back-tests costs, and how much later live submissions are answered meanwhile; as lines. */
export function benchBacktests(stage: Stage, { rows, ...live }: BacktestExtent): Promise<string> {
  return onClient(stage.database.url, async (client) => {
    const day = firstDay(new Date());
    const bars = join(stage.folder, 'service', 'bars');
    await addPastPrices(bars, day);
    const lines = await liveSubmissions(client, stage, live, day);
    await stopServer(stage.service.child);
    return [...(await costsOfRows(client, stage, { rows, bars, day })), '', ...lines].join('\n');
  });
}

interface Place {
  readonly rows: number;
  readonly bars: string;
  readonly day: Millis;
}

/** By the use cases alone, in this process: one part after the other. */
async function costsOfRows(client: pg.Client, stage: Stage, { rows, bars, day }: Place): Promise<readonly string[]> {
  const [agent] = stage.population.agents;
  if (!agent) throw new Error('The population has no agents.');
  const storage = await openStorage(stage.database.serviceUrl, 10);
  try {
    const ports = portsOn(storage, bars);
    const set = { owner_id: agent.owner_id, agent_id: agent.agent_id, name: 'costs' };
    const processes = { ours: process.pid, postgres: stage.database.pid };
    const timed: [Cost, number][] = [];
    const measure = async (name: string, work: () => Promise<number>) => {
      const begin = performance.now();
      const cost = await costOf(client, name, processes, work);
      timed.push([cost, (1_000 * cost.count) / (performance.now() - begin)]);
    };
    const send = async () => {
      for (let first = 0; first < rows; first += BACKTEST.rowsAtOnce) {
        const { about, rows: sent } = pastRows(first, Math.min(BACKTEST.rowsAtOnce, rows - first), day);
        const calls = sent.map(({ external_id, ...call }) => ({ external_id, call }));
        const { refused } = await receiveRows(ports, { ...set, about, rows: calls, network: '' });
        if (refused.length > 0) throw new Error(`Rows were refused: ${JSON.stringify(refused[0])}`);
      }
      return rows;
    };
    await measure('a bar, read from its file', () => readPastBars(ports.marketData));
    await measure('a row, stored', send);
    await measure('a row, graded', () => gradeAll(ports));
    await measure('a row, sent again', send);
    await measure('counts of the set', () => countOften(ports, set, rows));
    const [, stored, graded] = timed;
    const both = (1 / (1 / (stored?.[1] ?? 0) + 1 / (graded?.[1] ?? 0))).toFixed(0);
    return [
      costTable(timed.map(([cost]) => cost)),
      `one after the other: ${timed.map(([{ name }, rate]) => `${name} ${rate.toFixed(0)}`).join(', ')} a second`,
      `stored and graded in one process, one after the other: ${both} rows a second`,
    ];
  } finally {
    await storage.close();
  }
}

function portsOn(storage: PostgresStorage, bars: string) {
  const report = (fault: unknown) => {
    throw fault;
  };
  const files = barFiles(bars);
  const limits = { ...CONTRACT_LIMITS, backtestRowsPerDay: 1e9, backtestRows: 1e9 };
  return { ...evaluationPorts(storage, files, { limits, report, barFiles: files }), canonicalJson };
}

type BenchPorts = ReturnType<typeof portsOn>;

async function gradeAll(ports: BenchPorts): Promise<number> {
  let graded = 0;
  for (let more = true; more; ) {
    const { ended, next } = await gradeRows(ports);
    graded += ended;
    more = next !== null && next <= new Date();
  }
  return graded;
}

const COUNTS = 20;

async function countOften(ports: BenchPorts, set: Parameters<typeof readSet>[1], rows: number): Promise<number> {
  for (let n = 0; n < COUNTS; n += 1) {
    const { evaluated_count } = await readSet(ports, set);
    if (evaluated_count !== rows) throw new Error(`${evaluated_count} of ${rows} rows were graded.`);
  }
  return COUNTS;
}

/** A rate at which the service is far from busy. */
const LIVE = 50;

/** Submissions at a constant rate through the whole service, alone and while it stores and grades rows, in turn. */
async function liveSubmissions(
  client: pg.Client,
  stage: Stage,
  { rounds, seconds }: Omit<BacktestExtent, 'rows'>,
  day: Millis,
): Promise<readonly string[]> {
  const [alone, next, rates, ratios]: [number[], number[], number[], number[]] = [[], [], [], []];
  await submits(stage, seconds);
  await withRows(client, stage, { agent: stage.population.agents[0], day }, () => submits(stage, seconds));
  for (let round = 1; round <= rounds; round += 1) {
    const quiet = await submits(stage, seconds);
    const agent = stage.population.agents[round];
    const { result, perSecond } = await withRows(client, stage, { agent, day }, () => submits(stage, seconds));
    alone.push(quiet.p99);
    next.push(result.p99);
    ratios.push(result.p99 / quiet.p99);
    rates.push(perSecond);
  }
  return [
    `${LIVE} live submissions a second: p99 ${median(alone).toFixed(1)} ms, while rows are stored and graded ${median(next).toFixed(1)} ms`,
    `ratio of these, median of ${rounds} rounds: ${median(ratios).toFixed(2)} (${ratios.map((each) => each.toFixed(2)).join(', ')})`,
    `rows stored and graded meanwhile: ${median(rates).toFixed(0)} a second`,
  ];
}

async function submits({ population, calls, service, adopt }: Stage, seconds: number) {
  const credentials = population.agents.map(({ key }) => keyLine(key));
  const plan = {
    kind: 'submit',
    path: '/api/v1/agent/decisions',
    credentials,
    keyed: true,
    at: population.at.toISOString(),
    first: calls.next,
  } as const;
  const { port } = service;
  const load = { port, connections: CONNECTIONS, seconds, expect: 201, perSecond: LIVE, plan };
  const result = await runLoad(load, adopt);
  calls.used(result.sent);
  return result;
}

/** Rows that wait at most while more are sent. */
const WAITING = 3 * BACKTEST.rowsAtOnce;

/** Sends rows, so that some always wait for their grade, until the work is done; then all of them are graded. */
async function withRows<T>(
  client: pg.Client,
  { service: { port } }: Stage,
  { agent, day }: { readonly agent: Caller | undefined; readonly day: Millis },
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly perSecond: number }> {
  const address = `http://127.0.0.1:${port}/api/v1/agent/backtests/live`;
  const headers = { 'X-API-Key': agent?.key ?? '', 'Content-Type': 'application/json' };
  // Not by the service: it counts all rows of a set for each reply.
  const waiting = async () => (await client.query<{ waiting: number }>(WAITING_ROWS)).rows[0]?.waiting ?? 0;
  let [isOver, sent] = [false, 0];
  const sendAll = async () => {
    while (!isOver) {
      const body = JSON.stringify(pastRows(sent, BACKTEST.rowsAtOnce, day));
      const reply = await fetch(address, { method: 'POST', headers, body });
      if (!reply.ok) throw new Error(`Rows were refused: ${reply.status} ${await reply.text()}`);
      sent += BACKTEST.rowsAtOnce;
      while (!isOver && (await waiting()) > WAITING) await setTimeout(100);
    }
  };
  const begin = performance.now();
  const sending = sendAll();
  const result = await work().finally(() => {
    isOver = true;
  });
  await sending;
  while ((await waiting()) > 0) await setTimeout(100);
  return { result, perSecond: (1_000 * sent) / (performance.now() - begin) };
}

const WAITING_ROWS = 'select count(*)::int as waiting from app.backtest_rows where due_at is not null';
