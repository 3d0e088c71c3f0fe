/** The first lines of adapters/postgres/schema.sql. */
export const SCHEMA_HEAD = `-- The schema of the database as it is today, to be read: \`node scripts/write-schema.ts\` writes it from the catalogue, and
-- a test holds it against a fresh database. It comes from migrations/*.sql and, for functions, triggers and views,
-- functions/*.sql, where the bodies of the functions are.

`;
