import type { Page } from 'playwright-core';
import type { DecisionSubmission, InputInvalidError as Mistake } from '../../../../clients/typescript/client.ts';
import type { Ground } from '../walk.ts';

/** An agent in a page of another origin uses the packed client: the loop, a list, and errors by their classes. */
export async function clientWalk(ground: Ground): Promise<void> {
  const { browser, stage, tally } = ground;
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('pageerror', ({ message }) => faults.push(message));
    await useClient(ground, page);
    await useFromElsewhere(ground, page);
    tally.holds('client: no script failed', faults.length === 0, faults);
  } catch (error) {
    tally.holds('client: runs to its end', false, [String(error), stage.site.origin]);
  } finally {
    await context.close();
  }
}

async function useClient({ stage: { url, site }, tally }: Ground, page: Page): Promise<void> {
  await page.goto(site.origin);
  const seen = await page.evaluate(agent, { url, module: site.module, decisions: DECISIONS });
  const { submitted, replayed, read, listed, state, mistake, refused } = seen;
  tally.holds('client: a page of another origin submits decisions', submitted.every(isRecord), submitted);
  tally.holds('client: the same key makes no second record', replayed === submitted[0], [replayed, submitted]);
  tally.holds('client: a record is read back', read.join() === [submitted[0], 'MSFT'].join(), read);
  tally.holds('client: the iterator has each record once, the newest first', isReverse(listed, submitted), listed);
  tally.holds('client: the outcome arrives', state === 'closed', state);
  const isExact = mistake.join() === ['InputInvalidError', true, 'horizon_value'].join();
  tally.holds('client: a mistake is an InputInvalidError with its field', isExact, mistake);
  tally.holds(
    'client: a wrong key is an AuthFailedError',
    refused.join() === ['AuthFailedError', true].join(),
    refused,
  );
}

/** `localhost` is an origin of its own, and the service does not allow it. */
async function useFromElsewhere({ stage: { url, site }, tally }: Ground, page: Page): Promise<void> {
  await page.goto(site.origin.replace('127.0.0.1', 'localhost'));
  const failure = await page.evaluate(stranger, { url, module: site.module });
  const isRefused = failure.join() === ['ConnectionFailedError', true].join();
  tally.holds('client: a page of an origin that CORS_ORIGINS lacks reads nothing', isRefused, failure);
}

const DECISIONS = ['13', '14', '18'].map(
  (day): DecisionSubmission => ({
    market: 'stock',
    symbol: 'MSFT',
    venue: 'NASDAQ',
    asset_class: 'spot',
    quote_currency: 'USD',
    direction: 'bullish',
    horizon_kind: 'trading_days',
    horizon_value: 5,
    data_cutoff: `2003-02-${day}T14:00:00Z`,
    key_factors: ['Stock split announced'],
  }),
);

interface Place {
  readonly url: string;
  /** The path of the client's module. */
  readonly module: string;
}

type Client = typeof import('../../../../clients/typescript/client.ts');

/** Runs in the page. */
async function agent({ url, module, decisions }: Place & { readonly decisions: readonly DecisionSubmission[] }) {
  const { AuthFailedError, InputInvalidError, Stancebook }: Client = await import(module);
  const caught = (error: unknown) => error;
  const account = { email: `${crypto.randomUUID()}@example.com`, password: 'four plain words, spaced' };
  const setUp = { method: 'POST', path: '/api/v1/public/auth/quick-setup', body: account };
  const { api_key: apiKey } = await new Stancebook({ url }).request<{ readonly api_key: string }>(setUp);
  const book = new Stancebook({ url, apiKey });
  const submitted: string[] = [];
  for (const [index, decision] of decisions.entries()) {
    const { record_id } = await book.submit(decision, { idempotencyKey: `page-${index}` });
    submitted.push(record_id);
  }
  const [decision] = decisions as [DecisionSubmission];
  const [first = ''] = submitted;
  const again = await book.submit(decision, { idempotencyKey: 'page-0' });
  const { record_id, symbol } = await book.decision(first);
  const listed: string[] = [];
  for await (const item of book.list({ limit: 2 })) listed.push(item.record_id);
  const { state } = await book.waitForOutcome(first, { timeoutSeconds: 90 });
  const mistake = (await book.submit({ ...decision, horizon_value: 500 }).catch(caught)) as Mistake;
  const refused = (await new Stancebook({ url, apiKey: `${apiKey}x` }).limits().catch(caught)) as Error;
  return {
    submitted,
    replayed: again.record_id,
    read: [record_id, symbol],
    listed,
    state,
    mistake: [mistake.name, mistake instanceof InputInvalidError, mistake.details[0]?.path],
    refused: [refused.name, refused instanceof AuthFailedError],
  };
}

/** Runs in the page. */
async function stranger({ url, module }: Place) {
  const { ConnectionFailedError, Stancebook }: Client = await import(module);
  const failure = (await new Stancebook({ url, attempts: 1 }).limits().catch((error: unknown) => error)) as Error;
  return [failure.name, failure instanceof ConnectionFailedError];
}

function isRecord(id: string): boolean {
  return id.startsWith('dec_');
}

function isReverse(ids: readonly string[], others: readonly string[]): boolean {
  return ids.length === DECISIONS.length && ids.join() === others.toReversed().join();
}
