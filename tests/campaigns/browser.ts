// Checks the page for people in a real browser. See docs/page.md.
// `npm run browser [-- --short] [-- --built] [-- --slow SEED] [-- --pictures FOLDER] [-- --only mouseWalk --only trackWalk]`
// `--built`: the service is that of `npm run build`, with the scripts of the page as packages have them.
// `--slow`: each reply waits for up to a second and a half, at random, so that the parts of a view come in other orders.
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildInCheckout } from '../../scripts/build.ts';
import { randomFrom } from '../../scripts/random.ts';
import { launchBrowser } from './browser/chromium.ts';
import { openStage } from './browser/stage.ts';
import type { Ground } from './browser/walk.ts';
import { emptyWalk } from './browser/walks/refusals.ts';
import { LONG_WALKS, WALKS } from './browser/walks.ts';
import { slowDown } from './browser/watched-page.ts';
import { openTally } from './stage/tally.ts';

/** Decisions, enough for an atlas; the short form has fewer. */
const DECISIONS = 360;
const SHORT = 150;

/** Milliseconds for which a reply waits at most. */
const LONGEST = 1_500;

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    built: { type: 'boolean', default: false },
    slow: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
    pictures: { type: 'string', default: join(tmpdir(), 'stancebook-pictures') },
  },
});
const inForm = values.short ? WALKS.filter((walk) => !LONG_WALKS.includes(walk)) : WALKS;
const walks = values.only.length > 0 ? WALKS.filter(({ name }) => values.only.includes(name)) : inForm;
if (walks.length === 0) throw new Error(`No such walk. There are ${WALKS.map(({ name }) => name).join(', ')}.`);
const folder = resolve(values.pictures);
mkdirSync(folder, { recursive: true });

if (values.slow !== undefined) {
  const random = randomFrom(values.slow);
  slowDown(() => random.below(LONGEST));
}
const tally = openTally('Browser');
await runWalks().catch((error: unknown) => tally.holds('all walks run', false, String(error)));
console.log(`The pictures are in ${folder}.`);
process.exit(tally.close() ? 0 : 1);

async function runWalks(): Promise<void> {
  const browser = await launchBrowser();
  const picture: Ground['picture'] = async (page, name) => {
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  };
  try {
    const decisions = values.short ? SHORT : DECISIONS;
    const built = values.built ? await buildInCheckout('node_modules/.cache/built-page') : undefined;
    const program = built && join(built, 'service.mjs');
    const stage = await openStage(decisions, (url) => emptyWalk({ browser, tally, picture }, url), program);
    try {
      for (const walk of walks) await walk({ browser, stage, tally, picture });
    } finally {
      await stage.close();
    }
  } finally {
    await browser.close();
  }
}
