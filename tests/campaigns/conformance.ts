// The official conformance suite of the Model Context Protocol against the service, and against our door around the
// fixtures of the suite: `npm run conformance`. See docs/mcp.md.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { BEYOND_THE_DOOR, NEEDS_FIXTURES } from './conformance/expectations.ts';
import { openFixtureMount } from './conformance/fixtures/mount.ts';
import { judgeResults } from './conformance/judge.ts';
import { openKeyedProxy } from './conformance/keyed-proxy.ts';
import { installSuite, REVISIONS, type Revision, runSuite } from './conformance/suite.ts';
import { limitVariables, serviceEnvironment, UNREACHED_LIMITS } from './stage/environment.ts';
import { startService } from './stage/server-process.ts';
import { openTally } from './stage/tally.ts';
import { onThrowawayDatabase, type ThrowawayDatabase } from './stage/throwaway-database.ts';

const tally = openTally('conformance');

installSuite();
await onThrowawayDatabase(async (throwaway) => {
  await checkService(throwaway);
  await checkFixtures(throwaway);
});
process.exitCode = tally.close() ? 0 : 1;

/** The service as it is, with a key that a proxy adds. */
async function checkService({ database, folder, adopt }: ThrowawayDatabase): Promise<void> {
  const environment = { ...serviceEnvironment(database), ...limitVariables(UNREACHED_LIMITS) };
  const { url, port } = await startService(environment, adopt);
  await checkRevisions('the service', folder, port, await newKey(url), NEEDS_FIXTURES);
}

/** What the suite requires of a server that has its fixtures. */
async function checkFixtures({ folder }: ThrowawayDatabase): Promise<void> {
  const mount = await openFixtureMount();
  await checkRevisions('the fixtures', folder, mount.port, 'any', BEYOND_THE_DOOR);
  await mount.close();
}

async function checkRevisions(
  where: string,
  folder: string,
  port: number,
  apiKey: string,
  excepted: Readonly<Record<Revision, readonly string[]>>,
): Promise<void> {
  const proxy = await openKeyedProxy(port, apiKey);
  try {
    for (const revision of REVISIONS) {
      const written = join(folder, `${where.replace(' ', '-')}-${revision}`);
      mkdirSync(written);
      const results = await runSuite(proxy.url, revision, written);
      const { held, failed } = judgeResults(tally, `${where}, ${revision}`, results, excepted[revision]);
      console.log(`${where}, ${revision}: ${held} checks hold, ${failed} do not.`);
    }
  } finally {
    await proxy.close();
  }
}

async function newKey(url: string): Promise<string> {
  const reply = await fetch(`${url}/api/v1/public/auth/quick-setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'conformance@example.org', password: 'twelve or more words' }),
  });
  const { api_key } = (await reply.json()) as { readonly api_key: string };
  return api_key;
}
