// Runs the clients against the real service: the README's loop, the command line, a login by an identity provider, and
// submissions through a proxy that loses replies after their commit: `npm run clients`. See docs/clients.md.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceProcess, startService } from '../../scripts/demo/service-process.ts';
import { openProvider } from '../harness/identity/provider.ts';
import { PYTHON } from '../harness/python.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../harness/throwaway-folder.ts';
import { walkCommandLine } from './clients/command-line-walk.ts';
import { walkDeviceLogin } from './clients/device-login-walk.ts';
import { checkExamples } from './clients/examples.ts';
import { checkLostReplies } from './clients/lossy-walk.ts';
import { checkNotebook } from './clients/notebook.ts';
import { checkLoop } from './clients/readme-loop.ts';
import { checkReceivers } from './clients/receivers.ts';
import { checkSharedWaits } from './clients/shared-waits.ts';
import { checkSnapshot, SNAPSHOT_SETTINGS } from './clients/snapshot.ts';
import { installReaders } from './clients/snapshot-readers.ts';
import { walkWheel } from './clients/wheel-walk.ts';
import { checkYamlReaders } from './clients/yaml-readers.ts';
import { closeOnSignal } from './stage/interruption.ts';
import { openTally } from './stage/tally.ts';

const tally = openTally('Clients');
// Before anything is connected: npm may hold the event loop for longer than idle connections live.
installReaders();
const folder = makeThrowawayFolder('clients');
// No browser logs in here: the address is never opened.
const provider = await openProvider({ redirectUris: ['http://127.0.0.1/not-used'] });
let starting: Promise<ServiceProcess> | undefined;
closeOnSignal(close);
try {
  mkdirSync(join(folder, 'data'));
  starting = startService(join(folder, 'data'), 0, { ...provider.env, ...SNAPSHOT_SETTINGS });
  const { url } = await starting;
  // The log is written each minute, which all of them wait for.
  await Promise.all([checkLoop(url, PYTHON, folder, tally), walkCommandLine(url, folder, tally)]);
  await walkDeviceLogin(url, PYTHON, folder, tally);
  await walkWheel(url, PYTHON, folder, tally);
  await checkExamples(url, PYTHON, folder, tally);
  await checkReceivers(PYTHON, folder, tally);
  await checkYamlReaders(PYTHON, folder, tally);
  await checkNotebook(PYTHON, folder, tally);
  await checkSnapshot(url, folder, tally);
  // Its readers hold the event loop for longer than idle connections live: that they have ended is noticed first.
  await sleep(1_000);
  await checkSharedWaits(url, PYTHON, tally);
  await checkLostReplies(url, PYTHON, tally);
} finally {
  await close();
}
process.exitCode = tally.close() ? 0 : 1;

/** Stops the service and the provider, then removes everything that was written. */
async function close(): Promise<void> {
  const service = await starting?.catch(() => undefined);
  await service?.stop();
  await provider.close();
  removeThrowawayFolder(folder);
}
