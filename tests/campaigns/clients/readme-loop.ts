import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AuthFailedError, InputInvalidError, type PlanList, Stancebook } from '../../../clients/typescript/client.ts';
import { isProved, verifyFile } from '../../../clients/typescript/verify.ts';
import type { Tally } from '../stage/tally.ts';
import { decisionOn, openAccount, tradingDays } from './accounts.ts';
import { type Run, run } from './programs.ts';

const [README_DAY = ''] = tradingDays(1);
const CLIENT = join(import.meta.dirname, '../../../clients/python/stancebook.py');

/** The README's first decision, receipt and mistake by each client. */
export async function checkLoop(url: string, python: string, folder: string, tally: Tally): Promise<void> {
  await Promise.all([useTypeScript(url, tally), usePython(url, python, folder, tally)]);
}

/** The keys of the log, which is there from its first record on. */
async function policyOf(url: string): Promise<string> {
  return (await fetch(`${url}/log/policy`)).text();
}

async function useTypeScript(url: string, { holds }: Tally): Promise<void> {
  const { apiKey } = await openAccount(url);
  const client = new Stancebook({ url, apiKey });
  const decision = decisionOn(README_DAY);
  const dry = await client.validate(decision);
  holds('TypeScript: a dry run is valid', dry.valid, dry);
  const { record_id } = await client.submit(decision);
  const state = await client.waitForOutcome(record_id, { timeoutSeconds: 90 });
  const bucket = 'outcome' in state ? state.outcome?.result_bucket : undefined;
  holds("TypeScript: the outcome is the README's", bucket === 'strong_correct', state);
  const receipt = await client.waitForReceipt(record_id, { leaf: 'outcome', opening: 'full' });
  const lines = await verifyFile(receipt, await policyOf(url));
  holds('TypeScript: the receipt proves the grade', isProved(lines), lines);
  const { items } = await client.decisions([record_id]);
  holds('TypeScript: the record is public', items[0]?.status === 'found', items);
  const graph = await client.related(record_id, { depth: 1 });
  holds('TypeScript: the graph has its root', graph.root === record_id, graph);
  const { overview } = await client.cohort({ market: 'crypto', include_retroactive: true });
  holds('TypeScript: a cohort of nobody is withheld', overview.suppression.applied, overview);
  const planned = await client.statePlan({ query: { market: 'crypto', include_retroactive: true }, sentence: 'None.' });
  const proof = await client.waitForPlanReceipt(planned.plan_id);
  const proved = await verifyFile(proof, await policyOf(url));
  holds(
    'TypeScript: the receipt proves the plan, which was asked before',
    isProved(proved) && planned.asked_before,
    proved,
  );
  const listed = (await client.plans().next()).value;
  holds('TypeScript: the list has the plan with its leaf', isListed(listed || undefined, planned.plan_id), listed);
  const limits = await client.limits();
  holds('TypeScript: the limits are shown', limits.quota !== undefined, limits);
  const mistake = await client.submit({ ...decision, horizon_value: 500 }).catch((error: unknown) => error);
  const isExact = mistake instanceof InputInvalidError && mistake.details[0]?.path === 'horizon_value';
  holds('TypeScript: a mistake is an InputInvalidError with its field', isExact, String(mistake));
  const stranger = new Stancebook({ url, apiKey: `${apiKey.slice(0, -1)}!` });
  const refused = await stranger.limits().catch((error: unknown) => error);
  holds('TypeScript: a wrong key is an AuthFailedError', refused instanceof AuthFailedError, String(refused));
}

async function usePython(url: string, python: string, folder: string, tally: Tally): Promise<void> {
  const { apiKey } = await openAccount(url);
  const environment = { STANCEBOOK_API_KEY: apiKey, STANCEBOOK_URL: url };
  const call = (args: readonly string[], input = '') => run(python, [CLIENT, ...args], { environment, input, folder });
  const submitted = await call(['submit', '-'], JSON.stringify(decisionOn(README_DAY)));
  const { record_id } = replyOf(submitted);
  tally.holds('Python: a decision is submitted', typeof record_id === 'string', submitted);
  const state = replyOf(await call(['wait', record_id ?? '', '--timeout', '90']));
  tally.holds("Python: the outcome is the README's", state.outcome?.result_bucket === 'strong_correct', state);
  await new Stancebook({ url, apiKey }).waitForReceipt(record_id ?? '');
  const receipt = await call(['receipt', record_id ?? '']);
  writeFileSync(join(folder, 'receipt'), receipt.stdout);
  const lines = await verifyFile(receipt.stdout, await policyOf(url));
  tally.holds('Python: the receipt proves the submission', isProved(lines), [receipt, lines]);
  const question = { query: { market: 'stock', symbol: 'MSFT' }, sentence: 'It rises.' };
  const planned = await call(['plan', '-', '--wait'], JSON.stringify(question));
  const proved = await verifyFile(planned.stdout, await policyOf(url));
  tally.holds('Python: the receipt proves the plan', isProved(proved), [planned, proved]);
  const mistake = await call(['submit', '-'], JSON.stringify({ ...decisionOn(README_DAY), horizon_value: 500 }));
  tally.holds('Python: a mistake ends with 1 and its field', isMistake(mistake), mistake);
}

function isListed(listed: PlanList['items'][number] | undefined, plan_id: string): boolean {
  return listed?.plan_id === plan_id && listed.log_index !== null;
}

function isMistake({ status, stderr }: Run): boolean {
  return status === 1 && stderr.includes('horizon_value');
}

interface PythonReply {
  readonly record_id?: string;
  readonly outcome?: { readonly result_bucket: string };
}

function replyOf({ stdout }: Run): PythonReply {
  return JSON.parse(stdout || '{}');
}
