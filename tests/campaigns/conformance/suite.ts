import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolsOf } from '../stage/tools.ts';

/** The revisions of the protocol whose requirements are frozen in the suite. */
export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof REVISIONS)[number];

const TOOLS = join(import.meta.dirname, 'tools');
const tools = toolsOf(TOOLS, 'the conformance suite');
export const installSuite = tools.install;

export interface ScenarioResult {
  /** The ids of the checks that held. */
  readonly held: readonly string[];
  /** The ids of the checks that failed, with what the suite says. */
  readonly failed: readonly { readonly id: string; readonly message: string }[];
}

/**
 * Runs what a revision requires of a server, and what the suite runs besides, on its wire.
 * @param folder is created, and gets what the suite writes
 * @throws Error when the suite wrote no results
 */
export async function runSuite(
  url: string,
  revision: Revision,
  folder: string,
): Promise<ReadonlyMap<string, ScenarioResult>> {
  const run = await tools.run('conformance', ['server', '--url', url, '--requirements', revision, '-o', folder]);
  const results = new Map(readdirSync(folder).map((name) => [scenarioOf(name), resultIn(join(folder, name))]));
  const expected = [...run.stdout.matchAll(/^=== Running scenario: (\S+) ===$/gm)].map(([, name = '']) => name);
  const missing = expected.filter((name) => !results.has(name));
  if (expected.length === 0 || missing.length > 0)
    throw new Error(`The suite wrote no results of ${missing.join() || 'any scenario'}.\n${run.stderr}`);
  return results;
}

/** `server-tools-list-2026-11-24T00-19-57-540Z` */
function scenarioOf(folder: string): string {
  return folder.replace(/^server-(.+)-\d{4}-\d\d-\d\dT.*$/, '$1');
}

interface Check {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly errorMessage?: string;
}

function resultIn(folder: string): ScenarioResult {
  const checks = JSON.parse(readFileSync(join(folder, 'checks.json'), 'utf8')) as readonly Check[];
  const failed = checks.filter(({ status }) => status === 'FAILURE');
  return {
    held: checks.filter(({ status }) => status === 'SUCCESS').map(({ id }) => id),
    failed: failed.map(({ id, name, errorMessage }) => ({ id, message: errorMessage ?? name })),
  };
}
