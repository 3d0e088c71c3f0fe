// The deployment of docs/scaling.md, made whole on one machine and broken under load: `npm run cluster [-- --short] [--keep] [--plant]`.
// `--plant` has Patroni speak to etcd's v3 interface, by which Patroni 3.0.2 loses what was acknowledged: that must be found.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { refusalOf } from './cluster/permission.ts';
import { installPrograms } from './cluster/programs.ts';

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    plant: { type: 'boolean', default: false },
  },
});
const refusal = refusalOf();
if (refusal !== null) {
  console.error(refusal);
  process.exit(1);
}
installPrograms();
const extent = values.plant ? 'planted' : values.short ? 'short' : 'full';
process.exitCode = await inNamespaces(extent, values.keep);

/**
 * Runs the campaign in namespaces of its own for mounts, network and processes. They go with their first process, and
 * with them every process, address and mount of the campaign, however it ends; only the folder is left to be removed.
 */
async function inNamespaces(extent: string, keep: boolean): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'stancebook-cluster-'));
  // PostgreSQL and the pooler run as another user.
  chmodSync(folder, 0o755);
  const program = join(import.meta.dirname, 'cluster', 'campaign.ts');
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', program, folder, extent];
  // A shell is the first process: it buries the children of those that died, which Node would leave as zombies.
  const shell = ['bash', '-c', 'mount -t tmpfs tmpfs /run && mkdir /run/netns && "$@"; exit $?', 'campaign', ...node];
  const isolation = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc', '--', ...shell];
  const child = spawn('unshare', isolation, { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
  const stop = () => {
    console.error('Interrupted: cleaning up...');
    child.kill('SIGKILL');
  };
  process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop);
  try {
    const [code] = await once(child, 'exit');
    return code ?? 130;
  } finally {
    if (keep) console.log(`Kept: ${folder}`);
    else rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
