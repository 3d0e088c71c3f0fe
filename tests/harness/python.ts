import { existsSync } from 'node:fs';

/** Debian's Python where it is installed, because the client is tested on it; `PYTHON` names another. */
export const PYTHON = process.env.PYTHON ?? (existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3');
