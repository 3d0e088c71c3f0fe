// `npm run wheel [-- FOLDER]`: builds the wheel and the sdist of the Python client, byte for byte the same on every machine.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const SOURCES = join(import.meta.dirname, '../clients/python');

/** What pip runs for a wheel and for an sdist (PEP 517). */
const BUILD = `
import sys
import build_backend
print(build_backend.build_wheel(sys.argv[1]))
print(build_backend.build_sdist(sys.argv[1]))
`;

/** Writes both files into a folder. Returns their names. @throws Error without a Python that can */
export function buildWheel(folder: string, python = process.env.PYTHON ?? 'python3'): readonly string[] {
  mkdirSync(folder, { recursive: true });
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PYTHONPATH: SOURCES };
  const { status, error, stdout, stderr } = spawnSync(python, ['-c', BUILD, folder], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${python} built no wheel: ${error?.message ?? stderr}`);
  return stdout.trim().split('\n');
}

if (import.meta.main) {
  const folder = resolve(process.argv[2] ?? join(SOURCES, '../../dist/python'));
  rmSync(folder, { recursive: true, force: true });
  for (const name of buildWheel(folder)) console.log(join(folder, name));
}
