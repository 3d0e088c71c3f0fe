import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SECURITY_EVENTS } from '../../../../domain/limits.ts';
import { anOwner } from '../../../builders/accounts.ts';
import { aLoginOf } from '../../../contracts/accounts/security-event-store.ts';
import { NOON, type OpenedDatabase, onPostgres } from '../../../contracts/decisions/adapters.ts';
import { execute } from '../../../harness/database.ts';

let opened: OpenedDatabase;
beforeAll(async () => {
  opened = await onPostgres(2);
  await opened.storage.securityEvents.append(aLoginOf(anOwner().owner_id));
});
afterAll(() => opened.close());

const CHANGES = [
  `update app.security_events set kind = 'logout'`,
  'update app.security_events set count = count + 2',
  'update app.security_events set count = 1',
  `update app.security_events set count = count + 1, network = null`,
  `update app.security_events set at = at - interval '1 year'`,
  'delete from app.security_events',
  'truncate app.security_events',
];

test.each(CHANGES)('no role may %s', async (statement) => {
  for (const url of [opened.url, opened.serviceUrl]) {
    await expect(execute(url, statement)).rejects.toMatchObject({ code: '42501' });
  }
});

test('a row that is counted up or added by hand has the time of the database', async () => {
  const past = `'2001-01-01T00:00:00Z'`;
  await execute(opened.serviceUrl, `update app.security_events set count = count + 1, last_at = ${past}`);
  await execute(
    opened.serviceUrl,
    `insert into app.security_events (counted_from, at, last_at, count, kind, result, client)
    values (${past}, ${past}, ${past}, 7, 'login', 'failure', 'other')`,
  );
  const rows = await opened.storage.securityEvents.list({}, null, 10);
  expect(rows.map(({ at, last_at, count }) => [at, last_at, count])).toEqual([
    [NOON, NOON, 1],
    [NOON, NOON, 2],
  ]);
});

test('rows may be deleted once they are as old as domain/limits.ts says', async () => {
  const removal = 'delete from app.security_events';
  await opened.arrange.freeze(new Date(NOON.getTime() + SECURITY_EVENTS.leastKept - 1));
  await expect(execute(opened.serviceUrl, removal)).rejects.toMatchObject({ code: '42501' });
  await opened.arrange.freeze(new Date(NOON.getTime() + SECURITY_EVENTS.leastKept));
  await execute(opened.serviceUrl, removal);
  expect(await opened.storage.securityEvents.list({}, null, 10)).toEqual([]);
});
