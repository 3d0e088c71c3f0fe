import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { readYaml } from './yaml-text.ts';

// On Linux a priority applies to one thread, so requests go before reading. Elsewhere it applies to the process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

// Replies to each text with its reading, in order. The first message reports that the thread has started.
parentPort?.on('message', (text: string) => parentPort?.postMessage(readYaml(text)));
parentPort?.postMessage('ready');
