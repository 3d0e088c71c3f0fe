import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** Runs the suite of histories. Returns a fault when a history has different replies on the two storages. */
export function runHistories(runs: string, seed: number): readonly string[] {
  const { status } = spawnSync(
    process.execPath,
    [join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js'), 'tests/http/histories'],
    {
      cwd: ROOT,
      stdio: 'inherit',
      env: {
        ...process.env,
        NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
        STANCEBOOK_HISTORIES: runs,
        STANCEBOOK_HISTORIES_SEED: String(seed),
      },
    },
  );
  return status === 0 ? [] : [`the suite ended with ${status}, seed ${seed}`];
}
