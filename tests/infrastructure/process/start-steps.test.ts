import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, jest, test } from '@jest/globals';
import { readConfig } from '../../../infrastructure/config/config.ts';
import { startSteps } from '../../../infrastructure/process/welcome.ts';
import { adminEnvironment } from '../../harness/admin-command.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../harness/throwaway-folder.ts';

const folder = makeThrowawayFolder('steps');
afterAll(() => removeThrowawayFolder(folder, folder));

test('a first start says that it makes the database, a later one that it starts it, each with the seconds', () => {
  expect(printed({ DATA_DIR: folder })).toMatch(/^ *\d+\.\d s {2}Making a PostgreSQL database in \S+ \(once\)\.\.\.$/);
  mkdirSync(join(folder, 'postgres/data'), { recursive: true });
  expect(printed({ DATA_DIR: folder })).toMatch(/s {2}Starting PostgreSQL; its data are in \S+\.\.\.$/);
});

test('with a database of the operator nothing is printed', () => {
  expect(printed(adminEnvironment('postgres://stancebook@127.0.0.1/stancebook', folder))).toBe('');
});

function printed(environment: NodeJS.ProcessEnv): string {
  const print = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  startSteps(readConfig(environment))('database');
  const text = print.mock.calls.flat().join('\n');
  print.mockRestore();
  return text;
}
