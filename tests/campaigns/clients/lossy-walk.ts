import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type AcceptedDecision, Stancebook } from '../../../clients/typescript/client.ts';
import type { Tally } from '../stage/tally.ts';
import { type Account, decisionOn, openAccount, tradingDays } from './accounts.ts';
import { type Fault, openLossyProxy, type PlanFaults } from './lossy-proxy.ts';
import { run } from './programs.ts';

const FAULTS: readonly Fault[] = ['drop', 'reset', 'truncate'];

/** The kinds in turn, one to four for each request: a client that sends five times gets each reply. */
function faultsInTurn(): PlanFaults {
  let [requests, kinds] = [0, 0];
  return () => {
    requests += 1;
    return Array.from({ length: 1 + (requests % 4) }, () => FAULTS[kinds++ % FAULTS.length] ?? 'drop');
  };
}

const SUBMISSIONS = 40;

/** Submissions through a proxy that loses replies after their commit: each makes exactly one record. */
export async function checkLostReplies(url: string, python: string, tally: Tally): Promise<void> {
  const decisions = tradingDays(SUBMISSIONS).map(decisionOn);
  await checkTypeScript(url, decisions, tally);
  await checkPython(url, python, decisions, tally);
  await checkForgetful(url, tally);
}

type Decisions = readonly ReturnType<typeof decisionOn>[];

async function checkTypeScript(url: string, decisions: Decisions, tally: Tally): Promise<void> {
  const account = await openAccount(url);
  const proxy = await openLossyProxy(url, faultsInTurn());
  try {
    const client = new Stancebook({ url: proxy.url, apiKey: account.apiKey, ...QUICK });
    const accepted = await Promise.all(decisions.map((decision) => client.submit(decision)));
    tally.check(
      'TypeScript: each of 40 submissions with lost replies makes exactly one record',
      await differences(url, account, accepted.map(recordOf)),
    );
    tally.check('the proxy lost requests, committed replies and halves of them', unmade(proxy.made));
    tally.holds('the service replayed what it had committed', proxy.replayed() > 0, proxy.replayed());
    const [first] = accepted;
    const state = await client.waitForOutcome(first?.record_id ?? '', { timeoutSeconds: 9_000 });
    tally.holds('TypeScript: an outcome arrives through the same proxy', state.state === 'closed', state);
    const listed: string[] = [];
    for await (const { record_id } of client.list({ limit: 7 })) listed.push(record_id);
    const isWhole = listed.toSorted().join() === accepted.map(recordOf).toSorted().join();
    tally.holds('TypeScript: a list of pages that are lost has each record once', isWhole, listed.length);
  } finally {
    await proxy.close();
  }
}

async function checkPython(url: string, python: string, decisions: Decisions, tally: Tally): Promise<void> {
  const account = await openAccount(url);
  const proxy = await openLossyProxy(url, faultsInTurn());
  try {
    const program = join(import.meta.dirname, 'submit_all.py');
    const environment = { STANCEBOOK_API_KEY: account.apiKey, STANCEBOOK_URL: proxy.url };
    const { status, stdout, stderr } = await run(python, [program], { environment, input: JSON.stringify(decisions) });
    tally.holds('Python: the client ran to its end', status === 0, stderr);
    const { submitted, listed, state } = JSON.parse(stdout || '{"submitted":[],"listed":[]}');
    const promise = 'Python: each of 40 submissions with lost replies makes exactly one record';
    tally.check(promise, await differences(url, account, submitted));
    tally.check('the proxy lost requests, committed replies and halves of them again', unmade(proxy.made));
    tally.holds('Python: an outcome arrives through the same proxy', state === 'closed', state);
    const isWhole = listed.toSorted().join() === submitted.toSorted().join();
    tally.holds('Python: a list of pages that are lost has each record once', isWhole, listed.length);
  } finally {
    await proxy.close();
  }
}

/** The check finds a client that takes a new key for each attempt. */
async function checkForgetful(url: string, tally: Tally): Promise<void> {
  const account = await openAccount(url);
  const proxy = await openLossyProxy(url, () => ['drop']);
  try {
    const [decision] = tradingDays(1).map(decisionOn);
    const submitted: string[] = [];
    for (let attempts = 0; attempts < 2; attempts += 1) {
      const client = new Stancebook({ url: attempts === 0 ? proxy.url : url, apiKey: account.apiKey, attempts: 1 });
      const idempotencyKey = randomUUID();
      await client.submit(decision as never, { idempotencyKey }).then(
        (accepted) => submitted.push(recordOf(accepted)),
        () => undefined,
      );
    }
    const found = await differences(url, account, submitted);
    tally.holds('a client that forgets its key makes a second record, and is found', found.length > 0);
  } finally {
    await proxy.close();
  }
}

const BEGIN = Date.now();

/** The waits of an outage, a hundredth as long, and a clock to match. */
const QUICK = {
  sleep: (seconds: number) => new Promise<void>((resolve) => setTimeout(resolve, seconds * 10)),
  now: () => BEGIN + (Date.now() - BEGIN) * 100,
};

/** How what the service has differs from what was acknowledged. */
async function differences(url: string, { apiKey }: Account, submitted: readonly string[]): Promise<string[]> {
  const stored: string[] = [];
  for await (const { record_id } of new Stancebook({ url, apiKey }).list({ limit: 100 })) stored.push(record_id);
  const twice = submitted.length - new Set(submitted).size;
  return [
    ...(twice > 0 ? [`${twice} acknowledgements name a record that another one names`] : []),
    ...submitted.filter((id) => !stored.includes(id)).map((id) => `${id} was acknowledged and is not there`),
    ...stored.filter((id) => !submitted.includes(id)).map((id) => `${id} is there and was not acknowledged`),
  ];
}

function unmade(made: Readonly<Record<Fault, number>>): string[] {
  return FAULTS.filter((fault) => made[fault] < 10).map((fault) => `${fault}: ${made[fault]}`);
}

function recordOf({ record_id }: Pick<AcceptedDecision, 'record_id'>): string {
  return record_id;
}
