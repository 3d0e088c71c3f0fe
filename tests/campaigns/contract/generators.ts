import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Run, runNode, toolsOf } from '../stage/tools.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const NEWEST = join(import.meta.dirname, 'generators');
const ZOD_3 = join(NEWEST, 'zod-3');
const PROGRAM = join(import.meta.dirname, 'client', 'generated.ts');

const newest = toolsOf(NEWEST, 'the generators of clients');
const zod3 = toolsOf(ZOD_3, 'the generator of clients with zod 3');

export function installGenerators(): void {
  newest.install();
  zod3.install();
}

interface Generator {
  readonly name: string;
  /** Writes into the folder of that name below `project`; the configuration is there. */
  generate(project: string, document: string, url: string): Promise<Run>;
}

/** Generators with the options that docs/contract.md names. openapi-typescript is used by client.ts. */
export const GENERATORS: readonly Generator[] = [
  {
    name: 'hey-api',
    generate: (project, input) =>
      newest.run('openapi-ts', [
        '--file',
        configure(project, 'hey-api', {
          input,
          output: { path: join(project, 'hey-api'), module: { extension: '.ts' } },
          plugins: [
            '@hey-api/client-fetch',
            '@hey-api/typescript',
            '@hey-api/sdk',
            { name: 'zod', dates: { offset: true } },
          ],
        }),
      ]),
  },
  {
    name: 'kubb',
    // Kubb also writes below the folder in which it runs.
    generate(project, document) {
      const config = written(project, 'kubb.config.mjs', kubbConfig(project, document));
      return runNode([join(NEWEST, 'node_modules', '.bin', 'kubb'), 'generate', '--config', config], project);
    },
  },
  {
    name: 'orval',
    generate(project, target, baseUrl) {
      const input = { target };
      const output = { mode: 'single', target: join(project, 'orval', 'client.ts'), client: 'fetch', baseUrl };
      const schemas = {
        mode: 'single',
        target: join(project, 'orval', 'zod.ts'),
        client: 'zod',
        override: { zod: { dateTimeOptions: { offset: true }, generateEachHttpStatus: true } },
      };
      const config = { client: { input, output }, schemas: { input, output: schemas } };
      return newest.run('orval', ['--config', configure(project, 'orval', config)]);
    },
  },
  {
    name: 'swagger-typescript-api',
    generate: (project, document) =>
      newest.run('swagger-typescript-api', [
        'generate',
        ...['--path', document, '--output', join(project, 'swagger-typescript-api'), '--name', 'api.ts'],
        ...['--enum-style=union', '--silent'],
      ]),
  },
  {
    name: 'oazapfts',
    generate: (project, document) => newest.run('oazapfts', [document, join(project, 'oazapfts', 'api.ts')]),
  },
  {
    name: 'openapi-zod-client',
    generate(project, document) {
      const folder = join(project, 'openapi-zod-client');
      symlinkSync(join(ZOD_3, 'node_modules'), join(folder, 'node_modules'));
      return zod3.run('openapi-zod-client', [document, '--output', join(folder, 'api.ts'), '--export-schemas']);
    },
  },
];

/** The decision of the README that a reader sends by curl. */
function decisionOfReadme(): Readonly<Record<string, unknown>> {
  const [, body = ''] =
    /agent\/decisions[^\n]*\\\n\s*-d '(\{.*?\})' > decision\.json/s.exec(
      readFileSync(join(ROOT, 'README.md'), 'utf8'),
    ) ?? [];
  return JSON.parse(body);
}

/** Prepares the project: a folder for each generator, the program that uses what they write, and the decision. */
export function prepareProject(project: string): void {
  mkdirSync(project);
  for (const { name } of GENERATORS) mkdirSync(join(project, name));
  symlinkSync(join(NEWEST, 'node_modules'), join(project, 'node_modules'));
  written(project, 'package.json', JSON.stringify({ type: 'module' }));
  written(project, 'generated.ts', readFileSync(PROGRAM, 'utf8'));
  // With the types of its words, not of any text.
  const words = JSON.stringify(decisionOfReadme()).replace(/(?<=[:[,])"(?:[^"\\]|\\.)*"(?=[,\]}])/g, '$& as const');
  written(project, 'decision.ts', `export const decision = ${words};\n`);
}

/** Compiles everything that was generated, and the program, with `--strict`. Each fault is a line that begins with its file. */
export async function compileGenerated(project: string): Promise<readonly string[]> {
  const compilerOptions = {
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable'],
    module: 'esnext',
    moduleResolution: 'bundler',
    types: ['node'],
    strict: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    noEmit: true,
  };
  written(
    project,
    'tsconfig.json',
    JSON.stringify({ compilerOptions, files: ['generated.ts'], include: ['*/**/*.ts'] }),
  );
  const compiler = join(ROOT, 'node_modules', '.bin', 'tsc');
  // Each checker would infer the types of the schemas anew.
  const { stdout } = await runNode([compiler, '--project', '.', '--pretty', 'false', '--checkers', '1'], project);
  return stdout.split('\n').filter((line) => line.trim() !== '');
}

/** Runs the program. It prints `held` or `BROKEN`, and the name of a generator, for each. */
export function useGenerated(project: string, url: string, apiKey: string): Promise<Run> {
  return runNode(['--experimental-transform-types', join(project, 'generated.ts'), url, apiKey], project);
}

function kubbConfig(project: string, document: string): string {
  return `import { defineConfig } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';
import { pluginZod } from '@kubb/plugin-zod';
export default defineConfig({
  root: ${JSON.stringify(project)},
  input: { path: ${JSON.stringify(document)} },
  output: { path: 'kubb', extension: { '.ts': '.ts' }, format: false, lint: false },
  plugins: [
    pluginOas(),
    pluginTs(),
    pluginZod({ version: '4', dateType: 'stringOffset' }),
    pluginClient({ client: 'fetch' }),
  ],
});
`;
}

function configure(project: string, name: string, config: object): string {
  return written(project, `${name}.config.mjs`, `export default ${JSON.stringify(config)};\n`);
}

function written(project: string, name: string, text: string): string {
  const file = join(project, name);
  writeFileSync(file, text);
  return file;
}
