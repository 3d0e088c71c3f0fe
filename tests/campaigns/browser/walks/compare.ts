import type { Page } from 'playwright-core';
import { clientOf } from '../../../../scripts/demo/client.ts';
import { checkAccessible } from '../accessibility.ts';
import { collisionsOf, cutTextsOf } from '../drawings.ts';
import { checkSound } from '../sound-view.ts';
import { type Ground, onPage } from '../walk.ts';
import { untilRead } from '../watched-page.ts';
import { LOOKS, signIn } from './signed-in.ts';

const WIDE = { viewport: { width: 1440, height: 900 } };

/** An owner reads how an agent came out: alone, next to another one by month, and next to the public cohort. */
export async function compareWalk(ground: Ground): Promise<void> {
  await onPage(ground, 'compare', WIDE, async ({ page }) => {
    await signIn(page, ground.stage);
    await anotherAgent(ground, page);
    await months(ground, page);
    await cohort(ground, page);
    await checkSound(ground.tally, page, 'compare, cohort');
  });
  for (const [name, options] of [
    ['1440', WIDE] as const,
    ['1440-dark', { ...WIDE, colorScheme: 'dark' }] as const,
    ...LOOKS,
  ])
    await onPage(ground, `compare, ${name}`, options, async ({ page }) => {
      await signIn(page, ground.stage);
      for (const [view, address] of [
        ['one', '#/compare'],
        ['two', `#/compare?b=${await second(page)}`],
        ['cohort', '#/compare?b=cohort'],
      ] as const) {
        await page.goto(`/${address}`);
        await page.waitForSelector('.calibration svg');
        await untilRead(page);
        await page.waitForTimeout(300);
        await looked(ground, page, `${view}-${name}`);
      }
    });
}

async function looked({ tally, picture }: Ground, page: Page, name: string): Promise<void> {
  const words = await page.locator('#other').innerText();
  tally.holds(`compare, ${name}: says what was known before`, words.includes('after the prices were known'), words);
  await checkAccessible(tally, page, `compare, ${name}: accessible`);
  const covered = await collisionsOf(page, '#other .drawing svg');
  tally.holds(`compare, ${name}: no label covers another one`, covered.length === 0, covered);
  const cut = await cutTextsOf(page, '#other .drawing svg');
  tally.holds(`compare, ${name}: no label is cut`, cut.length === 0, cut);
  const fits = await page.evaluate(
    (most) => document.documentElement.scrollWidth <= most,
    page.viewportSize()?.width ?? 0,
  );
  tally.holds(`compare, ${name}: does not scroll sideways`, fits);
  await picture(page, `compare-${name}`);
}

interface Listed {
  readonly agent_id: string;
  readonly name: string;
}

async function agentsOf(page: Page): Promise<readonly Listed[]> {
  const reply = await page.request.get('/api/v1/owner/agents?include_archived=true');
  return ((await reply.json()) as { readonly items: readonly Listed[] }).items;
}

async function second(page: Page): Promise<string> {
  return (await agentsOf(page)).at(-1)?.agent_id ?? '';
}

/** With some decisions of other months than those of the first one. */
async function anotherAgent({ stage }: Ground, page: Page): Promise<void> {
  const api_key = await page.evaluate(newKey);
  const { price_targets: _, invalidation: __, ...submission } = stage.plan.submission;
  for (const [n, direction] of (['bullish', 'bearish', 'neutral'] as const).entries())
    await clientOf(stage.url).submit(api_key, `compare-${n}`, { ...submission, direction });
  const graded = async () => {
    const reply = await page.request.get(`/api/v1/owner/outcomes?agent_id=${await second(page)}`);
    return JSON.stringify(await reply.json()).includes('"period"');
  };
  while (!(await graded())) await page.waitForTimeout(500);
  // The page keeps the names of agents for a minute.
  await page.reload();
}

/** Runs in the page. */
async function newKey(): Promise<string> {
  const reply = await fetch('/api/v1/owner/auth/api-keys', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent_name: 'second', permission_mode: 'read_write' }),
  });
  return ((await reply.json()) as { readonly api_key: string }).api_key;
}

/** The columns of an agent are its graded decisions, and one of them leads to those of its month. */
async function months({ tally }: Ground, page: Page): Promise<void> {
  await page.goto(`/#/compare?b=${await second(page)}`);
  await page.waitForSelector('.figure .spot');
  await untilRead(page);
  const names = await page.locator('.figure .columns h3').allInnerTexts();
  // Other walks add agents of their own.
  const chosen = [(await agentsOf(page))[0]?.name, 'second'];
  tally.holds('compare: both agents are drawn by month', names.join() === chosen.join(), [names, chosen]);
  const ends = await page
    .locator('.figure .columns > div > .chart-part svg')
    .evaluateAll((all) => all.map((svg) => [...svg.querySelectorAll('.tick')].map((each) => each.textContent).join()));
  tally.holds('compare: in the same months and of one scale', new Set(ends).size === 1 && ends.length === 2, ends);
  const [first] = await agentsOf(page);
  const table = page.locator('.figure tbody tr').first();
  await page.locator('.figure > .behind > summary').click();
  tally.holds('compare: the months are a table too', await table.isVisible());
  const spot = page.locator('.figure .spot[tabindex="0"]').first();
  const words = (await spot.getAttribute('aria-label')) ?? '';
  const expected = [...words.replace(/^.*?:/, '').matchAll(/\d+/g)].reduce((sum, [n]) => sum + Number(n), 0);
  await spot.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your decisions' }).waitFor();
  await page.waitForSelector('#other tbody tr[data-key]');
  await untilRead(page);
  const count = await page.locator('#other tbody tr[data-key]').count();
  tally.holds(
    'compare: a month leads to its decisions',
    count === expected && page.url().includes(first?.agent_id ?? '?'),
    [...[count, expected, page.url()]],
  );
}

interface Reply {
  readonly query: { readonly symbol?: string };
  readonly overview: { readonly result_distribution: Readonly<Record<string, number>> | null };
}

/** Chosen by the form: counts of the reply, no share of others, the same filters. */
async function cohort({ tally }: Ground, page: Page): Promise<void> {
  await page.goto('/#/compare');
  await page.waitForSelector('.calibration svg');
  await page.getByLabel('Next to').selectOption({ label: 'the public cohort' });
  const read = page.waitForResponse((response) => response.url().includes('/api/v1/public/cohorts'));
  await page.getByRole('button', { name: 'Show' }).click();
  const reply = (await (await read).json()) as Reply;
  const part = page.locator('section.facts', { has: page.getByRole('heading', { name: 'Public cohort' }) });
  await part.waitFor();
  const counts = Object.values(reply.overview.result_distribution ?? {}).map((n) => n.toLocaleString('en-GB'));
  const shown = await part.locator('.counts tbody tr').first().locator('td').allInnerTexts();
  tally.holds('compare: the counts of the cohort are those of the reply', shown.join() === counts.join(), [
    shown,
    counts,
  ]);
  const words = await part.innerText();
  tally.holds('compare: of the cohort there is no share', !words.includes('%'), words);
  tally.holds('compare: and cautions', words.includes('not independent') && words.includes('Windows overlap'), words);
  const instrument = await page.getByLabel('Instrument').inputValue();
  tally.holds('compare: the instrument is that of both', instrument.endsWith(`:${reply.query.symbol}`), [
    instrument,
    reply,
  ]);
  await page.getByLabel('Direction').selectOption('bullish');
  const narrowed = page.waitForResponse((response) => /public\/cohorts.*direction=bullish/.test(response.url()));
  await page.getByRole('button', { name: 'Show' }).click();
  await narrowed;
  await untilRead(page);
  tally.holds('compare: the address has the filters', page.url().includes('direction=bullish'), page.url());
}
