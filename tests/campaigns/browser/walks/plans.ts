import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { checkSound } from '../sound-view.ts';
import { HOSTILE, type Stage } from '../stage.ts';
import { type Ground, onPage } from '../walk.ts';
import { signIn } from './signed-in.ts';

const PLANS = '/api/v1/agent/plans';

/** One that the page can count, and one with a filter that only agents have. */
const COUNTED = {
  query: {
    market: 'stock',
    symbol: 'MSFT',
    direction: 'bullish',
    data_cutoff_since: '2003-01-01T00:00:00Z',
    data_cutoff_until: '2004-01-01T00:00:00Z',
    include_retroactive: true,
  },
  sentence: 'Bullish decisions of 2003 come out better than had_said.bullish.',
};
const OF_AGENTS = {
  query: { market: 'crypto', perspective_type: 'technical' },
  sentence: `Technical decisions are no better than others. ${HOSTILE}`,
};

interface Plan {
  readonly plan_id: string;
  readonly log_index: number | null;
}

/** An owner reads the plans of an agent, verifies one and counts its cohort. */
export function plansWalk(ground: Ground): Promise<void> {
  return onPage(ground, 'plans', {}, async ({ page }) => {
    await signIn(page, ground.stage);
    await none(ground, page);
    await state(ground.stage, OF_AGENTS);
    const { plan_id } = await state(ground.stage, COUNTED);
    await untilLogged(ground.stage, plan_id);
    await listed(ground, page);
    await counted(ground, page);
    await proved(ground, page, plan_id);
    await notLogged(ground, page, plan_id);
    await ofAgents(ground, page);
  });
}

async function none({ tally, picture }: Ground, page: Page): Promise<void> {
  await page.route(`**${PLANS}`, (route) => route.fulfill({ json: { items: [], next_cursor: null } }));
  await page.locator('#console-navigation').getByRole('link', { name: 'Plans', exact: true }).press('Enter');
  await page.getByText('No agent of yours has stated a plan.').waitFor();
  await checkSound(tally, page, 'plans, none');
  await picture(page, 'plans-none');
  const guide = await page.locator('#other .nothing a').getAttribute('href');
  const { status } = await page.evaluate(async (path) => ({ status: (await fetch(path)).status }), guide ?? '');
  tally.holds('plans, none: the guide is there', status === 200, [guide, status]);
  await page.unroute(`**${PLANS}`);
}

async function state({ url, key }: Stage, plan: unknown): Promise<Plan> {
  const response = await fetch(`${url}${PLANS}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(plan),
  });
  if (!response.ok) throw new Error(`The plan is refused: ${await response.text()}`);
  return (await response.json()) as Plan;
}

const PATIENCE = 120;

async function untilLogged({ url, key }: Stage, id: string): Promise<void> {
  for (let looks = 0; looks < PATIENCE; looks++) {
    const response = await fetch(`${url}${PLANS}/${id}`, { headers: { 'x-api-key': key } });
    if (((await response.json()) as Plan).log_index !== null) return;
    await sleep(500);
  }
  throw new Error('The log has no leaf of the plan.');
}

async function listed({ tally, picture }: Ground, page: Page): Promise<void> {
  await page.reload();
  const rows = page.locator('#other tbody tr');
  await rows.nth(1).waitFor();
  const [newest = '', older = ''] = await rows.allInnerTexts();
  const words = [COUNTED.sentence, 'MSFT, bullish, data up to a time in 2003, retroactive decisions included'];
  tally.holds(
    'plans: the newest is first, with its question',
    words.every((each) => newest.includes(each)),
    newest,
  );
  tally.holds('plans: a sentence is text', older.includes(HOSTILE) && older.includes('perspective technical'), older);
  tally.holds('plans: the agent has its name', !/agt_/.test(newest), newest);
  await checkSound(tally, page, 'plans');
  await picture(page, 'plans');
  await page.setViewportSize({ width: 375, height: 740 });
  await picture(page, 'plans-phone');
  await page.setViewportSize({ width: 1280, height: 860 });
}

async function counted({ tally }: Ground, page: Page): Promise<void> {
  await page.locator('#other tbody tr a').first().press('Enter');
  await page.locator('#other .lead', { hasText: COUNTED.sentence }).waitFor();
  await page.getByRole('link', { name: 'Count exactly this cohort' }).press('Enter');
  await page.locator('#other h2', { hasText: 'MSFT' }).waitFor();
  const heading = await page.locator('#other h2').first().innerText();
  const same = 'MSFT, bullish, data up to a time in 2003, retroactive decisions included';
  tally.holds('plans: the cohort is that of the question', heading === same, heading);
  await page.goBack();
  await page.locator('#other .lead').waitFor();
}

async function proved({ tally, picture }: Ground, page: Page, id: string): Promise<void> {
  tally.holds('plans: a plan has an address of its own', page.url().endsWith(`#/plans/${id}`), page.url());
  await page.getByRole('button', { name: 'Verify here' }).press('Enter');
  const status = page.locator('.verify-status');
  await status.waitFor();
  tally.holds(
    'plans: both receipts are proved',
    (await status.innerText()).startsWith('2 of 2'),
    await status.innerText(),
  );
  const lines = await page.locator('.verified').first().innerText();
  tally.holds('plans: the verifier says what was stated', lines.includes(COUNTED.sentence), lines);
  await page.locator('.origins summary').press('Enter');
  await checkSound(tally, page, 'plan');
  await picture(page, 'plan');
}

async function notLogged({ tally }: Ground, page: Page, id: string): Promise<void> {
  const path = `**${PLANS}/${id}`;
  await page.route(path, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), log_index: null } });
  });
  await page.reload();
  await page.getByText('The log has the plan by').waitFor();
  const offers = await page.getByRole('button', { name: 'Verify here' }).count();
  tally.holds('plans: what the log has not yet is not offered', offers === 0, offers);
  await page.unroute(path);
}

async function ofAgents({ tally }: Ground, page: Page): Promise<void> {
  await page.goto('/#/plans');
  await page.getByRole('link', { name: OF_AGENTS.sentence }).press('Enter');
  await page.getByText('Only agents can ask exactly this').waitFor();
  const sent = await page.locator('#other p > code').innerText();
  tally.holds('plans: a filter of agents is in what they send', sent.includes('perspective_type=technical'), sent);
  const links = await page.getByRole('link', { name: 'Count exactly this cohort' }).count();
  tally.holds('plans: no other cohort is offered in its place', links === 0, links);
}
