import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { LOG_MESSAGES } from './log-messages.ts';

const ROOT = join(import.meta.dirname, '../../../..');

test.each([
  [LOG_MESSAGES.death, 'infrastructure/process/api-processes.ts'],
  [LOG_MESSAGES.failedStart, 'infrastructure/main.ts'],
  [LOG_MESSAGES.failedRequest, 'adapters/http/kit/exchange.ts'],
])('the service logs "%s"', (message, file) => {
  expect(readFileSync(join(ROOT, file), 'utf8')).toContain(`log.error('${message}'`);
});
