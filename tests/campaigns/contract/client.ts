import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Run, runNode } from '../stage/tools.ts';
import { runTool, TOOLS } from './tools.ts';

const SOURCE = join(import.meta.dirname, 'client', 'loop.ts');

/** The strictest options, which reject imprecise types. */
const COMPILER_OPTIONS = {
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  module: 'nodenext',
  types: ['node'],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
  noEmit: true,
} as const;

/** Makes a project from the document alone: the generated types, and a program that uses them. */
export async function makeClient(folder: string, document: string): Promise<Run> {
  symlinkSync(join(TOOLS, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  copyFileSync(SOURCE, join(folder, 'loop.ts'));
  return runTool('openapi-typescript', [document, '--output', join(folder, 'interface.d.ts')]);
}

/** Compiles the program, or other files. Each fault is a line that begins with the name of its file. */
export function compileClient(folder: string, files: readonly string[] = ['loop.ts']): Promise<Run> {
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files }));
  return runNode([join(TOOLS, 'node_modules', '.bin', 'tsc'), '--project', '.', '--pretty', 'false'], folder);
}

/** Writes the program with one mistake that only the types reveal. Returns the name of the file. */
export function plantMistake(folder: string, right: string, wrong: string): string {
  const source = readFileSync(SOURCE, 'utf8');
  if (!source.includes(right)) throw new Error(`The client does not contain ${right}.`);
  const file = `mistake-${createHash('sha256').update(wrong).digest('hex').slice(0, 8)}.ts`;
  writeFileSync(join(folder, file), source.replace(right, wrong));
  return file;
}

/** Runs the program against a service. It prints `held` and a name for each step that worked. */
export function runClient(folder: string, url: string): Promise<Run> {
  return runNode([join(folder, 'loop.ts'), url], folder);
}
