import type { Page } from 'playwright-core';
import { setUp } from '../../sign-in.ts';
import type { Ground } from '../../walk.ts';

/** An owner of their own, whom no other walk changes. */
interface Designer {
  readonly email: string;
  readonly password: string;
}

let designer: Promise<Designer> | undefined;

/** Signs the designer of these walks in; the page is then at the address. */
export async function asDesigner({ stage }: Ground, page: Page, address: string): Promise<void> {
  designer ??= newDesigner(stage.url);
  const { email, password } = await designer;
  await page.goto(address);
  await page.fill('#email', email);
  await page.fill('#password', password);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.console-view h1:not(:has-text("Sign in"))');
}

async function newDesigner(url: string): Promise<Designer> {
  const credentials = { email: `designer-${Date.now()}@example.org`, password: 'drawn on a page by its owner' };
  await setUp(url, credentials);
  return credentials;
}

/** A reply of the service to the page's own session. */
export function read<Reply>(page: Page, path: string): Promise<Reply> {
  return page.evaluate(async (at) => (await fetch(at)).json(), path);
}

/** The id of the workflow that the page shows. */
export function shownId(page: Page): string {
  return /#\/workflows\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? '';
}

/** Imports a text, and returns the id of the draft. */
export function imported(page: Page, text: string): Promise<string> {
  return page.evaluate(async (body) => {
    const sending = { method: 'POST', headers: { 'content-type': 'application/yaml' }, body };
    const { id } = await (await fetch('/api/v1/owner/workflows/import', sending)).json();
    return id;
  }, text);
}
