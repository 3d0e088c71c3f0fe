import { UsageError } from '../client/errors.ts';
import { Stancebook } from '../client/stancebook.ts';
import type { FollowedState } from '../client/wait-for-outcome.ts';
import type { DecisionSubmission } from '../client/wire.ts';
import { keyedConnectionOf } from './credentials.ts';
import { jsonIn } from './json-file.ts';
import { complain, describeError, printJson } from './output.ts';
import { isPlanId } from './plans.ts';
import type { Command } from './usage.ts';

export async function submit({ words: [file = ''], options }: Command): Promise<void> {
  const client = new Stancebook(keyedConnectionOf(options));
  const decision = jsonIn<DecisionSubmission>(file);
  const { 'validate-only': isDry, 'idempotency-key': idempotencyKey } = options;
  printJson(isDry ? await client.validate(decision) : await client.submit(decision, { idempotencyKey }));
}

/** Waits for all at once; prints each state when it is closed. Returns the exit code. */
export async function watch({ words, options }: Command): Promise<number> {
  const client = new Stancebook(keyedConnectionOf(options));
  const timeoutSeconds = secondsOf(options.timeout);
  const codes = await Promise.all(
    words.map(async (id) => {
      try {
        printJson(await client.waitForOutcome(id, { timeoutSeconds, onState: report }));
        return 0;
      } catch (error) {
        complain(`${id}: ${describeError(error)}`);
        return 1;
      }
    }),
  );
  return Math.max(...codes);
}

function report({ record_id, state, next_check_at }: FollowedState): void {
  complain(`${record_id} is ${state}${next_check_at === null ? '' : `; next check at ${next_check_at}`}`);
}

function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+(\.\d+)?$/.test(text)) throw new UsageError('--timeout needs seconds.');
  return Number(text);
}

/** Writes the receipt of a decision or of a plan as it must be stored. */
export async function receipt({ words: [id = ''], options }: Command): Promise<void> {
  const client = new Stancebook(keyedConnectionOf(options));
  const { opening, outcome, wait } = options;
  if (opening !== undefined && opening !== 'full') throw new UsageError('--opening can be full.');
  const shown = opening && { opening: 'full' as const };
  if (isPlanId(id)) {
    if (outcome) throw new UsageError('--outcome is for decisions: a plan has no grade.');
    process.stdout.write(
      wait ? await client.waitForPlanReceipt(id, { ...shown }) : await client.planReceipt(id, { ...shown }),
    );
    return;
  }
  const query = { ...(outcome && { leaf: 'outcome' as const }), ...shown };
  process.stdout.write(wait ? await client.waitForReceipt(id, query) : await client.receipt(id, query));
}
