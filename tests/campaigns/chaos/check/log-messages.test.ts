import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { LOG_MESSAGES, NO_DATABASE } from './log-messages.ts';

const ROOT = join(import.meta.dirname, '../../../..');

test.each([
  [LOG_MESSAGES.death, 'infrastructure/process/api-processes.ts'],
  [LOG_MESSAGES.failedStart, 'infrastructure/main.ts'],
  [LOG_MESSAGES.failedRequest, 'adapters/http/kit/exchange.ts'],
  [LOG_MESSAGES.unsignedLog, 'infrastructure/background/log-watch.ts'],
])('the service logs "%s"', (message, file) => {
  expect(readFileSync(join(ROOT, file), 'utf8')).toContain(`log.error('${message}'`);
});

test.each(NO_DATABASE)('a start without a database ends with "%s..."', (beginning) => {
  const source = readFileSync(join(ROOT, 'infrastructure/database/connect-database.ts'), 'utf8');
  expect(source).toContain(`found: \`${beginning}`);
});
