import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { readYaml } from './yaml-text.ts';

// On Linux a priority is a thread's own: whoever serves goes before whoever reads. Elsewhere it is the whole process's.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

// Answers each text with its reading, in order. The first message reports that it has started.
parentPort?.on('message', (text: string) => parentPort?.postMessage(readYaml(text)));
parentPort?.postMessage('ready');
