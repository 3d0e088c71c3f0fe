import { inspect } from 'node:util';
import { afterEach, expect, test } from '@jest/globals';
import {
  type ClientOptions,
  type DecisionGroupSubmission,
  type DecisionSubmission,
  type OwnerLogin,
  Stancebook,
} from '../../clients/typescript/client.ts';
import { type ClientCase, readClientCases } from './client-cases.ts';
import { type ScriptedServer, startScriptedServer } from './scripted-server.ts';

const { api_key, now: START, random, cases } = readClientCases();

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

test.each(cases.map((each) => [each.name, each] as const))('%s', async (_, each) => {
  const { call, exchanges, result, error, waits = [], never_shown = [] } = each;
  server = await startScriptedServer(exchanges ?? []);
  const slept: number[] = [];
  let [client, end]: [Stancebook | null, { readonly value?: unknown; readonly thrown?: unknown }] = [null, {}];
  try {
    client = clientOf(each, server.url, slept);
    end = { value: await run(client, call) };
  } catch (thrown) {
    end = { thrown };
  }
  expect(server.faults()).toEqual([]);
  if (error === undefined) expect(end).toEqual({ value: result });
  else expect(membersOf(end.thrown)).toMatchObject(error);
  expect(slept).toEqual(waits);
  for (const secret of [api_key, ...never_shown]) {
    expect([inspect(client), inspect(end.thrown), JSON.stringify([client, end.thrown])].join(' ')).not.toContain(
      secret,
    );
  }
});

function clientOf({ options = {} }: ClientCase, url: string, slept: number[]): Stancebook {
  let now = Date.parse(START);
  const named = Object.entries(options).map(([name, value]) => [camelCase(name), value]);
  return new Stancebook({
    url,
    apiKey: api_key,
    now: () => now,
    random: () => random,
    sleep: async (seconds) => {
      slept.push(seconds);
      now += seconds * 1_000;
    },
    ...(Object.fromEntries(named) as Partial<ClientOptions>),
  });
}

/** Each method takes some of them. */
interface Arguments {
  readonly decision: DecisionSubmission;
  readonly group: DecisionGroupSubmission;
  readonly idempotency_key?: string | null;
  readonly record_id: string;
  readonly record_ids: readonly string[];
  readonly query: { readonly market: 'stock' };
  readonly sentence?: string;
  readonly text?: string;
  readonly plan_id?: string;
  readonly set_name?: string;
  readonly about?: unknown;
  readonly rows?: unknown;
  readonly external_id?: string;
  readonly as_of?: string;
  readonly agent_id?: string;
  readonly timeout_seconds?: number;
  readonly after?: string;
  readonly pause_seconds?: number;
  /** Of a feed that has no end. */
  readonly pages?: number;
}

type Calls = Readonly<Record<string, (client: Stancebook, called: Arguments) => unknown>>;

const CALLS: Calls = {
  submit: (client, { decision, idempotency_key }) => client.submit(decision, { idempotencyKey: idempotency_key }),
  validate: (client, { decision }) => client.validate(decision),
  submit_group: (client, { group, idempotency_key }) => client.submitGroup(group, { idempotencyKey: idempotency_key }),
  validate_group: (client, { group }) => client.validateGroup(group),
  state: (client, { record_id }) => client.state(record_id),
  decision: (client, { record_id }) => client.decision(record_id),
  note: (client, { record_id, text = '' }) => client.note(record_id, text),
  decisions: (client, { record_ids }) => client.decisions(record_ids),
  list: (client, { query }) => arrayOf(client.list(query)),
  recall: (client, { query }) => client.recall(query as Parameters<Stancebook['recall']>[0]),
  cohort: (client, { query }) => client.cohort(query),
  cohort_items: (client, { query }) => arrayOf(client.cohortItems(query)),
  related: (client, { record_id, query }) => client.related(record_id, query as object),
  state_plan: (client, { query, sentence = '' }) => client.statePlan({ query, sentence }),
  backtest: (client, { set_name = '', about, rows }) =>
    client.backtest(set_name, { about, rows } as unknown as Parameters<Stancebook['backtest']>[1]),
  backtest_counts: (client, { set_name = '' }) => client.backtestCounts(set_name),
  backtest_note: (client, { set_name = '', external_id = '', text = '', as_of = '' }) =>
    client.backtestNote(set_name, { external_id, text, as_of }),
  wait_for_backtest: (client, { set_name = '', timeout_seconds }) =>
    client.waitForBacktest(set_name, { timeoutSeconds: timeout_seconds }),
  plan: (client, { plan_id = '' }) => client.plan(plan_id),
  plans: (client, { query }) => arrayOf(client.plans(query as object)),
  plan_receipt: (client, { plan_id = '', query }) => client.planReceipt(plan_id, query as object),
  wait_for_plan_receipt: (client, { plan_id = '', query }) => client.waitForPlanReceipt(plan_id, query as object),
  receipt: (client, { record_id, query }) => client.receipt(record_id, query as object),
  wait_for_receipt: (client, { record_id, query }) => client.waitForReceipt(record_id, query as object),
  record_proof: (client, { agent_id = '', ...owner }) => client.recordProof(agent_id, owner as unknown as OwnerLogin),
  limits: (client) => client.limits(),
  wait_for_outcome: (client, { record_id, timeout_seconds }) =>
    client.waitForOutcome(record_id, { timeoutSeconds: timeout_seconds }),
  events: (client, { query }) => client.events(query as object),
  follow: (client, { after, pause_seconds, pages }) =>
    arrayOf(client.follow({ after, pauseSeconds: pause_seconds }), pages),
  request: (client, request) => client.request(request as unknown as { method: string; path: string }),
};

async function run(client: Stancebook, call: ClientCase['call']): Promise<unknown> {
  const [[name, called] = ['', {}]] = Object.entries(call);
  const method = CALLS[name];
  if (!method) throw new Error(`The client has no method ${name}.`);
  return method(client, called as unknown as Arguments);
}

/** All items, or the first ones. */
async function arrayOf(items: AsyncIterable<unknown>, most = Number.POSITIVE_INFINITY): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const item of items) {
    all.push(item);
    if (all.length === most) break;
  }
  return all;
}

/** The class and the members of an error, in the spelling of the cases. */
function membersOf(thrown: unknown): Record<string, unknown> {
  if (!(thrown instanceof Error)) return { thrown };
  const members = Object.entries(thrown).map(([name, value]) => [snakeCase(name), value]);
  return { ...Object.fromEntries(members), type: thrown.name, message: thrown.message };
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
