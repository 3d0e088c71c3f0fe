import { hostname } from 'node:os';

/** How this process names itself in its reports. */
export function processName(): string {
  return `${hostname()}:${process.pid}`;
}
