import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXCEPTIONS, type Exception } from './exceptions.ts';
import { type Place, placesOf } from './places.ts';
import { runTool, TOOLS } from './tools.ts';

/** A finding of a linter in the document. */
export interface Finding {
  readonly rule: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly place: Place;
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

/** The findings that no exception covers, and the exceptions that cover none. */
export function judged(linter: string, findings: readonly Finding[]) {
  const exceptions = EXCEPTIONS.filter((exception) => exception.linter === linter);
  const covers = ({ rule, covers }: Exception, finding: Finding) => rule === finding.rule && covers(finding.place);
  return {
    open: findings.filter((finding) => !exceptions.some((exception) => covers(exception, finding))),
    unused: exceptions.filter((exception) => !findings.some((finding) => covers(exception, finding))),
  };
}

async function redocly(document: string): Promise<readonly Finding[]> {
  const config = join(TOOLS, 'redocly.yaml');
  const run = await runTool('redocly', ['lint', document, '--config', config, '--format=json', '--max-problems=10000']);
  const { problems } = parsed<{ readonly problems: readonly RedoclyProblem[] }>('redocly', run);
  const placeOf = placesOf(JSON.parse(readFileSync(document, 'utf8')));
  return problems.map(({ ruleId, severity, message, location: [first] }) => ({
    rule: ruleId,
    severity: severity === 'error' ? 'error' : 'warning',
    message,
    place: placeOf(stepsOf(first?.pointer ?? '')),
  }));
}

/** The steps of a JSON pointer. */
function stepsOf(pointer: string): string[] {
  const steps = pointer.replace(/^#?\/?/, '').split('/');
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
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
  const placeOf = placesOf(JSON.parse(readFileSync(document, 'utf8')));
  return results.map(({ code, severity, message, path }) => ({
    rule: code,
    severity: severity === 0 ? 'error' : 'warning',
    message,
    place: placeOf(path),
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
