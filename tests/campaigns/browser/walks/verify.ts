import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { Stancebook } from '../../../../clients/typescript/client.ts';
import { checkAccessible } from '../accessibility.ts';
import { type Ground, onPage } from '../walk.ts';

/** The files of a reader, by name. */
type Files = Readonly<Record<'receipt' | 'grade' | 'policy' | 'record', string>>;

/** A reader loads the page, goes offline, and verifies the receipts of a graded decision; then a byte of one is changed. */
export async function verifyWalk(ground: Ground): Promise<void> {
  const files = await filesOf(ground).catch((error: unknown) => {
    ground.tally.holds('verify: the service gives receipts and a policy', false, String(error));
    return null;
  });
  if (!files) return;
  for (const [name, options] of [
    ['desktop', {}],
    ['dark', { colorScheme: 'dark' }],
    ['phone', { viewport: { width: 375, height: 740 }, isMobile: true, hasTouch: true }],
  ] as const) {
    await onPage(ground, `verify, ${name}`, options, ({ page }) => verifyOffline(ground, page, files, name));
    await onPage(ground, `verify, whole record, ${name}`, options, ({ page }) =>
      verifyRecord(ground, page, files, name),
    );
  }
  await onPage(ground, 'verify, example', {}, ({ page }) => verifyExample(ground, page));
  await onPage(ground, 'verify, badge', {}, ({ page }) => verifyBadge(ground, page));
}

/** A receipt may take a minute. */
const PATIENCE = 120;

async function filesOf(ground: Ground): Promise<Files> {
  const { url, key, plan } = ground.stage;
  const read = async (path: string) => {
    for (let tries = 0; tries < PATIENCE; tries += 1) {
      const reply = await fetch(`${url}${path}`, { headers: { 'x-api-key': key } });
      if (reply.status === 200) return reply.text();
      if (reply.headers.get('retry-after') === null) throw new Error(`${path} answered with ${reply.status}.`);
      await sleep(1_000);
    }
    throw new Error(`${path} did not come.`);
  };
  const receipt = `/api/v1/agent/decisions/${plan.record_id}/receipt?opening=full`;
  return {
    receipt: await read(receipt),
    grade: await read(`${receipt}&leaf=outcome`),
    policy: await read('/log/policy'),
    record: await recordOf(ground),
  };
}

/** The file of the whole record of the agent, as its owner gets it. */
async function recordOf({ stage: { url, key, owner } }: Ground): Promise<string> {
  const status = await fetch(`${url}/api/v1/public/auth/status`, { headers: { 'x-api-key': key } });
  const { agent_id } = (await status.json()) as { readonly agent_id: string };
  const book = new Stancebook({ url, apiKey: null });
  return book.recordProof(agent_id, { email: owner.email, password: owner.password });
}

/** The file of a whole record is drawn as a track record, and says that the log was not at hand. */
async function verifyRecord({ tally, picture }: Ground, page: Page, files: Files, name: string): Promise<void> {
  await page.goto('/verify', { waitUntil: 'networkidle' });
  await page.context().setOffline(true);
  await choose(page, { record: files.record });
  await page.getByRole('button', { name: 'Use the policy of this service' }).click();
  await statusOf(page, '0 of 1 proved by the keys in the policy of this service.');
  const decisions = files.record.trimEnd().split('\n').length - 2;
  const squares = await page.locator('.record-line li').count();
  tally.holds(`whole record, ${name}: each decision has a square`, squares === decisions, { squares, decisions });
  const graded = files.record.split('"result_bucket"').length - 1;
  const counts = await page.locator('.record-part table').first().locator('td').allInnerTexts();
  const counted = counts.reduce((sum, text) => sum + Number(text), 0);
  tally.holds(`whole record, ${name}: each grade is counted`, counted === graded && graded > 0, { counts, graded });
  const lines = await linesOf(page);
  tally.holds(
    `whole record, ${name}: without the log it says what is not proved`,
    lines.includes('all of it: not proved: later ones are not seen'),
    lines,
  );
  tally.holds(`whole record, ${name}: nothing fails`, !lines.some((line) => line.startsWith('FAILS')), lines);
  await page.locator('.record-part summary').press('Enter');
  await page.locator('.record-part details tbody tr').first().waitFor();
  const rows = await page.locator('.record-part details tbody tr').count();
  tally.holds(`whole record, ${name}: its list has each decision`, rows === decisions, rows);
  await checkAccessible(tally, page, `whole record, ${name}: accessible`);
  const fits = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
  tally.holds(`whole record, ${name}: it does not scroll sideways`, fits);
  await picture(page, `verify-record-${name}`);
}

/** The page has an example that is proved, and says in a sentence what. */
async function verifyExample({ tally, picture }: Ground, page: Page): Promise<void> {
  await page.goto('/verify', { waitUntil: 'networkidle' });
  await page.getByRole('button', { name: 'Try an example' }).click();
  await statusOf(page, '2 of 2 proved by the keys in the policy of the example.');
  const sentences = await page.locator('.sentence').allInnerTexts();
  tally.holds(
    'verify, example: one sentence says what is proved',
    sentences.length === 1 && /^This decision, .* from prices that are in the file\.$/.test(sentences[0] ?? ''),
    sentences,
  );
  const lines = await linesOf(page);
  tally.holds('verify, example: its grade is computed again', lines.some(isLine('holds', 'bars')), lines);
  await checkAccessible(tally, page, 'verify, example: accessible');
  await picture(page, 'verify-example');
}

/** A reader verifies a public decision at the top of its page. */
async function verifyBadge({ tally, picture, stage }: Ground, page: Page): Promise<void> {
  await page.goto(`/#/records/${stage.plan.record_id}`);
  await page.waitForSelector('.chart[data-drawn]');
  await page.waitForSelector('.badge');
  const isFirst = await page.evaluate(() => {
    const [badge, chart] = [document.querySelector('.badge'), document.querySelector('.chart')];
    return badge !== null && chart !== null && badge.getBoundingClientRect().top < chart.getBoundingClientRect().top;
  });
  tally.holds('verify, badge: it is above the drawing', isFirst);
  await page.getByRole('button', { name: 'Verify this record' }).press('Enter');
  await page.waitForSelector('.badge[data-verdict]');
  const words = await page.locator('.badge').innerText();
  tally.holds(
    'verify, badge: it says what is proved, and by whose keys',
    words.includes('by the keys that this service shows') && words.includes('This decision,'),
    words,
  );
  const verdict = await page.locator('.badge').getAttribute('data-verdict');
  tally.holds('verify, badge: it holds', verdict === 'holds', verdict);
  await checkAccessible(tally, page, 'verify, badge: accessible');
  await picture(page, 'verify-badge');
  await page.getByRole('button', { name: 'What was checked' }).press('Enter');
  const focused = await page.evaluate(() => document.activeElement?.textContent);
  tally.holds('verify, badge: it leads to the lines', focused === 'Proof', focused);
}

async function verifyOffline({ tally, picture }: Ground, page: Page, files: Files, name: string): Promise<void> {
  await page.goto('/verify', { waitUntil: 'networkidle' });
  await page.context().setOffline(true);
  await checkAccessible(tally, page, `verify, ${name}: accessible when empty`);
  const { record: _, ...receipts } = files;
  await choose(page, receipts);
  await statusOf(page, '2 of 2 proved by the keys in policy.');
  const lines = await linesOf(page);
  for (const subject of ['signature', 'inclusion', 'opening', 'statement', 'producer', 'bucket', 'decision', 'bars']) {
    tally.holds(`verify, ${name}: ${subject} holds offline`, lines.some(isLine('holds', subject)), lines);
  }
  tally.holds(`verify, ${name}: nothing fails`, !lines.some((line) => line.startsWith('FAILS')), lines);
  await checkAccessible(tally, page, `verify, ${name}: accessible with proofs`);
  const fits = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
  tally.holds(`verify, ${name}: it does not scroll sideways`, fits);
  await picture(page, `verify-${name}`);
  await choose(page, { grade: withChangedHash(files.grade) });
  await statusOf(page, '1 of 2 proved by the keys in policy.');
  const failing = (await linesOf(page)).filter((line) => line.startsWith('FAILS'));
  tally.holds(
    `verify, ${name}: a changed byte fails in its line`,
    failing.length === 1 && failing.every(isLine('FAILS', 'inclusion')),
    failing,
  );
  await checkAccessible(tally, page, `verify, ${name}: accessible with failures`);
  await picture(page, `verify-${name}-fails`);
  await page.getByRole('button', { name: 'Start again' }).click();
  tally.holds(`verify, ${name}: it starts again`, (await linesOf(page)).length === 0);
  await paste(page, files.policy);
  await paste(page, files.receipt);
  await statusOf(page, '1 of 1 proved by the keys in pasted text 1.');
  await page.evaluate(dropFile, files.grade);
  await statusOf(page, '2 of 2 proved by the keys in pasted text 1.');
}

function choose(page: Page, files: Partial<Files>): Promise<void> {
  const chosen = Object.entries(files).map(([name, text]) => ({
    name,
    mimeType: 'text/plain',
    buffer: Buffer.from(text),
  }));
  return page.setInputFiles('#verify-files', chosen);
}

async function paste(page: Page, text: string): Promise<void> {
  await page.fill('#verify-text', text);
  await page.getByRole('button', { name: 'Add the pasted text' }).click();
}

/** Runs in the page. */
function dropFile(text: string): void {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], 'dropped'));
  document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
}

/** @throws Error when the status does not become this text */
async function statusOf(page: Page, text: string): Promise<void> {
  await page.getByRole('status').getByText(text, { exact: true }).waitFor();
}

/** The lines that are shown, such as `holds signature ...`. */
async function linesOf(page: Page): Promise<readonly string[]> {
  const texts = await page.locator('#verify-results li').allInnerTexts();
  return texts.map((text) => text.replace(/\s+/g, ' ').trim());
}

function isLine(verdict: string, subject: string): (line: string) => boolean {
  return (line) => line.startsWith(`${verdict} ${subject} `);
}

/** The proof with another character in its first hash. */
function withChangedHash(proof: string): string {
  return proof.replace(
    /(\nindex \d+\n)(.)/,
    (_, before: string, character: string) => `${before}${character === 'A' ? 'B' : 'A'}`,
  );
}
