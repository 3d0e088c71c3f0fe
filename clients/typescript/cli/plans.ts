import { Stancebook } from '../client/stancebook.ts';
import type { PlanRequest } from '../client/wire.ts';
import { keyedConnectionOf } from './credentials.ts';
import { jsonIn } from './json-file.ts';
import { complain, printJson, shown } from './output.ts';
import type { Command } from './usage.ts';

/** States a question. Prints the reply, or with `--wait` the receipt, which contains salt and statement, too. */
export async function plan({ words: [file = ''], options }: Command): Promise<void> {
  const client = new Stancebook(keyedConnectionOf(options));
  const stated = await client.statePlan(jsonIn<PlanRequest>(file));
  if (!options.wait) return printJson(stated);
  complain(`${shown(stated.plan_id)} is stated; its receipt is there in 5 minutes at most`);
  process.stdout.write(await client.waitForPlanReceipt(stated.plan_id));
}

/** Prints the plans that the agent stated, the newest first. */
export async function plans({ options }: Command): Promise<void> {
  for await (const stated of new Stancebook(keyedConnectionOf(options)).plans({ limit: 100 })) printJson(stated);
}

/** The ids of decisions are no UUIDs. */
export function isPlanId(id: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);
}
