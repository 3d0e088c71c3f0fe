import { mkdirSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../../../adapters/postgres/migrations/migrate.ts';
import { isAlive } from '../../../../infrastructure/embedded-postgres/postmaster.ts';
import { SERVICE_ROLE } from '../../../../infrastructure/embedded-postgres/roles.ts';
import { freePort } from '../../../../infrastructure/embedded-postgres/supervisor.ts';
import { randomFrom } from '../../../../scripts/random.ts';
import { makeThrowawayFolder, removeDataDir, removeThrowawayFolder } from '../../../harness/throwaway-folder.ts';
import { addCallers, type Caller } from '../../stage/callers.ts';
import { onClient } from '../../stage/client.ts';
import { evidenceLogEnvironment, type LogKeyFile, makeLogKey } from '../../stage/evidence-log.ts';
import { writePrices } from '../../stage/prices.ts';
import { replaceClock, type ServiceClock } from './clock.ts';
import { type ChaosDatabase, startChaosDatabase } from './database.ts';
import { type ChaosLimits, environmentOf } from './environment.ts';
import { type LoneService, openLoneService } from './lone-service.ts';
import { childrenOf, type Supervised, supervise } from './processes.ts';
import { openWebhookReceiver, type WebhookReceiver } from './receiver.ts';
import { openServerClock } from './server-clock.ts';
import { mountSmallDisk, type SmallDisk, unmount } from './small-disk.ts';

export interface Node extends Supervised {
  readonly url: string;
}

/** Everything that runs: the database, two nodes of two API processes each, two worker processes. */
export interface Stage {
  readonly folder: string;
  /** That of the database. */
  readonly dataDir: string;
  readonly database: ChaosDatabase;
  /** null when this user may not mount filesystems. */
  readonly disk: SmallDisk | null;
  readonly clock: ServiceClock;
  readonly nodes: readonly Node[];
  readonly workers: readonly Supervised[];
  readonly callers: readonly Caller[];
  readonly admin: Caller;
  readonly logKey: LogKeyFile;
  readonly receiver: WebhookReceiver;
  readonly lone: LoneService;
}

export interface StagePlan {
  readonly seed: string;
  readonly owners: number;
  readonly keys: number;
  readonly limits: ChaosLimits;
  readonly onUnexpectedEnd: (how: string) => void;
}

const NAME = 'chaos';
const NODES = 2;
const WORKERS = 2;
const API_PROCESSES = 2;

/** Opens the stage. The functions in `closers` remove it; the last one must be called first. */
export async function openStage(plan: StagePlan, closers: (() => Promise<void> | void)[]): Promise<Stage> {
  removeRemains();
  const folder = makeThrowawayFolder(`${NAME}-${process.pid}`);
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { mode: 0o711 });
  closers.push(() => removeFolder(folder));
  const disk = mountSmallDisk(folder, join(dataDir, 'postgres'));
  if (disk) closers.push(() => disk.unmount());
  const serverClock = openServerClock(folder);
  const database = await startChaosDatabase(dataDir, await freePort(), serverClock?.environment);
  closers.push(() => database.stop());
  await migrate({ url: database.directUrl(), serviceRole: SERVICE_ROLE });
  const clock = await replaceClock(database.directUrl, serverClock);
  const callers = await onClient(database.directUrl(), (client) => addCallers(client, plan.owners, plan.keys));
  const bars = join(folder, 'bars');
  writePrices(bars, new Date());
  const logKey = makeLogKey(folder);
  const receiver = await openWebhookReceiver(randomFrom(`${plan.seed} receiver`));
  closers.push(() => receiver.close());
  const [nodes, workers] = await startProcesses({ folder, database, bars, logKey }, plan);
  for (const each of [...nodes, ...workers]) closers.push(() => each.stop());
  const [lone] = await Promise.all([openLoneService(folder), ...[...nodes, ...workers].map((each) => each.up())]);
  closers.push(() => lone.stop());
  const [admin] = callers;
  if (!admin) throw new Error('A campaign needs at least one owner, who becomes the admin.');
  await database.rows(`update app.owners set role = 'admin' where owner_id = $1`, [admin.owner_id]);
  return { folder, dataDir, database, disk, clock, nodes, workers, callers, admin, logKey, receiver, lone };
}

/** Removes the mounts and folders of campaigns that were killed. */
function removeRemains(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = new RegExp(`^stancebook-${NAME}-(\\d+)-`).exec(name) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    unmount(join(tmpdir(), name, 'data', 'postgres'));
    removeFolder(join(tmpdir(), name));
  }
}

function removeFolder(folder: string): void {
  try {
    removeDataDir(join(folder, 'lone'));
    removeThrowawayFolder(folder);
  } catch (error) {
    console.error(`${folder} could not be removed: ${error}`);
  }
}

/** What the processes are started on. */
interface Ground extends Pick<Stage, 'folder' | 'database' | 'logKey'> {
  readonly bars: string;
}

async function startProcesses({ folder, database, bars, logKey }: Ground, plan: StagePlan) {
  const shared = environmentOf(database, bars, plan.limits);
  const { onUnexpectedEnd } = plan;
  const nodes: Node[] = [];
  for (let n = 0; n < NODES; n++) {
    const [name, port] = [`node-${n}`, await freePort()];
    const url = `http://127.0.0.1:${port}`;
    const own = { ROLE: 'api', WORKERS: String(API_PROCESSES), PORT: String(port), DATA_DIR: join(folder, name) };
    // The processes of a killed predecessor may still answer for a moment.
    const isUp = async (pid: number) => childrenOf(pid).length > 0 && (await listening(url)) === API_PROCESSES;
    const logFile = join(folder, `${name}.log`);
    nodes.push({ url, ...supervise({ name, environment: { ...shared, ...own }, logFile, isUp, onUnexpectedEnd }) });
  }
  const workers = Array.from({ length: WORKERS }, (_, n): Supervised => {
    const name = `worker-${n}`;
    const own = { ROLE: 'worker', PORT: '0', DATA_DIR: join(folder, name) };
    const environment = { ...shared, ...own, ...evidenceLogEnvironment(logKey, own.DATA_DIR) };
    // Grades show whether its sweeps run.
    const isUp = async () => true;
    return supervise({ name, environment, logFile: join(folder, `${name}.log`), isUp, onUnexpectedEnd });
  });
  return [nodes, workers] as const;
}

/** How many API processes of the node accept connections: those are in its metrics. */
async function listening(url: string): Promise<number> {
  try {
    const metrics = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(5_000) });
    return (await metrics.text()).match(/^process_start_time_seconds\{process="api-\d+"\}/gm)?.length ?? 0;
  } catch {
    return 0;
  }
}
