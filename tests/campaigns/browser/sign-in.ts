import type { Page } from 'playwright-core';
import type { Stage } from './stage.ts';

/** Signs the owner of the stage in, at the login that the view at the address begins with. */
export async function signIn(page: Page, { owner }: Pick<Stage, 'owner'>, address = '/#/overview'): Promise<void> {
  await page.goto(address);
  await page.fill('#email', owner.email);
  await page.fill('#password', owner.password);
  await page.keyboard.press('Enter');
  await page.waitForSelector('#console-navigation a[aria-current]');
}

/** Registers an owner without an agent. @throws Error if the service refuses it */
export async function register(url: string, owner: Stage['owner']): Promise<void> {
  await openedBy(`${url}/api/v1/public/auth/register`, owner);
}

/** Registers an owner with an agent; returns its key. @throws Error if the service refuses it */
export async function setUp(url: string, owner: Stage['owner']): Promise<string> {
  return ((await openedBy(`${url}/api/v1/public/auth/quick-setup`, owner)) as { readonly api_key: string }).api_key;
}

async function openedBy(address: string, { email, password }: Stage['owner']): Promise<unknown> {
  const reply = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  if (reply.status !== 201) throw new Error(`${address} replied ${reply.status}: ${await reply.text()}`);
  return reply.json();
}
