import { parentPort } from 'node:worker_threads';
import { readYaml } from './yaml-text.ts';

// Answers each text with its reading, in order. The first message tells that it has started.
parentPort?.on('message', (text: string) => parentPort?.postMessage(readYaml(text)));
parentPort?.postMessage('ready');
