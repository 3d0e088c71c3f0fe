import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tally } from '../stage/tally.ts';
import { openAccount } from './accounts.ts';
import { type Run, run } from './programs.ts';

const ROOT = join(import.meta.dirname, '../../..');
const CLIENTS = join(ROOT, 'clients');
const STAND_INS = join(ROOT, 'tests/clients/python/stubs');

/** The examples in Python on their recorded input, each with an account of its own, as the documents show them. */
export async function checkExamples(url: string, python: string, folder: string, { holds }: Tally): Promise<void> {
  const recorded = join(folder, 'recorded');
  cpSync(join(CLIENTS, 'examples/recorded'), recorded, { recursive: true });
  const path = [join(CLIENTS, 'python'), join(CLIENTS, 'integrations'), STAND_INS].join(':');
  const examples = [
    ['clients.md', 'examples/agent.py', ['closes.csv']],
    ['clients.md', 'examples/mcp_agent.py', []],
    ['integrations.md', 'integrations/tradingagents_stancebook.py', ['import', 'trading_memory.md']],
    ['integrations.md', 'integrations/lean_stancebook.py', ['import', 'alpha-results.json']],
  ] as const;
  for (const [page, program, args] of examples) {
    const { apiKey } = await openAccount(url);
    const environment = { STANCEBOOK_URL: url, STANCEBOOK_API_KEY: apiKey, PYTHONPATH: path, HOME: folder };
    const done = await run(python, [join(CLIENTS, program), ...args], { environment, folder: recorded });
    const shown = transcriptOf(page, [program.replace(/.*\//, ''), ...args].join(' '));
    holds(`${program} prints what docs/${page} shows`, shown !== '' && printed(done) === shown, [shown, done]);
  }
}

/** What the page shows below the command, in the same block. */
function transcriptOf(page: string, command: string): string {
  const text = readFileSync(join(ROOT, 'docs', page), 'utf8');
  const blocks = [...text.matchAll(/^```console\n([\s\S]*?)^```/gm)].map(([, block = '']) => block);
  const head = `$ python3 ${command}\n`;
  return blocks.find((block) => block.startsWith(head))?.slice(head.length) ?? '';
}

function printed({ stdout }: Run): string {
  return stdout.replace(/dec_\w+/g, 'dec_20261124_b4a2d593').replace(/(?<=Noted )[\d-]{10}/g, '2026-11-24');
}
