// `npm run demo`: runs the service with six agents of six owners, or thirty, and their decisions on real price history, from
// the first key to the last grade. It and its service can be killed at any moment: started again on the same folder it continues.

import { mkdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { barFiles } from '../adapters/market/files/bar-files.ts';
import { type Cast, invitation, keyFile, LARGE_CAST, openAccounts, SMALL_CAST } from './demo/agents.ts';
import { clientOf } from './demo/client.ts';
import { COHORT_PATH, cohortsInWords } from './demo/cohorts.ts';
import { featuredDecision, whenInterrupted, workflowsInWords } from './demo/featured-decision.ts';
import { runFeed } from './demo/feed.ts';
import {
  type Acknowledgement,
  acknowledgedOf,
  awaitGrades,
  bucketTable,
  receiptsInWords,
  type Verification,
  verify,
} from './demo/grades.ts';
import { planDecisions } from './demo/plan.ts';
import {
  keepPort,
  OF_FEW_OWNERS,
  portFor,
  SETTINGS,
  type ServiceProcess,
  type Setting,
  startService,
  variablesOf,
} from './demo/service-process.ts';
import { awaitSnapshot, hasSnapshot, SNAPSHOTS } from './demo/snapshot.ts';
import { openJournal, progressOf, type Submissions, submitPlan } from './demo/submissions.ts';

const HELP = `npm run demo [-- --large] [--data FOLDER] [--port PORT] [--keep | --end] [--pace SECONDS]
  --large  thirty agents in two years instead of six, with the cohorts of the contract; some minutes
  --data   where its service, keys and journal live (data/demo, data/demo-large); delete it to begin anew
  --port   where the service listens (PORT of the environment, that of its last run, or any free port)
  --keep   leave the service running until Ctrl-C, as on a terminal
  --end    end it when the demo is done, as elsewhere
  --pace   while it is left running, an agent decides so often: each 15 seconds; 0 for never`;

await main();

async function main(): Promise<void> {
  const { data, port, keep, pace, cast } = optionsOrExit();
  mkdirSync(data, { recursive: true, mode: 0o700 });
  say(`The data of the demo are in ${data}. Its service has the limits of the contract, except:`);
  const ofCast = cast.isSmall ? OF_FEW_OWNERS : [];
  for (const { name, value, why } of [...SETTINGS, ...ofCast]) say(`  ${`${name}=${value}`.padEnd(36)} ${why}`);
  say('\nStarting the service with a PostgreSQL of its own...');
  const start = (at: number) => {
    const settings = [...ofCast, ...(hasSnapshot(data) ? SNAPSHOTS : [])];
    return startService(data, at, variablesOf(settings)).catch((error: Error) => leave(error.message, 1));
  };
  let service = await start(await portFor(data, port));
  keepPort(data, service.url);
  const interrupted = whenInterrupted();
  const gone = ({ ended }: ServiceProcess) => ended.then(() => 'gone' as const);
  const outcome = await Promise.race([run(service, data, keep, cast).catch(asFault), gone(service), interrupted]);
  if (keep && typeof outcome === 'object' && 'faults' in outcome && outcome.faults.length === 0) {
    if (!hasSnapshot(data)) service = await published(service, data, ofCast);
    say(`\n${invitation(service.url, data, cast)}`);
    const feed = new AbortController();
    if (pace > 0) void follow(service, data, cast, pace, feed.signal);
    await Promise.race([interrupted, gone(service)]);
    feed.abort();
  }
  conclude(outcome, await service.stop());
}

/** The service again, which makes a snapshot now that there are cohorts to publish. */
async function published(service: ServiceProcess, data: string, ofCast: readonly Setting[]): Promise<ServiceProcess> {
  const publishing = progressOf('Snapshot');
  await service.stop();
  const port = Number(new URL(service.url).port);
  const again = await startService(data, port, variablesOf([...ofCast, ...SNAPSHOTS])).catch((error: Error) =>
    leave(error.message, 1),
  );
  publishing.finish(await awaitSnapshot(again.url, data).catch((error: Error) => error.message));
  return again;
}

/** What the agents go on to decide; a fault ends that, and nothing else. */
async function follow({ url }: ServiceProcess, data: string, cast: Cast, pace: number, signal: AbortSignal) {
  const client = clientOf(url);
  try {
    const keys = await openAccounts(client, data, cast);
    say(`  The agents go on: one decides each ${pace} seconds.`);
    await runFeed({ client, keys, cast, folder: data }, pace, signal);
  } catch (error) {
    if (!signal.aborted) say(`The agents stopped: ${asFault(error).message}`);
  }
}

function conclude(outcome: Verification | Error | 'gone' | 'interrupted', how: string): never {
  const advice = 'Run the demo again: it continues from here.';
  if (how !== 'with exit code 0') leave(`The service ended ${how}. ${advice}`, 1);
  if (outcome === 'gone' || outcome === 'interrupted') leave(`Interrupted. ${advice}`, 130);
  if (outcome instanceof Error) leave(`${outcome.message}\n${advice}`, 1);
  leave('The service has ended. Its data remain.', outcome.faults.length === 0 ? 0 : 1);
}

function asFault(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function optionsOrExit() {
  try {
    const { values } = parseArgs({
      options: {
        large: { type: 'boolean', default: false },
        data: { type: 'string' },
        port: { type: 'string', ...(process.env.PORT && { default: process.env.PORT }) },
        keep: { type: 'boolean', default: process.stdout.isTTY === true },
        end: { type: 'boolean', default: false },
        pace: { type: 'string', default: '15' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) leave(HELP, 0);
    const folder = join(import.meta.dirname, '..', 'data', values.large ? 'demo-large' : 'demo');
    const cast = values.large ? LARGE_CAST : SMALL_CAST;
    const pace = Number(values.pace);
    if (!(pace >= 0)) throw new Error(`--pace ${values.pace} is no number of seconds.`);
    return { data: resolve(values.data ?? folder), port: values.port, keep: values.keep && !values.end, pace, cast };
  } catch (error) {
    return leave(`${asFault(error).message}\n${HELP}`, 1);
  }
}

/** Runs all steps from the accounts to the last grade. Each step skips what an earlier run has done. */
async function run({ url }: ServiceProcess, data: string, keep: boolean, cast: Cast): Promise<Verification> {
  const client = clientOf(url);
  const journal = openJournal(data);
  const keys = await openAccounts(client, data, cast);
  progressOf('Accounts').finish(`${keys.size} owners, one agent each; their keys are in ${join(data, 'agents')}`);
  const plan = await planDecisions(barFiles(join(data, 'bars')), cast);
  const submitting = progressOf('Decisions');
  const submissions = await submitPlan({ client, keys, journal, progress: submitting }, plan);
  const records = acknowledgedOf(plan, journal);
  submitting.finish(submissionsInWords(submissions, records.length));
  const grading = progressOf('Grades');
  const grades = await awaitGrades({ client, keys, progress: grading }, records);
  grading.finish(`${grades.size} of ${records.length} records are graded`);
  const verifying = progressOf('Proof');
  const verification = await verify({ client, keys, journal, progress: verifying }, records, grades);
  verifying.finish(verificationInWords(verification));
  progressOf('Receipts').finish(await receiptsInWords(client, keys, records));
  say(`\n${bucketTable(cast, records, grades)}\n\n${await featuredDecision(client, keys, records)}\n`);
  say(`${await cohortsInWords(client, keys.get('coin') ?? '')}\n`);
  say(`${await workflowsInWords(client, data)}\n`);
  const next = keep
    ? curlLines(url, data, records)
    : ['npm run demo -- --keep leaves the service running, with commands to try.'];
  for (const line of next) say(line);
  return verification;
}

function submissionsInWords({ fresh, found, abandoned }: Submissions, acknowledged: number): string {
  return [
    `${acknowledged} acknowledged: ${fresh} now, ${acknowledged - fresh - found} by earlier runs`,
    ...(found > 0 ? [`${found} were in flight when an earlier run ended, and had been accepted`] : []),
    ...(abandoned.length > 0
      ? [`${abandoned.length} were in flight over two days ago and are left out: ${abandoned.join(', ')}`]
      : []),
  ].join('; ');
}

function verificationInWords({ records, replayed, faults }: Verification): string {
  if (faults.length > 0) return `Verification failed: ${faults.slice(0, 10).join('; ')}`;
  const resent = replayed === 0 ? '' : `, and ${replayed} sent again led to the same records`;
  return `each of ${records} acknowledged decisions is there once, graded once${resent}: none missing, none duplicated`;
}

function leave(words: string, code: number): never {
  (code === 0 ? console.log : console.error)(`\n${words}`);
  process.exit(code);
}

function say(text: string): void {
  console.log(text);
}

/** Commands to try next. They read the keys from their files. */
function curlLines(url: string, folder: string, [record]: readonly Acknowledgement[]): string[] {
  if (!record) return [];
  const { agent, record_id } = record;
  const get = (name: string, path: string) =>
    `curl -s -H "X-API-Key: $(cat ${nearest(keyFile(folder, name))})" '${url}${path}'`;
  const other = agent === 'coin' ? 'trend' : 'coin';
  return [
    '# its owner sees everything',
    get(agent, `/api/v1/agent/decisions/${record_id}`),
    '# another owner sees the public form',
    get(other, `/api/v1/agent/decisions/${record_id}/state`),
    '# and so does everybody',
    `curl -s '${url}/api/v1/public/decisions/${record_id}'`,
    '# what the records of all owners on one share came to',
    get(other, COHORT_PATH),
    '# its receipt, and a program that checks it offline: node verify.mjs receipt --policy policy',
    `${get(agent, `/api/v1/agent/decisions/${record_id}/receipt`)} > receipt`,
    `curl -s '${url}/log/policy' > policy; curl -s '${url}/clients/verify.mjs' > verify.mjs`,
    '# the data of all cohorts that are shown, as a snapshot',
    `curl -s '${url}/data/'`,
    '# every endpoint, to read in a browser',
    `curl -s '${url}/docs'`,
  ];
}

function nearest(file: string): string {
  const below = relative(process.cwd(), file);
  return below.startsWith('..') ? file : below;
}
