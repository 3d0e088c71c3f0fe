import * as shape from '../shapes.ts';
import { may, of } from '../variable.ts';

/** Where everything is kept, and the secrets that it depends on. */
export const STORAGE = {
  DATA_DIR: of(
    shape.text('the path of a folder', /^[^\0]+$/),
    './data',
    'Folder of the embedded database, its secrets and the bars.',
  ),
  DATABASE_URL: may(
    shape.postgresUrl,
    'PostgreSQL 15 or later, as the role of the service.',
    'an embedded PostgreSQL in DATA_DIR',
  ),
  MIGRATION_DATABASE_URL: may(shape.postgresUrl, 'The same database as the role that owns the schema.', 'DATABASE_URL'),
  DATABASE_POOLER: of(
    shape.oneOf('none', 'transaction'),
    'none',
    'What stands before DATABASE_URL; `transaction`: a pooler such as PgBouncer in transaction mode.',
  ),
  DATABASE_READ_URL: may(
    shape.postgresUrl,
    'A streaming replica for what everybody may read, as the role of the service, past any pooler.',
    'the database answers all reads itself',
  ),
  DATABASE_POOL: of(shape.integer(1, 100), '10', 'Connections of each process to the database.'),
  SESSION_SECRET: may(
    shape.secret,
    'Signs page cursors.',
    'made once and kept in DATA_DIR; required with DATABASE_URL',
  ),
  PASSWORD_PEPPER: may(
    shape.secret,
    'Mixed into every password hash: losing it locks every password account out.',
    'made once and kept in DATA_DIR; required with DATABASE_URL',
  ),
} as const;
