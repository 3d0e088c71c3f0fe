import { join } from 'node:path';
import { runTool, TOOLS } from './tools.ts';

/** A finding of a linter in the document. */
export interface Finding {
  readonly rule: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

export interface Linter {
  readonly name: string;
  /** @throws Error when the linter itself does not run */
  lint(document: string): Promise<readonly Finding[]>;
}

/** The linters, each with its configuration in the folder of the tools. */
export const LINTERS: readonly Linter[] = [
  { name: 'redocly', lint: redocly },
  { name: 'spectral', lint: spectral },
];

async function redocly(document: string): Promise<readonly Finding[]> {
  const config = join(TOOLS, 'redocly.yaml');
  const run = await runTool('redocly', ['lint', document, '--config', config, '--format=json', '--max-problems=1000']);
  const { problems } = parsed<{ readonly problems: readonly RedoclyProblem[] }>('redocly', run);
  return problems.map(({ ruleId, severity, message, location }) => ({
    rule: ruleId,
    severity: severity === 'error' ? 'error' : 'warning',
    message: `${message} ${location[0]?.pointer ?? ''}`,
  }));
}

interface RedoclyProblem {
  readonly ruleId: string;
  readonly severity: string;
  readonly message: string;
  readonly location: readonly { readonly pointer?: string }[];
}

async function spectral(document: string): Promise<readonly Finding[]> {
  const ruleset = join(TOOLS, 'spectral.mjs');
  const run = await runTool('spectral', ['lint', document, '--ruleset', ruleset, '--format=json', '--quiet']);
  const results = parsed<readonly SpectralResult[]>('spectral', run);
  return results.map(({ code, severity, message, path }) => ({
    rule: code,
    severity: severity === 0 ? 'error' : 'warning',
    message: `${message} ${path.join('/')}`,
  }));
}

interface SpectralResult {
  readonly code: string;
  readonly severity: number;
  readonly message: string;
  readonly path: readonly string[];
}

function parsed<T>(name: string, { status, stdout, stderr }: Awaited<ReturnType<typeof runTool>>): T {
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`${name} ended with ${status} and no report:\n${stdout}\n${stderr}`);
  }
}
