// Runs the deployment of docs/scaling.md on one machine and breaks it under load: `npm run cluster [-- --short] [--keep] [--plant|--plant-fork]`.
// `--plant` makes Patroni use etcd's v3 interface, with which Patroni 3.0.2 loses acknowledged records: the checks must find that.
// `--plant-fork` removes what the workers noted of the evidence log, so that they sign a fork: the check must find that.
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
    'plant-fork': { type: 'boolean', default: false },
  },
});
const refusal = refusalOf();
if (refusal !== null) {
  console.error(refusal);
  process.exit(1);
}
installPrograms();
const extent = values['plant-fork'] ? 'forked' : values.plant ? 'planted' : values.short ? 'short' : 'full';
process.exitCode = await inNamespaces(extent, values.keep);

/**
 * Runs the campaign in its own namespaces for mounts, network and processes. They end with their first process, and so do
 * all processes, addresses and mounts of the campaign, however it ends. Only the folder must be removed afterwards.
 */
async function inNamespaces(extent: string, keep: boolean): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'stancebook-cluster-'));
  // PostgreSQL and the pooler run as another user.
  chmodSync(folder, 0o755);
  const program = join(import.meta.dirname, 'cluster', 'campaign.ts');
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', program, folder, extent];
  // A shell is the first process: it reaps orphaned children, which Node would leave as zombies.
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
    if (keep) console.log(`The folder ${folder} was not removed.`);
    else rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
