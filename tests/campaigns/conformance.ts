// The official conformance suite of the Model Context Protocol against the service: `npm run conformance`.
// See docs/mcp.md.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { NEEDS_FIXTURES } from './conformance/expectations.ts';
import { judgeResults } from './conformance/judge.ts';
import { openKeyedProxy } from './conformance/keyed-proxy.ts';
import { installSuite, REVISIONS, runSuite } from './conformance/suite.ts';
import { limitVariables, serviceEnvironment, UNREACHED_LIMITS } from './stage/environment.ts';
import { startService } from './stage/server-process.ts';
import { openTally } from './stage/tally.ts';
import { onThrowawayDatabase, type ThrowawayDatabase } from './stage/throwaway-database.ts';

const tally = openTally('conformance');

installSuite();
await onThrowawayDatabase(checkService);
process.exitCode = tally.close() ? 0 : 1;

/** The service as it is, with a key that a proxy adds. */
async function checkService({ database, folder, adopt }: ThrowawayDatabase): Promise<void> {
  const environment = { ...serviceEnvironment(database), ...limitVariables(UNREACHED_LIMITS) };
  const { url, port } = await startService(environment, adopt);
  const proxy = await openKeyedProxy(port, await newKey(url));
  try {
    for (const revision of REVISIONS) {
      const results = await runSuite(proxy.url, revision, newFolder(folder, `service-${revision}`));
      const counts = judgeResults(tally, `the service, ${revision}`, results, NEEDS_FIXTURES[revision]);
      console.log(`The service, ${revision}: ${counts.held} checks hold, ${counts.failed} need fixtures of the suite.`);
    }
  } finally {
    await proxy.close();
  }
}

function newFolder(folder: string, name: string): string {
  const made = join(folder, name);
  mkdirSync(made);
  return made;
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
