import { existsSync } from 'node:fs';

export const DEBIANS_PYTHON = '/usr/bin/python3';

/** Debian's Python where it is installed, because the client is tested on it; `PYTHON` names another. */
export const PYTHON = process.env.PYTHON ?? (existsSync(DEBIANS_PYTHON) ? DEBIANS_PYTHON : 'python3');
