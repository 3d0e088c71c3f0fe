import { SERVICE, type ThrowawayServer } from './throwaway-server.ts';

/** Waits until the log has a leaf of everything, which answers show. */
export async function allLogged(server: ThrowawayServer): Promise<void> {
  await until(server, 'select not exists (select from app.log_pending) as yes', SERVICE);
}

/** Waits until a query returns `yes`. @throws Error after two minutes */
export async function until(server: ThrowawayServer, sql: string, role = 'postgres'): Promise<void> {
  for (const end = Date.now() + 120_000; Date.now() < end; ) {
    const [row] = await server.query(role, sql);
    if (row?.yes === true) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`After two minutes this was still not true: ${sql}`);
}
