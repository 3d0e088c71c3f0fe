import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { faultsOf } from '../accessibility.ts';
import { type Ground, onPage } from '../walk.ts';

/** The files of a reader, by name. */
type Files = Readonly<Record<'receipt' | 'grade' | 'policy', string>>;

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
  }
}

/** A receipt may take a minute. */
const PATIENCE = 120;

async function filesOf({ stage: { url, key, plan } }: Ground): Promise<Files> {
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
  };
}

async function verifyOffline({ tally, picture }: Ground, page: Page, files: Files, name: string): Promise<void> {
  await page.goto('/verify', { waitUntil: 'networkidle' });
  await page.context().setOffline(true);
  tally.holds(`verify, ${name}: accessible when empty`, (await faultsOf(page)).length === 0, await faultsOf(page));
  await choose(page, files);
  await statusOf(page, '2 of 2 proved by the keys in policy.');
  const lines = await linesOf(page);
  for (const subject of ['signature', 'inclusion', 'opening', 'statement', 'producer', 'bucket', 'decision', 'bars']) {
    tally.holds(`verify, ${name}: ${subject} holds offline`, lines.some(isLine('holds', subject)), lines);
  }
  tally.holds(`verify, ${name}: nothing fails`, !lines.some((line) => line.startsWith('FAILS')), lines);
  tally.holds(`verify, ${name}: accessible with proofs`, (await faultsOf(page)).length === 0, await faultsOf(page));
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
  tally.holds(`verify, ${name}: accessible with failures`, (await faultsOf(page)).length === 0, await faultsOf(page));
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
