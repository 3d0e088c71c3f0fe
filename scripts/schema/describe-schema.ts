import type { ClientBase } from 'pg';
import { FUNCTIONS, TYPES, VIEWS } from './routine-queries.ts';
import { TABLES } from './table-queries.ts';

export interface Description {
  /** Printed as `owner`. */
  readonly ownerRole: string;
  /** Printed as `service`. */
  readonly serviceRole: string;
  /** Functions with their bodies; without, their signatures alone. */
  readonly bodies: boolean;
}

/**
 * The schema `app` as the catalogue of the database has it, as SQL to be read: types, tables with their columns,
 * constraints, indexes, statistics, triggers and options, views, functions, and the grants of each. Two databases have
 * the same text when they have the same objects. Partitions are printed once for each pattern of their names.
 */
export async function describeSchema(client: ClientBase, description: Description): Promise<string> {
  const { ownerRole, serviceRole, bodies } = description;
  await client.query('begin');
  try {
    // Names outside of pg_catalog are then printed with their schema.
    await client.query(`set local search_path = ''`);
    const parts: string[] = [];
    for (const query of [TYPES, TABLES, VIEWS, FUNCTIONS(bodies)]) {
      const { rows } = await client.query<{ text: string }>(query, [ownerRole, serviceRole]);
      parts.push(...rows.map(({ text }) => text));
    }
    return `${[...new Set(parts)].join('\n\n')}\n`;
  } finally {
    await client.query('rollback');
  }
}
