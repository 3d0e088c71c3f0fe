import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8');

/** The lines that start a service, by what starts it; the last one is that of campaigns and of the bench. */
const START_LINES = {
  npm: JSON.parse(read('package.json')).scripts.start,
  systemd: /^ExecStart=.*$/m.exec(read('docs/operating/stancebook.service'))?.[0],
  image: /^CMD .*$/m.exec(read('Dockerfile'))?.[0],
  campaigns: /const args = \[[^\]]*\]/.exec(read('scripts/child-process.ts'))?.[0],
};

test.each(Object.entries(START_LINES))(
  '%s starts the service with as much room for young objects as all do',
  (_, line) => {
    expect(line).toMatch(/\bnode\b|const args/);
    expect(/--max-semi-space-size=\d+/.exec(line)?.[0]).toBe('--max-semi-space-size=8');
  },
);
