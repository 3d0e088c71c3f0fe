import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Column } from '../operations/operation.ts';
import { callersOf } from './callers.ts';
import { type Cast, openCast, PAGES } from './cast.ts';
import { byBearer, bySession } from './credentials.ts';
import { judgeRow } from './judge-row.ts';
import { ROWS, type Row, requestOf } from './rows.ts';
import { traceOf } from './trace.ts';
import type { Headers } from './wire.ts';

/** What an owner without a second factor may still do where OWNER_FACTOR requires one; written by hand. */
const WITHOUT_FACTOR: readonly string[] = [
  'GET /public/auth/status',
  'POST /owner/auth/logout',
  'POST /owner/auth/reauthenticate',
  'GET /owner/auth/factors',
  'DELETE /owner/auth/factors/reset',
  'POST /owner/auth/factors/totp',
  'POST /owner/auth/factors/totp/confirm',
  'POST /owner/auth/factors/passkeys/options',
  'POST /owner/auth/factors/passkeys',
];

/** They make a key for whoever sends no credential, which needs a factor too (tests/http/owner/auth/required-factor.test.ts). */
const KEYS_WITHOUT_LOGIN = ['POST /public/auth/quick-setup', 'POST /public/auth/idp/device/poll'];

/** The last factor stays where one is required (tests/http/owner/auth/required-factor.test.ts). */
const LAST_FACTOR = ['DELETE /owner/auth/factors/totp'];

/** The row of a pool whose unit was given back, because the request was refused. */
const UNSPENT = /\{[^{}]*"used":0,"credit":0,[^{}]*\}/g;

const WITH_FACTOR: readonly Column[] = ['-', 'rw', 'B', 'S', 'AB', 'AS'];

/** Whether the credential is read at all: a bad one is refused. */
const readsCredentials = ({ cells }: Row) => cells.bad !== 'o' && cells.bad !== '404';

const rowsWhere = (isWanted: (row: Row) => boolean) =>
  ROWS.filter(isWanted).map((row) => [`${row.operation} of ${row.of}`, row] as const);

// On PostgreSQL alone, as the matrix.
describe('the authorisation matrix where owners need a second factor', () => {
  let cast: Cast;
  beforeAll(async () => {
    cast = await openCast('postgres', { OWNER_FACTOR: 'required' });
  });
  afterAll(() => cast.close());

  /** The owner's session or token without a factor, where that kind of credential is accepted. */
  async function bareHeaders({ cells, of }: Row): Promise<readonly Headers[]> {
    const { owner, provider } = cast;
    const session = await owner.session(of === 'password' ? 'password' : undefined, null);
    const bearer = byBearer(await provider.sign({ sub: 'owner', amr: ['pwd'] }));
    const isServed = (column: Column) => cells[column] !== '403';
    return [
      ...(isServed('S') ? [bySession(session, { 'sec-fetch-site': 'same-origin', origin: PAGES })] : []),
      ...(isServed('B') ? [bearer] : []),
    ];
  }

  const spentTraceOf = async ({ of }: Row) =>
    (await traceOf(cast, of)).replaceAll(UNSPENT, '').replaceAll(/[\s,]/g, '');

  const isClosed = (row: Row) =>
    readsCredentials(row) && !row.path.startsWith('/admin') && !WITHOUT_FACTOR.includes(row.operation);

  test.each(rowsWhere(isClosed))('%s: 403 FACTOR_REQUIRED without one, and nothing is changed', async (_, row) => {
    const asked = await requestOf(cast, row);
    const bare = await bareHeaders(row);
    const before = await spentTraceOf(row);
    for (const headers of bare) {
      const { status, body } = await cast.wire.send(asked, headers);
      expect([status, body?.error?.code]).toEqual([403, 'FACTOR_REQUIRED']);
    }
    expect(await spentTraceOf(row)).toBe(before);
  });

  test.each(rowsWhere(({ operation }) => WITHOUT_FACTOR.includes(operation)))(
    '%s: open without one',
    async (_, row) => {
      const asked = await requestOf(cast, row);
      for (const headers of await bareHeaders(row)) {
        const { body } = await cast.wire.send(asked, headers);
        expect(body?.error?.code).not.toBe('FACTOR_REQUIRED');
      }
    },
  );

  test('the list has no operation that is not in the matrix', () => {
    const operations = new Set(ROWS.map(({ operation }) => operation));
    expect(WITHOUT_FACTOR.filter((each) => !operations.has(each))).toEqual([]);
  });

  test.each(rowsWhere(({ operation }) => ![...KEYS_WITHOUT_LOGIN, ...LAST_FACTOR].includes(operation)))(
    '%s: with one, and with an API key, as elsewhere',
    async (_, row) => {
      const classes = Map.groupBy(callersOf(cast, row), ({ column }) => column);
      const callers = WITH_FACTOR.flatMap((column) => (classes.get(column) ?? []).slice(0, 1));
      expect(await judgeRow(cast, row, cast.wire, callers)).toEqual([]);
    },
  );
});
